// What a right run leaves of one invoice: chosen, paid in one deposit and settled. Its merchant has no endpoint, so
// that nothing of it is delivered.

import type { Evidence, EventRow, Told } from '../../../chaos/invariants/evidence.ts';
import type { Notes, Shop } from '../../../chaos/load/client-log.ts';

const SHOP: Shop = {
  ...{ merchantId: 'mer_2', token: '', webhookSecret: '', endpoints: [] },
  ...{ eventsRead: new Map(), publicEvents: [] },
};

/** 10 USDT at 0.9 are the price, and no unit less would be. */
function invoiceIn(status: string, deposit: 'none' | 'PENDING' | 'CONFIRMED') {
  const transactions = deposit === 'none' ? [] : [{ amount: '10', rate: '0.9', status: deposit }];
  const received = deposit === 'none' ? '0' : '9';
  return {
    ...{ invoiceId: 'inv_1', status, exception: null, amount: '9', currency: 'EUR' },
    ...{ amountReceived: received, amountConfirmed: deposit === 'CONFIRMED' ? '9' : '0', amountRefunded: '0' },
    ...{ amountDue: deposit === 'none' ? '9' : '0', payments: [{ orderId: 'ord_2', transactions }] },
  };
}

function paymentIn(status: string) {
  const amount = status === 'PENDING' ? '0' : '10';
  return {
    ...{ orderId: 'ord_2', invoiceId: 'inv_1', status, exception: null, amountReceived: amount },
    ...{ amountConfirmed: status === 'SUCCEEDED' ? '10' : '0', amountRefunded: '0', feeAmount: '0' },
  };
}

const TOLD = [
  { type: 'invoice.created', payment: null, invoice: invoiceIn('OPEN', 'none') },
  { type: 'payment.created', payment: paymentIn('PENDING'), invoice: null },
  { type: 'invoice.updated', payment: null, invoice: invoiceIn('OPEN', 'none') },
  { type: 'payment.updated', payment: paymentIn('CONFIRMING'), invoice: null },
  { type: 'invoice.processing', payment: null, invoice: invoiceIn('PROCESSING', 'PENDING') },
  { type: 'payment.succeeded', payment: paymentIn('SUCCEEDED'), invoice: null },
  { type: 'invoice.settled', payment: null, invoice: invoiceIn('SETTLED', 'CONFIRMED') },
] as const;

/** Adds the invoice to what the merchants noted. */
export function noteInvoice({ shops, invoices, deposits }: Notes): void {
  shops.push(SHOP);
  invoices.push({ shop: SHOP, reference: 'cart-2', callbackUrl: null, invoiceId: 'inv_1' });
  deposits.push({ orderId: 'ord_2', currency: 'USDT', amount: '10', answered: true });
}

/** Its part of the evidence: new objects each time, for a test to change. */
export function invoiceEvidence() {
  const events = structuredClone(TOLD).map((event, index) => ({ ...event, sequence: index + 1, id: `evt_2${index}` }));
  const versions = { payment: 0, invoice: 0 };
  const rows: EventRow[] = events.map(({ id, type, payment }) => {
    const version = (versions[payment === null ? 'invoice' : 'payment'] += 1);
    const about =
      payment === null
        ? { paymentId: null, invoiceId: 'inv_1', payoutId: null }
        : { paymentId: 'ord_2', invoiceId: null, payoutId: null };
    return { id, merchantId: 'mer_2', ...about, version, type, body: null };
  });
  const paid = { ...paymentIn('SUCCEEDED'), transactions: [{ amount: '10', status: 'CONFIRMED' }] };
  const told: Told = {
    events,
    payments: new Map([['ord_2', paid]]),
    invoices: new Map([['inv_1', invoiceIn('SETTLED', 'CONFIRMED')]]),
  };
  const of = { merchantId: 'mer_2', reference: 'cart-2', callbackUrl: null };
  const payments: Evidence['payments'] = [{ ...of, id: 'ord_2', version: versions.payment, invoiceId: 'inv_1' }];
  const { merchantId: _, ...own } = of;
  const invoices: Evidence['invoices'] = [{ ...own, id: 'inv_1', version: versions.invoice, toleranceBasisPoints: 0 }];
  return { rows, told, payments, invoices };
}
