// A transaction that pays a payment from a customer's own wallet, where wallets take whole transactions.

import { ChainUnavailable } from '../../chain/errors.ts';
import { readInvoiceOf } from '../../database/queries/invoices/invoice-page.ts';
import { assetOf } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import { unitsOf, type Checkout } from '../payments/checkout.ts';
import { findCheckout } from '../payments/read-and-cancel.ts';
import { findInvoiceCheckout } from './checkout.ts';

type WalletDeps = Parameters<typeof findInvoiceCheckout>[0];

/**
 * The unsigned transaction, base64, by which `payer` sends what is due. Errors: 1012; 2004; 3001 on networks whose
 * wallets make their own; 3005 where the page asks for nothing; 3007; 4002 if `payer` is no address.
 */
export async function makeWalletTransaction(
  deps: WalletDeps,
  { id, payer }: { readonly id: string; readonly payer: string },
): Promise<string> {
  const checkout = isId('ord', id) ? await findCheckout(deps, id) : null;
  if (!checkout) throw new GatewayError('NOT_FOUND');
  const { network, currency, address } = checkout;
  const adapter = deps.chains.get(network)?.adapter;
  if (!adapter) throw new GatewayError('NETWORK_UNAVAILABLE');
  if (!adapter.walletTransaction)
    throw new GatewayError('UNSUPPORTED_ASSET', { message: `Wallets make their own transactions on ${network}` });
  const parsed = adapter.parseAddress(payer);
  if (!parsed) throw new GatewayError('BAD_ADDRESS');
  if (!(await asksForMoney(deps, checkout))) throw new GatewayError('WRONG_STATE');
  const amount = unitsOf(checkout.amountDue, assetOf(checkout).decimals);
  try {
    return await adapter.walletTransaction({ payer: parsed.address, address, currency, amount, orderId: id });
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    throw new GatewayError('NETWORK_UNAVAILABLE', { cause: error });
  }
}

/** Whether its customer is shown an address now: of an invoice's payments, the current one while its rate holds. */
async function asksForMoney(deps: WalletDeps, checkout: Checkout): Promise<boolean> {
  const now = deps.clock.now();
  const isOpen = ({ status }: Checkout) => status === 'PENDING' || status === 'PARTIALLY_PAID';
  const invoiceId = await readInvoiceOf(deps.db.em)(checkout.id);
  if (invoiceId === null) return isOpen(checkout) && now < new Date(checkout.expiresAt);
  const invoice = await findInvoiceCheckout(deps, invoiceId);
  const own = invoice?.payments.find((payment) => payment.checkout.id === checkout.id);
  if (!invoice || !own) return false;
  const isTaken = invoice.status === 'OPEN' || invoice.status === 'PARTIALLY_PAID';
  return isTaken && isOpen(own.checkout) && now < new Date(invoice.expiresAt) && now < new Date(own.quoteExpiresAt);
}
