// The rows of a batch as a caller sends them: read, and refused with every fault by its row, before anything is locked.

import { formatAmount } from '../../values/amount.ts';
import type { Asset, Network } from '../../values/assets.ts';
import { GatewayError, invalid, type ErrorName, type Fault } from '../../values/errors.ts';
import type { Chain, Deps } from '../deps.ts';
import { readNamedAmount, requireChain } from '../requested-amount.ts';
import { readDestinations } from './address-book.ts';
import { readPayoutFee, type PayoutFee } from './fees.ts';
import { parseRecipient } from './recipient.ts';

/** A row of a batch: a withdrawal of an amount, to exactly one of address and addressId. */
export interface BatchRow {
  readonly currency: string;
  readonly network: string;
  /** A decimal string. */
  readonly amount: string;
  readonly address?: string | null;
  readonly addressId?: string | null;
  readonly merchantWithdrawalId?: string | null;
}

/** A row that was read. */
export interface ReadRow extends PayoutFee {
  readonly asset: Asset & { readonly network: Network };
  /** Base units. */
  readonly amount: bigint;
  readonly chain: Chain;
  /** Where it goes, and the key by which addresses are compared. */
  readonly address: string;
  readonly key: string;
  /** The entry of the book that the caller named. */
  readonly named: string | null;
  readonly merchantWithdrawalId: string | null;
}

/** The field that a code is about; `address` stands for whichever of the two the row has. */
const FIELDS: Partial<Record<ErrorName, keyof BatchRow>> = {
  UNSUPPORTED_ASSET: 'currency',
  NOT_FOUND: 'addressId',
  BAD_ADDRESS: 'address',
  NOT_IN_BOOK: 'address',
  DUPLICATE_WITHDRAWAL: 'merchantWithdrawalId',
};

/** The faults of a row that alone would be refused with an error. */
export function faultsOf(nth: number, row: Pick<BatchRow, 'addressId'>, error: GatewayError): Fault[] {
  const {
    errorName,
    message,
    details = [],
    row: { code },
  } = error;
  const named = FIELDS[errorName] ?? 'amount';
  const field = named === 'address' && row.addressId != null ? 'addressId' : named;
  const path = (name: string) => `input.rows.${String(nth)}.${name}`;
  if (details.length === 0) return [{ path: path(field), message, code }];
  return details.map((fault) => ({ path: path(fault.path.replace(/^input\./, '')), message: fault.message, code }));
}

/** What `work` returns, or the error that it refuses a row with. */
export function attempt<Result>(work: () => Result): Result | GatewayError {
  try {
    return work();
  } catch (error) {
    if (error instanceof GatewayError && error.errorName !== 'NETWORK_UNAVAILABLE') return error;
    throw error;
  }
}

/**
 * Reads the rows. Errors: 2001, which names each fault by its row and code (3001, 3002, 3003, 2001, 2004, 4002, 4005);
 * 3007 where the network of one does not serve withdrawals.
 */
export async function readRows(
  deps: Deps,
  merchantId: string,
  rows: readonly BatchRow[],
  { allowDuplicates }: { readonly allowDuplicates: boolean },
): Promise<ReadRow[]> {
  const faults: Fault[] = [];
  const note = (nth: number, error: GatewayError) => void faults.push(...faultsOf(nth, rows[nth] ?? {}, error));
  const named = rows.flatMap((row, nth) => {
    const read = attempt(() => readNamedAmount('WITHDRAWAL', deps.chains, row));
    if (read instanceof GatewayError) note(nth, read);
    return read instanceof GatewayError || read.units === null ? [] : [{ ...read, units: read.units, row, nth }];
  });
  const where = named.map(({ row, asset }) => ({ ...row, network: asset.network }));
  const destinations = await readDestinations(deps, merchantId, where);
  const read = named.flatMap(({ asset, units, row, nth }, place) => {
    const chain = requireChain('WITHDRAWAL', deps, asset);
    const text = destinations[place] ?? new GatewayError('NOT_FOUND');
    const recipient = text instanceof GatewayError ? text : attempt(() => parseRecipient(chain.adapter, text));
    if (recipient instanceof GatewayError) note(nth, recipient);
    if (recipient instanceof GatewayError) return [];
    const { address, key } = recipient;
    const own = { named: row.addressId ?? null, merchantWithdrawalId: row.merchantWithdrawalId ?? null };
    return [{ asset, amount: units, chain, address, key, ...own, nth }];
  });
  faults.push(...repeatsOf(read, allowDuplicates));
  if (faults.length > 0) throw invalid(faults);
  return withFees(read);
}

/** Rows that have the id of an earlier one, or, unless that is allowed, its asset, address and amount. */
function repeatsOf(
  read: readonly (Omit<ReadRow, keyof PayoutFee> & { readonly nth: number })[],
  allowDuplicates: boolean,
): Fault[] {
  const [ids, payouts] = [new Map<string, number>(), new Map<string, number>()];
  return read.flatMap(({ asset, amount, key, named, merchantWithdrawalId: id, nth }) => {
    const sameId = id === null ? undefined : ids.get(id);
    if (id !== null && sameId === undefined) ids.set(id, nth);
    if (sameId !== undefined) {
      const message = `row ${String(sameId)} has this id`;
      return faultsOf(nth, { addressId: named }, new GatewayError('DUPLICATE_WITHDRAWAL', { message }));
    }
    const payout = `${asset.currency}/${asset.network}/${key}/${String(amount)}`;
    const same = payouts.get(payout);
    if (same === undefined) payouts.set(payout, nth);
    if (same === undefined || allowDuplicates) return [];
    const what = `${formatAmount(amount, asset.decimals)} ${asset.currency}`;
    const message = `row ${String(same)} pays ${what} to this address as well; say allowDuplicates to pay both`;
    return faultsOf(nth, {}, invalid([{ path: named === null ? 'input.address' : 'input.addressId', message }]));
  });
}

/** How many recipients nodes are asked about at once. */
const AT_ONCE = 20;

/** The rows with what each is charged; a node is asked once for each recipient, where it has to be. Errors: 3007. */
async function withFees(read: readonly Omit<ReadRow, keyof PayoutFee>[]): Promise<ReadRow[]> {
  const placeOf = ({ asset, address }: Pick<ReadRow, 'asset' | 'address'>) =>
    `${asset.currency}/${asset.network}/${address}`;
  const recipients = [...new Map(read.map((row) => [placeOf(row), row])).values()];
  const fees = new Map<string, PayoutFee>();
  for (let from = 0; from < recipients.length; from += AT_ONCE)
    await Promise.all(
      recipients.slice(from, from + AT_ONCE).map(async (row) => {
        fees.set(placeOf(row), await readPayoutFee(row.chain, row.asset.currency, row.address));
      }),
    );
  return read.map((row) => ({ ...row, ...(fees.get(placeOf(row)) ?? { networkFee: 0n, opensAccount: false }) }));
}
