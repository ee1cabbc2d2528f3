// The hosted payment page: renders the public `checkout` query. The script that follows it is served beside it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OperationContext } from '../../access/caller.ts';
import { OPERATIONS, type Checkout } from '../../../web/pay/checkout.ts';
import { chooseLanguage } from '../../../web/pay/languages.ts';
import { renderErrorPage, renderNotFoundPage, renderPaymentPage } from '../../../web/pay/page.ts';
import type { Engine } from '../../graphql/engine.ts';
import { prepareOwn, type Prepared } from '../../graphql/prepare.ts';
import { GatewayError } from '../../values/errors.ts';
import { registerAssets, takesGzip } from '../static-files.ts';
import { isExpected } from '../public-errors.ts';
import type { createIdentify } from '../admission/authenticate.ts';

/** A merchant's logo; null if it must not be shown. */
export type FetchLogo = (url: string) => Promise<{ readonly type: string; readonly body: Buffer } | null>;

interface PayPageDeps {
  readonly engine: Engine;
  readonly identify: ReturnType<typeof createIdentify>;
  readonly clock: { now(): Date };
  readonly fetchLogo: FetchLogo;
}

type ReadCheckout = (id: string, context: OperationContext) => Promise<Checkout>;

interface PageParts extends PayPageDeps {
  readonly readCheckout: ReadCheckout;
}

const ASSETS_PATH = '/pay/assets';
const SCRIPT = new URL('../../../web/pay/client.js', import.meta.url);
/** A GIF of one transparent pixel. */
const NOTHING = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const compress = promisify(gzip);

/** Registers /pay/:id, its script, and the merchant's logo beside it. */
export function registerPayPage(server: FastifyInstance, deps: PayPageDeps): void {
  const readCheckout = createCheckoutReader(deps.engine);
  registerAssets(server, ASSETS_PATH, {
    'client.js': { type: 'text/javascript; charset=utf-8', load: () => readFile(SCRIPT) },
  });
  server.get('/pay/:id', async (request, reply) => {
    const nonce = randomBytes(16).toString('base64');
    securePage(reply, nonce);
    return send(request, reply, await pageOf(request, reply, { ...deps, readCheckout }, nonce));
  });
  server.get('/pay/:id/logo', (request, reply) => sendLogo(request, reply, { ...deps, readCheckout }));
}

async function pageOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { readCheckout, identify, clock }: PageParts,
  nonce: string,
): Promise<string> {
  const wishes = { chosen: languageAsked(request), accepted: request.headers['accept-language'] };
  try {
    const context = await identify(request, reply, { acceptSecret: false, isPublic: true });
    const { id } = request.params as { id: string };
    const checkout = await readCheckout(id, context);
    return renderPaymentPage({
      checkout,
      nonce,
      language: chooseLanguage({ ...wishes, setting: checkout.locale }),
      graphqlPath: '/graphql',
      scriptPath: `${ASSETS_PATH}/client.js`,
      logoPath: checkout.logoUrl === null ? null : `/pay/${encodeURIComponent(checkout.id)}/logo`,
      now: clock.now(),
    });
  } catch (error) {
    const known = error instanceof GatewayError ? error : null;
    if (!isExpected(error)) request.log.error({ err: error, requestId: request.id }, 'a payment page failed');
    void reply.code(known?.row.status ?? 500);
    if (known?.retryAfterSeconds !== undefined) void reply.header('Retry-After', known.retryAfterSeconds);
    const language = chooseLanguage(wishes);
    return known?.errorName === 'NOT_FOUND'
      ? renderNotFoundPage({ nonce, language })
      : renderErrorPage({ nonce, language, requestId: request.id });
  }
}

function languageAsked({ query }: FastifyRequest): string | undefined {
  const { lang } = query as { lang?: unknown };
  return typeof lang === 'string' ? lang : undefined;
}

/** Nothing in the page is a secret that a reflected text could help to guess, so it may be compressed. */
async function send(request: FastifyRequest, reply: FastifyReply, page: string): Promise<FastifyReply> {
  void reply.header('Vary', 'Accept-Encoding, Accept-Language');
  if (!takesGzip(request)) return reply.send(page);
  return reply.header('Content-Encoding', 'gzip').send(await compress(page));
}

/**
 * The logo as the gateway fetched it, so that the customer's browser asks nobody else and tells nobody where it is.
 * What a stranger's server sent is an image or nothing, and can do nothing if it is opened by itself.
 */
async function sendLogo(
  request: FastifyRequest,
  reply: FastifyReply,
  { readCheckout, identify, fetchLogo }: PageParts,
): Promise<FastifyReply> {
  const context = await identify(request, reply, { acceptSecret: false, isPublic: true });
  const { id } = request.params as { id: string };
  const { logoUrl } = await readCheckout(id, context);
  const logo = logoUrl === null ? null : await fetchLogo(logoUrl);
  void reply.header('Content-Security-Policy', "default-src 'none'; sandbox");
  // Browsers show the body of a 404 too: nothing is better than their sign for a broken image.
  if (!logo) return reply.code(404).type('image/gif').header('Cache-Control', 'no-store').send(NOTHING);
  return reply.type(logo.type).header('Cache-Control', 'public, max-age=600').send(logo.body);
}

/** Nothing but our own script and style runs, and nobody frames the page. */
function securePage(reply: FastifyReply, nonce: string): void {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  void reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', policy.join('; '))
    .header('Cache-Control', 'no-store');
}

/** Makes the function that reads a payment as its customer may see it. Rejects with 2004. */
function createCheckoutReader(engine: Engine): ReadCheckout {
  const prepared: Prepared = prepareOwn(engine.schema, OPERATIONS.read);
  return async (id, context) => {
    const result = await engine.execute(await engine.admit(prepared, { id }, context));
    const [error] = result.errors ?? [];
    if (error) throw error.originalError ?? error;
    return result.data?.['checkout'] as Checkout;
  };
}
