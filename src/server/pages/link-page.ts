// The page of a payment link, and its form: a POST, answered with 303 to the invoice that it made.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { type FieldName, type Filled, readFilled, submissionOf } from '../../../web/pay/link/form.ts';
import { LINK_OPERATIONS, type LinkCheckout } from '../../../web/pay/link/link-checkout.ts';
import { renderLinkPage, TROUBLES } from '../../../web/pay/link/page.ts';
import type { Key } from '../../../web/pay/locale.ts';
import { GatewayError } from '../../values/errors.ts';
import { fromFastify } from '../public-errors.ts';
import {
  addressOf,
  createRun,
  failedPage,
  idOf,
  identifyPayer,
  languageAsked,
  languageOf,
  markFailed,
  securePage,
  sendPage,
  takeForms,
  type PageDeps,
} from './page-response.ts';

/** What the page of a link is shown with. */
interface LinkParts extends Pick<PageDeps, 'environment'> {
  readonly read: Read;
}

type Read = (request: FastifyRequest, reply: FastifyReply) => Promise<LinkCheckout>;

/** What a form is shown with after it was refused. */
interface Refused {
  readonly filled: Filled;
  readonly faults: readonly FieldName[];
  readonly trouble: Key | null;
  readonly key: string;
}

const freshKey = (): string => randomBytes(16).toString('base64url');

/** Makes the function that reads the link of a request as its customer may see it. Rejects with 2004. */
export function createLinkReader(deps: PageDeps): Read {
  const run = createRun(deps.engine, LINK_OPERATIONS.read);
  return async (request, reply) => {
    const { linkCheckout } = await run({ id: idOf(request) }, await identifyPayer(deps, request, reply));
    if (!linkCheckout) throw new GatewayError('NOT_FOUND');
    return linkCheckout;
  };
}

/** Shows the form of a link. An `amount` in the address, from a shop's own button, is filled in. */
export async function showLink(request: FastifyRequest, reply: FastifyReply, parts: LinkParts): Promise<FastifyReply> {
  const { amount } = request.query as { amount?: unknown };
  const filled = typeof amount === 'string' && amount.length <= 40 ? { amount } : {};
  return sendForm(request, reply, parts, { filled, faults: [], trouble: null, key: freshKey() });
}

async function sendForm(request: FastifyRequest, reply: FastifyReply, parts: LinkParts, refused: Refused) {
  const nonce = securePage(reply, { hasForms: true });
  try {
    const link = await parts.read(request, reply);
    const page = renderLinkPage({
      ...{ ...refused, link, nonce, language: languageOf(request, link.locale) },
      keepsLanguage: languageAsked(request) !== undefined,
      isSandbox: parts.environment === 'sandbox',
      logoPath: link.logoUrl === null ? null : `/pay/${encodeURIComponent(link.id)}/logo`,
    });
    return await sendPage(request, reply, page);
  } catch (error) {
    return sendPage(request, reply, failedPage(error, request, reply, nonce));
  }
}

/** Registers POST /pay/:id of a link. A refusal is the form again, with what was written in it. */
export function registerSubmission(server: FastifyInstance, deps: PageDeps): void {
  const submit = createRun(deps.engine, LINK_OPERATIONS.submit);
  const parts = { read: createLinkReader(deps), environment: deps.environment };
  void server.register((scope, _options, done) => {
    takeForms(scope);
    scope.setErrorHandler((error, request, reply) => {
      const nonce = securePage(reply, { hasForms: false });
      return sendPage(request, reply, failedPage(fromFastify(error), request, reply, nonce));
    });
    scope.post('/pay/:id', async (request, reply) => {
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      const filled = readFilled(form);
      const key = readKey(form);
      try {
        const context = await identifyPayer(deps, request, reply);
        const input = submissionOf(idOf(request), filled);
        const answer = await submit({ input }, { ...context, idempotencyKey: key });
        const address = addressOf(answer.submitPaymentLink.id, request, {});
        return await reply.header('Cache-Control', 'no-store').redirect(address, 303);
      } catch (error) {
        const refused = refusedOf(error, filled, key);
        if (refused === null) throw error;
        markFailed(error, request, reply);
        return sendForm(request, reply, parts, refused);
      }
    });
    done();
  });
}

/** The one-time key of a form, unless it was tampered with. */
function readKey(form: URLSearchParams): string | null {
  const key = form.get('key') ?? '';
  return /^[A-Za-z0-9_-]{16,64}$/.test(key) ? key : null;
}

/**
 * The form to show after a refusal; null for what is no refusal of the form. A key that was used for another form is
 * replaced; while its own submission is still at work, the same key finds what that made.
 */
function refusedOf(error: unknown, filled: Filled, key: string | null): Refused | null {
  if (!(error instanceof GatewayError)) return null;
  const keeps = error.errorName === 'IDEMPOTENCY_IN_FLIGHT' && key !== null;
  const base = { filled, faults: [], trouble: null, key: keeps ? key : freshKey() };
  if (error.errorName === 'ABOVE_MAXIMUM') return { ...base, faults: ['amount'] };
  if (error.errorName === 'VALIDATION') {
    const names = (error.details ?? []).map(({ path }) => path.split('.').at(-1) as FieldName);
    return { ...base, faults: names.length > 0 ? names : ['amount'] };
  }
  const trouble = TROUBLES[error.errorName];
  return trouble === undefined ? null : { ...base, trouble };
}
