// Creating an invoice: a price, and what becomes of it. It needs no rate at that moment and takes no address: both are
// for the customer's choice of an asset.

import { insertNew, readRows } from '../../database/rows.ts';
import { createBatchedReader } from '../../database/batched-reader.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import { createGroupCommit, type GroupCommit } from '../../database/group-commit.ts';
import {
  insertInvoices,
  type InvoiceInsertion,
  type NewInvoiceRow,
} from '../../database/queries/invoices/insert-invoices.ts';
import { hasSqlState, UNIQUE_VIOLATION } from '../../database/sql-state.ts';
import type { LatePaymentPolicy } from '../../entities/enums.ts';
import { Invoice, type AcceptedAsset } from '../../entities/invoice.ts';
import { formatAmount, parseAmount } from '../../values/amount.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import { priceDecimals } from '../../values/prices/currencies.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { invoiceEventRow, recordEvents, toRecord, type EventRow } from '../events/record.ts';
import {
  digestOf,
  nameOf,
  storeAnswer,
  takeKey,
  whileInFlight,
  type IdempotencyKey,
  type IdempotentResult,
} from '../idempotency.ts';
import { refuseBadCallback } from '../payments/create-payment.ts';
import { readRateMerchants, type RateMerchant } from '../rates/rates.ts';
import { requireAsset } from '../requested-amount.ts';
import { invoiceFromPayload, invoicePayloadOf, snapshotInvoice, type InvoiceSnapshot } from '../snapshots/invoice.ts';
import { snapshotStored } from './read-invoices.ts';
import type { CreateInvoice, CreateInvoiceInput, InvoiceOrigin, NamedAsset } from './requests.ts';

type CreateDeps = Deps & { readonly secrets: Pick<Secrets, 'idempotencyKey'> };

/**
 * Makes the create operation of this process (contract-invoices, sections 1, 3 and 6). Nothing is stored when it fails.
 * The same input under a `merchantInvoiceId` again answers the invoice as it is now. Errors, in the order of the
 * checks: 2001 (currency, amount), 3003, 3001, 2001 (assets), 5001, 3008, then 2003, 2002 and 3004.
 */
export function createInvoiceCreator(deps: CreateDeps): CreateInvoice {
  const { em } = deps.db;
  const commits = createGroupCommit<NewInvoiceRow, InvoiceInsertion>({
    run: (batch) => insertInvoices(deps.db, batch),
  });
  const readDefaults = createBatchedReader((ids) => readDefaultsOf(em, ids));
  const readMerchant = createBatchedReader((ids) => readRateMerchants(em, ids));
  return async (merchantId, input, once, origin) => {
    const price = readPrice(input);
    const [defaults, rateMerchant] = await Promise.all([readDefaults(merchantId), readMerchant(merchantId)]);
    if (!defaults || !rateMerchant) throw new GatewayError('INVALID_TOKEN');
    const acceptedAssets = origin ? origin.acceptedAssets : readOwn(input, defaults.acceptedAssets);
    // A link was checked when it was created: its customer can do nothing about what has changed since.
    if (!origin) {
      if (input.callbackUrl != null) refuseBadCallback(deps, input.callbackUrl);
      refuseUnquoted(deps, rateMerchant, price.currency);
    }
    const terms = { ...price, ...defaults, acceptedAssets, spread: rateMerchant.spread };
    return whileInFlight(once, async () => {
      const invoice = newInvoice(deps, merchantId, input, terms, origin ?? null);
      // An invoice of a link is refused by what only its own transaction can see.
      const isStored = !origin && (await storeFresh(deps, commits, invoice, once));
      const answer = isStored
        ? { result: snapshotInvoice(invoice, [], deps), replayed: false }
        : await inTransaction(deps, (inside) => storeOnce(deps, inside, invoice, once, origin));
      if (!answer.replayed) deps.signals.events();
      return answer;
    });
  };
}

/** Stores an invoice by the statement that many share; false if its key or its reference is, or may be, used. */
async function storeFresh(
  deps: CreateDeps,
  commits: GroupCommit<NewInvoiceRow, InvoiceInsertion>,
  invoice: Invoice,
  once: IdempotencyKey | null,
): Promise<boolean> {
  const snapshot = snapshotInvoice(invoice, [], deps);
  const row: NewInvoiceRow = {
    invoice,
    event: toRecord(createdEvent(deps, invoice, snapshot)),
    once: once && { ...once, lock: nameOf(once), result: JSON.stringify(invoicePayloadOf(snapshot)) },
  };
  try {
    return (await commits.submit(row)) === 'ACCEPTED';
  } catch (error) {
    // Another process has committed one under the same key or reference meanwhile.
    if (hasSqlState(error, UNIQUE_VIOLATION)) return false;
    throw error;
  }
}

const createdEvent = (
  { environment }: CreateDeps,
  { merchantId, version, createdAt: at }: Invoice,
  invoice: InvoiceSnapshot,
): EventRow => invoiceEventRow(environment, { type: 'invoice.created', merchantId, version, invoice, at });

/** A price as it is stored: minor units of a currency. */
interface Price {
  readonly amount: bigint;
  readonly currency: string;
}

/** The most digits of a price before the point. */
const MOST_DIGITS = 12;

/**
 * Reads a price in any case; `path` is that of the amount. Errors: 2001 (currency; more decimals than it has), 3003.
 */
export function readPrice(
  { amount, currency: code }: Pick<CreateInvoiceInput, 'amount' | 'currency'>,
  path = 'input.amount',
): Price {
  const currency = code.toUpperCase();
  const decimals = priceDecimals(currency);
  if (decimals === null) {
    const message = 'must be an ISO 4217 code, or the code of a coin without its network';
    throw invalid([{ path: 'input.currency', message }]);
  }
  const units = parseAmount(amount, decimals);
  if (units === null) throw invalid([{ path, message: `${currency} has at most ${String(decimals)} decimals here` }]);
  const most = 10n ** BigInt(MOST_DIGITS + decimals) - 1n;
  if (units > most) {
    const message = `The greatest amount is ${formatAmount(most, decimals)} ${currency}`;
    throw new GatewayError('ABOVE_MAXIMUM', { message });
  }
  return { amount: units, currency };
}

const isSame = (one: AcceptedAsset, other: AcceptedAsset): boolean =>
  one.currency === other.currency && one.network === other.network;

/**
 * Reads a list of accepted assets: canonical codes, none twice, all among the merchant's (null: any). Errors: 3001,
 * 2001.
 */
export function readAccepted(
  named: readonly NamedAsset[],
  among: readonly AcceptedAsset[] | null,
): readonly AcceptedAsset[] {
  const assets = named.map(({ currency: code, network: name }): AcceptedAsset => {
    const { currency, network } = requireAsset(code, name);
    return { currency, network };
  });
  const faults = assets.flatMap((asset, index) => {
    const path = `input.acceptedAssets.${String(index)}`;
    if (assets.slice(0, index).some((earlier) => isSame(earlier, asset))) return [{ path, message: 'is listed twice' }];
    const isOutside = among !== null && !among.some((accepted) => isSame(accepted, asset));
    return isOutside ? [{ path, message: 'is not among the assets that your settings accept' }] : [];
  });
  if (faults.length > 0) throw invalid(faults);
  return assets;
}

const readOwn = ({ acceptedAssets }: CreateInvoiceInput, among: readonly AcceptedAsset[] | null) =>
  acceptedAssets ? readAccepted(acceptedAssets, among) : null;

/** 3008 for a currency that never had a rate here, nor a fixed one of the merchant's. */
export function refuseUnquoted({ rates }: Pick<Deps, 'rates'>, merchant: RateMerchant, currency: string): void {
  if (!rates?.knows(merchant, currency)) throw new GatewayError('NOT_QUOTED');
}

/** What a merchant's settings say of new invoices. */
interface InvoiceDefaults {
  readonly expirationMinutes: number;
  readonly quoteMinutes: number;
  readonly acceptedAssets: readonly AcceptedAsset[] | null;
  readonly toleranceBasisPoints: number;
  readonly latePaymentPolicy: LatePaymentPolicy;
  readonly defaultReturnUrl: string | null;
}

async function readDefaultsOf(
  em: EntityManager,
  merchantIds: readonly string[],
): Promise<Map<string, InvoiceDefaults>> {
  const rows = await query<InvoiceDefaults & { readonly id: string }>(
    em,
    `select id, invoice_expiration_minutes as "expirationMinutes", quote_minutes as "quoteMinutes",
       accepted_assets as "acceptedAssets", tolerance_basis_points as "toleranceBasisPoints",
       late_payment_policy as "latePaymentPolicy", default_return_url as "defaultReturnUrl"
     from merchant where id = any ($1)`,
    [merchantIds],
  );
  return new Map(rows.map(({ id, ...defaults }) => [id, defaults]));
}

function newInvoice(
  { clock, environment, secrets }: CreateDeps,
  merchantId: string,
  input: CreateInvoiceInput,
  terms: Price & InvoiceDefaults & { readonly spread: number },
  origin: InvoiceOrigin | null,
): Invoice {
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + (input.expirationMinutes ?? terms.expirationMinutes) * 60_000);
  const merchantInvoiceId = input.merchantInvoiceId ?? null;
  return {
    ...NEW,
    id: newId('inv', now.getTime()),
    merchantId,
    linkId: origin?.linkId ?? null,
    amount: terms.amount,
    currency: terms.currency,
    test: environment === 'sandbox' ? (input.test ?? false) : null,
    description: input.description ?? null,
    merchantInvoiceId,
    customerEmail: input.customerEmail ?? null,
    customer: origin?.customer ?? null,
    returnUrl: input.returnUrl ?? terms.defaultReturnUrl,
    callbackUrl: input.callbackUrl ?? null,
    metadata: input.metadata ?? null,
    acceptedAssets: terms.acceptedAssets,
    toleranceBasisPoints: terms.toleranceBasisPoints,
    latePaymentPolicy: terms.latePaymentPolicy,
    spread: terms.spread,
    quoteMinutes: terms.quoteMinutes,
    expiresAt,
    deadline: expiresAt,
    inputDigest: merchantInvoiceId === null ? null : digestOf(secrets, withoutNulls(input)).toString('hex'),
    createdAt: now,
    updatedAt: now,
  };
}

/** How every invoice begins. */
const NEW = {
  ...({ status: 'OPEN', exception: null, version: 1 } as const),
  ...{ valueReceived: 0n, valueConfirmed: 0n, valueRefunded: 0n, valueSetAside: 0n },
  ...{ processingSince: null, lateFromStatus: null, lateFromException: null, acceptedAt: null, settledAt: null },
  ...{ lostFromStatus: null, lostFromException: null, lostAt: null },
};

/** A field that is null is the same input as one that is left out. */
const withoutNulls = (input: object): object =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));

/** Stores an invoice with its event and the answer, unless its key or its reference was used before. */
async function storeOnce(
  deps: CreateDeps,
  em: EntityManager,
  invoice: Invoice,
  once: IdempotencyKey | null,
  origin: InvoiceOrigin | undefined,
): Promise<IdempotentResult<InvoiceSnapshot>> {
  const earlier = once && (await takeKey<Record<string, unknown>>(em, once));
  // Its own id is in the answer if it was stored by a commit that was not confirmed.
  if (earlier) return replay(invoice, invoiceFromPayload(earlier));
  await origin?.refuse(em);
  const isNew = await insertNew(em, Invoice, invoice);
  const result = isNew ? snapshotInvoice(invoice, [], deps) : await readRepeated(deps, em, invoice);
  if (isNew) await recordEvents(em, [createdEvent(deps, invoice, result)]);
  if (once && !(await storeAnswer(em, once, invoicePayloadOf(result), invoice.createdAt)))
    throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
  return isNew ? { result, replayed: false } : replay(invoice, result);
}

const replay = ({ id }: Invoice, result: InvoiceSnapshot) => ({ result, replayed: result.id !== id });

/** The invoice under the same reference, as it is now. Errors: 3004 if it was created by other input. */
async function readRepeated(
  deps: CreateDeps,
  em: EntityManager,
  { merchantId, merchantInvoiceId, inputDigest }: Invoice,
): Promise<InvoiceSnapshot> {
  const [stored] = await readRows(em, Invoice, 'where merchant_id = $1 and merchant_invoice_id = $2', [
    merchantId,
    merchantInvoiceId,
  ]);
  if (!stored) throw new Error('An invoice was refused by a reference that is not there');
  if (stored.inputDigest !== inputDigest) throw new GatewayError('REFERENCE_USED');
  const result = await snapshotStored(deps, em, stored.id, merchantId);
  if (!result) throw new Error('An invoice has gone, which none does');
  return result;
}
