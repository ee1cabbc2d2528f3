// What customers do with invoices: they choose a coin, pay in one or in two, after the end of their rate, late or not
// at all, and are refunded; some change their mind after their merchant canceled.

import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { formatUnits, parseUnits } from 'viem/utils';
import { DECIMALS } from '../invariants/chain-balances.ts';
import { Violation } from '../invariants/violation.ts';
import type { Data } from './client.ts';
import type { InvoiceNote, Shop } from './client-log.ts';
import { askFor, notePayout } from './payouts.ts';
import { callbackOf, deposit, type LoadParts, type PlacedOrder } from './scenario.ts';

type PlacedInvoice = InvoiceNote & { readonly invoiceId: string };
/** The payment of a quote: where it is paid, and how much is asked for. */
type Quote = Pick<PlacedOrder, 'orderId' | 'shop' | 'currency' | 'amount'>;

interface Fate {
  readonly weight: number;
  readonly live: (parts: LoadParts, invoice: PlacedInvoice) => Promise<void>;
}

const FATES: readonly Fate[] = [
  { weight: 25, live: payWhole },
  { weight: 20, live: payInTwoCoins },
  { weight: 20, live: payAtTwoRates },
  { weight: 15, live: payLate },
  { weight: 10, live: cancel },
  { weight: 10, live: payAndRefund },
];

const COINS = ['USDT', 'USDC', 'ETH'] as const;
/** Prices have two decimals, as no currency here has fewer. */
const PRICED_IN = ['EUR', 'KWD', 'USDT'] as const;
/** What one ETH is worth in US dollars, to one merchant at a time. */
const PRICES_OF_ETH = ['2700', '3000', '3300'] as const;
/** The error codes of a choice that comes too late: the invoice takes no more, or too little is due. */
const TOO_LATE = new Set(['3009', '3002']);
const WRONG_STATE = '3005';
const SEEN_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 100;

/** Makes an invoice, repeated under its reference until it is answered, and lives it. */
export async function liveInvoice(parts: LoadParts, shop: Shop): Promise<void> {
  const { client, notes, random } = parts;
  const reference = randomUUID();
  const note: InvoiceNote = { shop, reference, callbackUrl: callbackOf(parts, shop, reference), invoiceId: null };
  notes.invoices.push(note);
  const amount = `${5 + random.below(20)}.${String(random.below(100)).padStart(2, '0')}`;
  const own = { merchantInvoiceId: reference, callbackUrl: note.callbackUrl };
  const body = { amount, currency: random.pick(PRICED_IN), ...own };
  const data = await client.data('POST', '/invoices', { token: shop.token, body, idempotencyKey: reference });
  const invoiceId = data.invoiceId as string;
  note.invoiceId = invoiceId;
  await random.weighted(FATES).live(parts, { ...note, invoiceId });
}

/** Chooses a coin as a payer does, repeated until it is answered; null if that is too late. */
async function choose({ client }: LoadParts, { invoiceId, shop }: PlacedInvoice, coin: string): Promise<Quote | null> {
  const path = `/checkout/invoices/${invoiceId}/choose`;
  const answer = await client.untilAnswered('POST', path, { body: { currency: coin, network: 'ETH' } });
  if (answer.code !== null && TOO_LATE.has(answer.code)) return null;
  const current = answer.data?.payments.find(({ isCurrent }: Data) => isCurrent)?.checkout;
  if (current?.currency !== coin)
    throw new Violation(`Choosing ${coin} for ${invoiceId} was answered with ${answer.status}/${answer.code}`);
  return { orderId: current.id as string, shop, currency: coin, amount: current.amount as string };
}

/** A part of an amount, in percent, rounded down. */
function partOf({ amount, currency }: Quote, percent: bigint): string {
  const decimals = DECIMALS[currency] ?? 0;
  return formatUnits((parseUnits(amount, decimals) * percent) / 100n, decimals);
}

/** Waits until the invoice is in one of these states; a deposit that was cut off may never bring it there. */
async function becomes({ client }: LoadParts, { invoiceId, shop }: PlacedInvoice, states: readonly string[]) {
  const end = performance.now() + SEEN_WITHIN_MS;
  while (performance.now() < end) {
    const answer = await client.tryOnce('GET', `/invoices/${invoiceId}`, { token: shop.token });
    if (states.includes(answer?.data?.status)) return true;
    await rest(LOOK_EVERY_MS);
  }
  return false;
}

async function payWhole(parts: LoadParts, invoice: PlacedInvoice): Promise<void> {
  const quote = await choose(parts, invoice, parts.random.pick(COINS));
  if (quote) await deposit(parts, quote, quote.amount);
}

async function payInTwoCoins(parts: LoadParts, invoice: PlacedInvoice): Promise<void> {
  const [one, other] = parts.random.chance(0.5) ? (['USDT', 'ETH'] as const) : (['ETH', 'USDC'] as const);
  const quote = await choose(parts, invoice, one);
  if (!quote) return;
  await deposit(parts, quote, partOf(quote, 40n));
  await becomes(parts, invoice, ['PARTIALLY_PAID']);
  const ofRest = await choose(parts, invoice, other);
  if (ofRest) await deposit(parts, ofRest, ofRest.amount);
}

/** The rate ends and moves; some send what the old one asked for all the same, and then what is due by the new one. */
async function payAtTwoRates(parts: LoadParts, invoice: PlacedInvoice): Promise<void> {
  const { client, random } = parts;
  const { token } = invoice.shop;
  const quote = await choose(parts, invoice, 'ETH');
  if (!quote) return;
  await client.untilAnswered('POST', `/sandbox/payments/${quote.orderId}/expire-quote`, { token });
  await client.data('POST', '/sandbox/rates', { token, body: { code: 'ETH', usd: random.pick(PRICES_OF_ETH) } });
  if (random.chance(0.5)) {
    await deposit(parts, quote, quote.amount);
    await becomes(parts, invoice, ['PARTIALLY_PAID', 'PROCESSING', 'SETTLED']);
  }
  const again = await choose(parts, invoice, 'ETH');
  if (again) await deposit(parts, again, again.amount);
}

async function payLate(parts: LoadParts, invoice: PlacedInvoice): Promise<void> {
  const quote = await choose(parts, invoice, parts.random.pick(COINS));
  const { token } = invoice.shop;
  await parts.client.untilAnswered('POST', `/sandbox/invoices/${invoice.invoiceId}/expire`, { token });
  if (quote && parts.random.chance(0.7)) await deposit(parts, quote, quote.amount);
}

/** A cancellation that was cut off may have been done; its repeat is then refused, which shows as much. */
async function cancel(parts: LoadParts, invoice: PlacedInvoice): Promise<void> {
  const { client, notes, random } = parts;
  const { invoiceId, shop } = invoice;
  const quote = random.chance(0.7) ? await choose(parts, invoice, random.pick(COINS)) : null;
  const { code } = await client.untilAnswered('DELETE', `/invoices/${invoiceId}`, { token: shop.token });
  if (code === null) notes.canceled.push(invoiceId);
  else if (code !== WRONG_STATE) throw new Violation(`Canceling ${invoiceId} was refused with ${code}`);
  if (quote && random.chance(0.4)) await deposit(parts, quote, quote.amount);
}

/** Refunds an invoice that was paid in one coin, in part or in full. */
async function payAndRefund(parts: LoadParts, invoice: PlacedInvoice): Promise<void> {
  const quote = await choose(parts, invoice, parts.random.pick(COINS));
  if (!quote) return;
  await deposit(parts, quote, quote.amount);
  if (!(await becomes(parts, invoice, ['SETTLED']))) return;
  const amount = parts.random.chance(0.5) ? partOf(quote, 30n) : quote.amount;
  const note = notePayout(parts, quote, 'refund', amount);
  await askFor(parts, note, `/payments/${quote.orderId}/refund`, { address: note.address, amount });
}
