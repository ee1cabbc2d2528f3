// The customer's choice of an asset for an invoice: a quote, which makes an ordinary payment. Nothing before it takes
// an address, so that crawlers cost none.

import { isStillGiven } from '../../database/queries/chain/address-ranges.ts';
import { isLinkOpen } from '../../database/queries/links/open-links.ts';
import { readQuotedPayments, type ReadQuotedPayment } from '../../database/queries/invoices/read-invoices.ts';
import { createBatchedReader } from '../../database/batched-reader.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import { createGroupCommit, type GroupCommit } from '../../database/group-commit.ts';
import { insertQuotes, type NewQuoteRow, type QuoteInsertion } from '../../database/queries/invoices/insert-quotes.ts';
import { readRows } from '../../database/rows.ts';
import { Invoice, type AcceptedAsset } from '../../entities/invoice.ts';
import type { Asset } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import { coinAmount, priceAsValue } from '../../values/prices/price.ts';
import { createAddressSource, type FreshAddress, type TakeAddress } from '../addresses/derive.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { readRateMerchants, type QuotedRate, type RateMerchant } from '../rates/rates.ts';
import { refuseOutsideLimits, requireAsset, requireChain } from '../requested-amount.ts';
import { decimalsOf, type InvoiceSnapshot } from '../snapshots/invoice.ts';
import { createTurns } from '../turns.ts';
import { worthOfAll } from '../payments/invoice-values.ts';
import { snapshotStored } from './read-invoices.ts';
import type { AssetChoice, ChooseAsset } from './requests.ts';
import { makePlainQuote, storeQuote, type Terms } from './store-quote.ts';

/** How many quotes an invoice may have: in a day, and in all. */
export const MOST_QUOTES = { inDay: 10, inAll: 50 } as const;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Tries before a database that keeps failing over counts as unavailable. */
const MOST_TRIES = 5;

/**
 * Makes the choosing operation of this process (contract-invoices, section 3). A live quote of the asset is answered
 * again. Errors, in the order of the checks: 3001 (no such asset), 2004, 3009, 3001 (not accepted), 3002, 3003, 3007,
 * 3010, 3011.
 */
export function createAssetChooser(deps: Deps): ChooseAsset {
  const parts: ChoiceParts = {
    takeAddress: createAddressSource(deps),
    look: createLook(deps),
    commits: createGroupCommit<NewQuoteRow, QuoteInsertion>({ run: (batch) => insertQuotes(deps.db, batch) }),
  };
  // One choice at a time for each invoice, so that a double click costs no address.
  const inTurn = createTurns();
  return async (choice) => {
    const asset = requireAsset(choice.currency, choice.network);
    if (!isId('inv', choice.invoiceId)) throw new GatewayError('NOT_FOUND');
    return inTurn(choice.invoiceId, () => choose(deps, parts, asset, choice));
  };
}

/** What a process chooses with. */
interface ChoiceParts {
  readonly takeAddress: TakeAddress;
  readonly look: Look;
  readonly commits: GroupCommit<NewQuoteRow, QuoteInsertion>;
}

async function choose(
  deps: Deps,
  { takeAddress, look, commits }: ChoiceParts,
  asset: Asset,
  choice: AssetChoice,
): Promise<InvoiceSnapshot> {
  const { withoutToken } = choice;
  let stale: FreshAddress | undefined;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const seen = await look(choice.invoiceId);
    const judged = await judge(deps, deps.db.em, asset, seen);
    // Before any row is locked, as both may ask the database on other connections.
    const rate = judged.isLive ? null : quoteNow(deps, seen, asset);
    const terms = judged.isLive ? null : termsOf(deps, judged, asset, rate);
    const address = terms && (await takeAddress(terms.chain, stale));
    const plain =
      terms &&
      address &&
      makePlainQuote(deps, judged.invoice, judged.payments, {
        ...terms,
        asset,
        address,
        due: judged.due,
        withoutToken,
      });
    const insertion = plain ? await commits.submit(plain.row) : 'CHANGED';
    if (plain && insertion === 'ACCEPTED') {
      deps.signals.events();
      return plain.snapshot;
    }
    const snapshot =
      insertion === 'CHANGED'
        ? await inTransaction(deps, (inside) => storeChoice(deps, inside, asset, choice, { rate, address }))
        : null;
    if (snapshot) return snapshot;
    stale = address ?? undefined;
  }
  throw new GatewayError('NETWORK_UNAVAILABLE', { message: 'The database changes its server too often to be used' });
}

/** What was taken for a quote before the invoice was locked; null where a live quote was found. */
interface Taken {
  readonly rate: QuotedRate | null;
  readonly address: FreshAddress | null;
}

/** Judges the choice again under the invoice's lock, and stores it; null if its address has become stale meanwhile. */
async function storeChoice(
  deps: Deps,
  em: EntityManager,
  asset: Asset,
  { invoiceId, withoutToken }: AssetChoice,
  { rate, address }: Taken,
): Promise<InvoiceSnapshot | null> {
  const invoice = await lockInvoice(em, invoiceId);
  const payments = (await readQuotedPayments(em, [invoiceId])).get(invoiceId) ?? [];
  const judged = await judge(deps, em, asset, { invoice, payments });
  if (!judged.isLive) {
    if (address === null || !(await isStillGiven(em, address.given))) return null;
    const terms = termsOf(deps, judged, asset, rate);
    await storeQuote(deps, em, judged.invoice, { ...terms, asset, address, due: judged.due, withoutToken });
  }
  return snapshotStored(deps, em, invoiceId, null);
}

async function lockInvoice(em: EntityManager, id: string): Promise<Invoice> {
  const [invoice] = await readRows(em, Invoice, 'where id = $1 for update', [id]);
  if (!invoice) throw new GatewayError('NOT_FOUND');
  return invoice;
}

/** An invoice, and what its payments have brought. */
interface SeenInvoice {
  readonly invoice: Invoice;
  readonly payments: readonly ReadQuotedPayment[];
}

/** Reads an invoice without locking it, with its merchant; throws 2004 if there is none. */
type Look = (id: string) => Promise<SeenInvoice & { readonly merchant: RateMerchant }>;

/** Makes the looks of a process: those at one moment share their statements. */
function createLook({ db }: Pick<Deps, 'db'>): Look {
  const { em } = db;
  const readInvoice = createBatchedReader<Invoice>(async (ids) => {
    const invoices = await readRows(em, Invoice, 'where id = any($1)', [ids]);
    return new Map(invoices.map((invoice) => [invoice.id, invoice]));
  });
  const readPayments = createBatchedReader((ids) => readQuotedPayments(em, ids));
  const readMerchant = createBatchedReader((ids) => readRateMerchants(em, ids));
  return async (id) => {
    const invoice = await readInvoice(id);
    if (!invoice) throw new GatewayError('NOT_FOUND');
    const [payments, merchant] = await Promise.all([readPayments(id), readMerchant(invoice.merchantId)]);
    if (!merchant) throw new GatewayError('NOT_FOUND');
    return { invoice, payments: payments ?? [], merchant };
  };
}

/** An invoice that takes a choice, with what its payments have brought. */
interface Judged {
  readonly invoice: Invoice;
  readonly payments: readonly ReadQuotedPayment[];
  /** What is due, as a value. */
  readonly due: bigint;
  /** Whether the asset has a quote that still holds, so that no other is made. */
  readonly isLive: boolean;
}

/** Judges what the invoice alone decides. Errors: 3009, 3001. */
async function judge(deps: Deps, em: EntityManager, asset: Asset, { invoice, payments }: SeenInvoice): Promise<Judged> {
  const now = deps.clock.now();
  const takesMore = (invoice.status === 'OPEN' || invoice.status === 'PARTIALLY_PAID') && now < invoice.expiresAt;
  if (!takesMore) throw new GatewayError('TAKES_NO_MORE');
  const isLive = payments.some((each) => holds(invoice, payments, each, asset, now));
  if (!isLive && (await isLinkClosed(em, invoice, now))) throw new GatewayError('TAKES_NO_MORE');
  const accepted = invoice.acceptedAssets ?? (await readAcceptedAssets(em, invoice.merchantId));
  if (accepted && !accepted.some(({ currency, network }) => currency === asset.currency && network === asset.network))
    throw new GatewayError('UNSUPPORTED_ASSET', { message: 'The invoice does not accept this asset' });
  return { invoice, payments, due: dueOf(invoice, payments), isLive };
}

/**
 * Whether the payment link of an invoice takes no more. An invoice for which money has come is completed all the same.
 */
export async function isLinkClosed(
  em: EntityManager,
  { linkId, status }: Pick<Invoice, 'linkId' | 'status'>,
  now: Date,
): Promise<boolean> {
  return linkId != null && status === 'OPEN' && !(await isLinkOpen(em, linkId, now));
}

/** What is due of an invoice after what these payments have brought, as a value. */
function dueOf(invoice: Invoice, payments: readonly ReadQuotedPayment[]): bigint {
  const { valueReceived, valueSetAside } = worthOfAll(payments);
  return priceAsValue(invoice.amount, decimalsOf(invoice.currency)) - valueReceived + valueSetAside;
}

/** Whether a quote still holds: it is open, and the others have brought what they had when it was made. */
function holds(
  invoice: Invoice,
  payments: readonly ReadQuotedPayment[],
  each: ReadQuotedPayment,
  { currency, network }: AcceptedAsset,
  now: Date,
): boolean {
  const { payment, quote } = each;
  const isOpen = payment.status === 'PENDING' || payment.status === 'PARTIALLY_PAID';
  if (!isOpen || payment.currency !== currency || payment.network !== network || quote.endsAt <= now) return false;
  const others = payments.filter((other) => other !== each);
  return dueOf(invoice, others) === quote.due;
}

/** What the merchant's settings accept; null for all that is available. */
export async function readAcceptedAssets(
  em: EntityManager,
  merchantId: string,
): Promise<readonly AcceptedAsset[] | null> {
  const [row] = await query<{ accepted: readonly AcceptedAsset[] | null }>(
    em,
    'select accepted_assets as accepted from merchant where id = $1',
    [merchantId],
  );
  return row?.accepted ?? null;
}

/** The rate that a quote would take now, by the spread that the invoice was created with; null if there is none. */
const quoteNow = (
  { rates }: Deps,
  { invoice: { spread, currency }, merchant }: { readonly invoice: Invoice; readonly merchant: RateMerchant },
  asset: Asset,
): QuotedRate | null => rates?.quote({ ...merchant, spread }, asset.currency, currency) ?? null;

/** What an asset would cost, and where it is paid. Errors: 3002, 3003, 3007, 3010, 3011. */
function termsOf(deps: Deps, { due, payments }: Judged, asset: Asset, rate: QuotedRate | null): Terms {
  const units = rate && coinAmount(due, rate.rate, asset);
  if (units !== null) refuseOutsideLimits('ORDER', asset, units, deps.chains);
  const chain = requireChain('ORDER', deps, asset);
  if (rate === null || units === null) throw new GatewayError('NO_RATE', { retryAfterSeconds: 30 });
  const since = deps.clock.now().getTime() - DAY_MS;
  const inDay = payments.filter(({ quote }) => quote.quotedAt.getTime() > since).length;
  if (inDay >= MOST_QUOTES.inDay || payments.length >= MOST_QUOTES.inAll) throw new GatewayError('TOO_MANY_CHOICES');
  return { chain, rate, units };
}
