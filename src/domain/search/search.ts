// Finds what somebody has a piece of: the beginning of an id, a reference, an e-mail address or a product's name, or
// the whole of an address or a transaction's hash.

import { searchInvoices } from '../../database/queries/search/invoices.ts';
import { searchPayments, type Sought } from '../../database/queries/search/payments.ts';
import { searchPayouts } from '../../database/queries/search/payouts.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { toInvoiceSnapshot } from '../invoices/read-invoices.ts';
import { toPaymentSnapshot } from '../payments/read-and-cancel.ts';
import type { Deps } from '../deps.ts';
import type { InvoiceSnapshot } from '../snapshots/invoice.ts';
import type { PaymentSnapshot } from '../snapshots/payment.ts';
import { snapshotPayout, type PayoutSnapshot } from '../snapshots/payout.ts';

/** What was found, of each kind newest first; of a kind that was not asked for, nothing. */
export interface Found {
  readonly payments: readonly PaymentSnapshot[];
  readonly invoices: readonly InvoiceSnapshot[];
  readonly payouts: readonly PayoutSnapshot[];
}

/** The kinds that are looked through. */
export interface SearchedKinds {
  readonly orders: boolean;
  readonly payouts: boolean;
}

type SearchDeps = Pick<Deps, 'db' | 'payUrl' | 'chains'>;

/** Shorter than the hash of any transaction, and longer than most references. */
const SHORTEST_HASH = 40;
const ID_OF_ORDER = /^(ord|inv)_/;
const ID_OF_PAYOUT = /^(wdr|rfd)_/;

/** At most `limit` of each kind of a merchant's. A text of blanks finds nothing. */
export async function search(
  deps: SearchDeps,
  { merchantId, text, kinds, limit }: { merchantId: string; text: string; kinds: SearchedKinds; limit: number },
): Promise<Found> {
  const sought = text.trim();
  if (sought === '') return { payments: [], invoices: [], payouts: [] };
  const forms = { merchantId, text: sought, ...formsOf(deps, sought) };
  const { db } = deps;
  const order = { ...forms, id: ID_OF_ORDER.test(sought) ? sought : null };
  const payout = { ...forms, id: ID_OF_PAYOUT.test(sought) ? sought : null };
  const [payments, invoices, payouts] = await Promise.all([
    kinds.orders ? readAnywhere(db, ({ pool }) => searchPayments(pool, order, limit)) : [],
    kinds.orders ? readAnywhere(db, ({ pool }) => searchInvoices(pool, order, limit)) : [],
    kinds.payouts ? readAnywhere(db, ({ pool }) => searchPayouts(pool, payout, limit)) : [],
  ]);
  return {
    payments: payments.map((row) => toPaymentSnapshot(deps, row)),
    invoices: invoices.map((row) => toInvoiceSnapshot(deps, row)),
    payouts: payouts.map(snapshotPayout),
  };
}

interface Forms extends Pick<Sought, 'addresses' | 'hashes' | 'networks'> {
  readonly recipients: readonly string[];
}

/** The forms that the tables have an address or a hash in, if the text may be one. */
function formsOf({ chains }: Pick<Deps, 'chains'>, text: string): Forms {
  const keys = new Map<string, { readonly account: string; readonly key: string }>();
  const recipients = new Set([text]);
  for (const { adapter, account } of chains.values()) {
    const parsed = adapter.parseAddress(text);
    if (!parsed) continue;
    keys.set(`${account} ${parsed.key}`, { account, key: parsed.key });
    recipients.add(parsed.address);
  }
  const isHash = text.length >= SHORTEST_HASH;
  // Hexadecimal digits are in lower case in the tables; those of Solana have both.
  const hashes = isHash ? [...new Set([text, text.toLowerCase()])] : [];
  return { addresses: [...keys.values()], recipients: [...recipients], hashes, networks: [...chains.keys()] };
}
