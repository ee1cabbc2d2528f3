// The page that ends a merchant's mails to a customer. A GET only asks, since mail programs open links by themselves; a
// POST does it, from the page's button or from a mail program (RFC 8058), whatever its body says.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { renderUnknownUnsubscribePage, renderUnsubscribePage } from '../../../web/pay/unsubscribe.ts';
import { GatewayError } from '../../values/errors.ts';
import { fromFastify } from '../public-errors.ts';
import { failedPage, identifyPayer, languageOf, securePage, sendPage, type PageDeps } from './page-response.ts';

/** Whose mails a token ends. */
export interface MailSender {
  readonly companyName: string;
  readonly locale: string | null;
}

/** What tokens name; null for one that is not ours. */
export interface Unsubscriptions {
  read(token: string): Promise<MailSender | null>;
  /** Ends the mails. */
  end(token: string): Promise<MailSender | null>;
}

interface UnsubscribeDeps extends Pick<PageDeps, 'identify'> {
  readonly unsubscriptions: Unsubscriptions;
}

const PATH = '/mail/unsubscribe/:token';
/** `List-Unsubscribe=One-Click`, as a form or in parts. */
const MAX_BODY_BYTES = 8 * 1024;

/** Registers GET and POST /mail/unsubscribe/:token. */
export function registerUnsubscribePage(server: FastifyInstance, deps: UnsubscribeDeps): void {
  const { unsubscriptions } = deps;
  void server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    // The token says all: the body is taken, and not read.
    const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const;
    scope.addContentTypeParser('*', options, (_request, _body, parsed) => parsed(null));
    scope.setErrorHandler((error, request, reply) => sendFailure(fromFastify(error), request, reply));
    scope.get(PATH, (request, reply) => answer(request, reply, deps, unsubscriptions.read, false));
    scope.post(PATH, (request, reply) => answer(request, reply, deps, unsubscriptions.end, true));
    done();
  });
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: UnsubscribeDeps,
  find: (token: string) => Promise<MailSender | null>,
  isDone: boolean,
): Promise<FastifyReply> {
  try {
    await identifyPayer(deps, request, reply);
    const sender = await find((request.params as { token: string }).token);
    if (sender === null) throw new GatewayError('NOT_FOUND');
    const nonce = securePage(reply, { hasForms: true });
    const language = languageOf(request, sender.locale);
    return await sendPage(
      request,
      reply,
      renderUnsubscribePage({ nonce, language, companyName: sender.companyName, isDone }),
    );
  } catch (error) {
    return sendFailure(error, request, reply);
  }
}

function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const nonce = securePage(reply, { hasForms: false });
  const page = failedPage(error, request, reply, nonce);
  const isUnknown = error instanceof GatewayError && error.errorName === 'NOT_FOUND';
  const language = languageOf(request);
  return sendPage(request, reply, isUnknown ? renderUnknownUnsubscribePage({ nonce, language }) : page);
}
