// The hosted pages of customers: renders the public `checkout` query, and hands invoices to their own page. The script
// that follows them is served beside them.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readFile } from 'node:fs/promises';
import { OPERATIONS, type Checkout } from '../../../web/pay/checkout.ts';
import { renderPaymentPage } from '../../../web/pay/page.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import { registerAssets, type Asset } from '../static-files.ts';
import { createInvoicePage, createInvoiceReader, registerChoice } from './invoice-page.ts';
import { createLinkReader, registerSubmission, showLink } from './link-page.ts';
import {
  addressOf,
  ASSETS_PATH,
  createRun,
  failedPage,
  followedPaths,
  identifyPayer,
  idOf,
  languageOf,
  securePage,
  sendPage,
  type PageDeps,
} from './page-response.ts';

/** A merchant's logo; null if it must not be shown. */
export type FetchLogo = (url: string) => Promise<{ readonly type: string; readonly body: Buffer } | null>;

interface PayPageDeps extends PageDeps {
  readonly fetchLogo: FetchLogo;
  /** The id of the invoice that a payment belongs to; null for any other payment. */
  readonly invoiceOf: (orderId: string) => Promise<string | null>;
}

type Read<Shown> = (request: FastifyRequest, reply: FastifyReply) => Promise<Shown>;

/** The page's scripts, by their names below the assets' path. */
const SCRIPTS = ['client.js', 'wallets/browser-wallets.js'] as const;
/** A GIF of one transparent pixel. */
const NOTHING = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Registers /pay/:id for payments, invoices and links with their forms, the script, and the merchant's logo. */
export function registerPayPage(server: FastifyInstance, deps: PayPageDeps): void {
  const read = createCheckoutReader(deps);
  const readInvoice = createInvoiceReader(deps);
  const readLink = createLinkReader(deps);
  const showInvoice = createInvoicePage(deps);
  const scripts = SCRIPTS.map((name) => [name, scriptOf(name)] as const);
  registerAssets(server, ASSETS_PATH, Object.fromEntries(scripts));
  server.get('/pay/:id', (request, reply) => {
    if (isId('inv', idOf(request))) return showInvoice(request, reply);
    if (isId('lnk', idOf(request))) return showLink(request, reply, { read: readLink, environment: deps.environment });
    return showPayment(request, reply, deps, read);
  });
  server.get('/pay/:id/logo', (request, reply) => {
    const readAny = isId('inv', idOf(request)) ? readInvoice : isId('lnk', idOf(request)) ? readLink : read;
    return sendLogo(request, reply, deps, readAny);
  });
  registerChoice(server, deps);
  registerSubmission(server, deps);
}

const scriptOf = (name: string): Asset => ({
  type: 'text/javascript; charset=utf-8',
  load: () => readFile(new URL(`../../../web/pay/${name}`, import.meta.url)),
});

/** The page of a payment; an invoice's payment has none of its own, and leads to the invoice's. */
async function showPayment(
  request: FastifyRequest,
  reply: FastifyReply,
  { clock, environment, invoiceOf }: PayPageDeps,
  read: Read<Checkout>,
): Promise<FastifyReply> {
  const nonce = securePage(reply, { hasForms: false });
  try {
    const checkout = await read(request, reply);
    const invoiceId = await invoiceOf(checkout.id);
    if (invoiceId !== null) {
      const { currency: coin, network } = checkout;
      return await reply.redirect(addressOf(invoiceId, request, { coin, network }), 303);
    }
    const page = renderPaymentPage({
      ...{ checkout, nonce, ...followedPaths(), now: clock.now(), isSandbox: environment === 'sandbox' },
      language: languageOf(request, checkout.locale),
      logoPath: checkout.logoUrl === null ? null : `/pay/${encodeURIComponent(checkout.id)}/logo`,
    });
    return await sendPage(request, reply, page);
  } catch (error) {
    return sendPage(request, reply, failedPage(error, request, reply, nonce));
  }
}

/**
 * The logo as the gateway fetched it, so that the customer's browser asks nobody else and tells nobody where it is.
 * What a stranger's server sent is an image or nothing, and can do nothing if it is opened by itself.
 */
async function sendLogo(
  request: FastifyRequest,
  reply: FastifyReply,
  { fetchLogo }: PayPageDeps,
  read: Read<{ readonly logoUrl: string | null }>,
): Promise<FastifyReply> {
  const { logoUrl } = await read(request, reply);
  const logo = logoUrl === null ? null : await fetchLogo(logoUrl);
  void reply.header('Content-Security-Policy', "default-src 'none'; sandbox");
  // Browsers show the body of a 404 too: nothing is better than their sign for a broken image.
  if (!logo) return reply.code(404).type('image/gif').header('Cache-Control', 'no-store').send(NOTHING);
  return reply.type(logo.type).header('Cache-Control', 'public, max-age=600').send(logo.body);
}

/** Makes the function that reads a payment as its customer may see it. Rejects with 2004. */
function createCheckoutReader(deps: PayPageDeps): Read<Checkout> {
  const run = createRun(deps.engine, OPERATIONS.read);
  return async (request, reply) => {
    const context = await identifyPayer(deps, request, reply);
    const { checkout } = await run({ id: idOf(request) }, context);
    if (!checkout) throw new GatewayError('NOT_FOUND');
    return checkout;
  };
}
