// The page of an invoice, and its form, by which the customer chooses a coin: a POST, answered with 303 to the page.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { INVOICE_OPERATIONS, type InvoiceCheckout } from '../../../web/pay/invoice/checkout.ts';
import { REFUSALS, renderInvoicePage, renderRefusalPage } from '../../../web/pay/invoice/page.ts';
import { readWish } from '../../../web/pay/invoice/stage.ts';
import { GatewayError } from '../../values/errors.ts';
import { fromFastify } from '../public-errors.ts';
import {
  addressOf,
  createRun,
  failedPage,
  followedPaths,
  identifyPayer,
  idOf,
  languageAsked,
  languageOf,
  markFailed,
  securePage,
  sendPage,
  takeForms,
  type PageDeps,
} from './page-response.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Makes the handler that shows an invoice. Its id is the last part of the path. */
export function createInvoicePage(deps: PageDeps): Handler {
  const read = createInvoiceReader(deps);
  return async (request, reply) => {
    const nonce = securePage(reply, { hasForms: true });
    try {
      const invoice = await read(request, reply);
      const page = renderInvoicePage({
        ...{ invoice, nonce, ...followedPaths(), now: deps.clock.now(), wish: readWish(parametersOf(request)) },
        language: languageOf(request, invoice.locale),
        keepsLanguage: languageAsked(request) !== undefined,
        isSandbox: deps.environment === 'sandbox',
        logoPath: invoice.logoUrl === null ? null : `/pay/${encodeURIComponent(invoice.id)}/logo`,
      });
      return await sendPage(request, reply, page);
    } catch (error) {
      return sendPage(request, reply, failedPage(error, request, reply, nonce));
    }
  };
}

/** Makes the function that reads the invoice of a request as its customer may see it. Rejects with 2004. */
export function createInvoiceReader(deps: PageDeps) {
  const run = createRun(deps.engine, INVOICE_OPERATIONS.read);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<InvoiceCheckout> => {
    const context = await identifyPayer(deps, request, reply);
    const { invoiceCheckout } = await run({ id: idOf(request) }, context);
    if (!invoiceCheckout) throw new GatewayError('NOT_FOUND');
    return invoiceCheckout;
  };
}

/** Registers POST /pay/:id/choose. Every refusal is a page, with the way back to the invoice. */
export function registerChoice(server: FastifyInstance, deps: PageDeps): void {
  const choose = createRun(deps.engine, INVOICE_OPERATIONS.choose);
  void server.register((scope, _options, done) => {
    takeForms(scope);
    scope.setErrorHandler((error, request, reply) => refuse(fromFastify(error), request, reply));
    // Where a browser goes that opens the address of a refused choice again.
    scope.get('/pay/:id/choose', (request, reply) => reply.redirect(addressOf(idOf(request), request, {}), 303));
    scope.post('/pay/:id/choose', async (request, reply) => {
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
      const context = await identifyPayer(deps, request, reply);
      const [currency, network] = [form.get('currency') ?? '', form.get('network') ?? ''];
      const answer = await choose({ input: { invoiceId: idOf(request), currency, network } }, context);
      const chosen = answer.chooseAsset.payments.find(({ isCurrent }) => isCurrent)?.checkout;
      const wish = chosen ? { coin: chosen.currency, network: chosen.network } : {};
      return reply.header('Cache-Control', 'no-store').redirect(addressOf(idOf(request), request, wish), 303);
    });
    done();
  });
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const nonce = securePage(reply, { hasForms: false });
  const reason = error instanceof GatewayError ? REFUSALS[error.errorName] : undefined;
  if (reason === undefined) return sendPage(request, reply, failedPage(error, request, reply, nonce));
  markFailed(error, request, reply);
  const keepsLanguage = languageAsked(request) !== undefined;
  const page = { nonce, language: languageOf(request), invoiceId: idOf(request), reason, keepsLanguage };
  return sendPage(request, reply, renderRefusalPage(page));
}

const parametersOf = ({ query }: FastifyRequest) => query as Readonly<Record<string, unknown>>;
