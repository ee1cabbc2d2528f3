// Movements: one row for each posting that touches a merchant, from which their balances can be worked out anew
// (contract-people-payouts, section E).

import {
  listMovements,
  type MovementListFilter,
  type MovementPosting,
  type MovementRow,
} from '../../database/queries/ledger/list-movements.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, isSupported, parseNetwork } from '../../values/assets.ts';
import { parseDate } from '../../values/checks.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { priceDecimals } from '../../values/prices/currencies.ts';
import { RATE_DECIMALS, readRate, shownHalfUp, valueAt } from '../../values/prices/price.ts';
import type { Deps } from '../deps.ts';

/** What a movement is, by its accounts and its reference. */
export const MOVEMENT_TYPES = [
  ...(['DEPOSIT', 'FEE', 'REVERSAL', 'RECEIVABLE', 'RESERVE', 'RELEASE'] as const),
  ...(['WITHDRAWAL', 'REFUND', 'NETWORK_FEE', 'CORRECTION'] as const),
] as const;
export type MovementType = (typeof MOVEMENT_TYPES)[number];

/** A posting as its merchant reads it. Amounts are decimal strings without a sign; what is not known is null. */
export interface Movement {
  readonly id: string;
  readonly at: Date;
  readonly type: MovementType;
  /** Where it was, and where it is: outside, available, reserved, receivable, fee, network_fee or suspense. */
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly orderId: string | null;
  readonly withdrawalId: string | null;
  readonly refundId: string | null;
  readonly txHash: string | null;
  readonly fiatCurrency: string | null;
  readonly fiatRate: string | null;
  readonly fiatAmount: string | null;
}

/** Which movements. Dates as `YYYY-MM-DD` or ISO 8601, the end date included. */
export interface MovementFilter {
  readonly startDate?: string | null;
  readonly endDate?: string | null;
  readonly currency?: string | null;
  readonly network?: string | null;
}

interface Page {
  readonly limit: number;
  /** The movement after which the page begins; null for the first page. */
  readonly before: string | null;
  readonly oldestFirst: boolean;
}

const DAY_MS = 86_400_000;
/** How much time a list that begins with the oldest covers: such lists are read whole. */
const MOST_DAYS = 366;

/**
 * A page of a merchant's movements. Oldest first it is of at most 366 days, and of those before the end without a
 * start. Errors: 2001, 3001.
 */
export async function findMovements(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  merchantId: string,
  filter: MovementFilter,
  { limit, before, oldestFirst }: Page,
): Promise<{ nodes: Movement[]; hasMore: boolean }> {
  const within = { merchantId, ...rangeOf(filter, oldestFirst, clock.now()), ...assetOfFilter(filter) };
  const [at = null, posting = ''] = before?.split('/') ?? [];
  const place = { oldestFirst, at, limit: limit + 2 };
  const rows = await readAnywhere(db, ({ pool }) => listMovements(pool, within, place));
  const isAfter = ({ id }: MovementPosting) =>
    oldestFirst ? BigInt(id) > BigInt(posting) : BigInt(id) < BigInt(posting);
  const nodes = rows.flatMap((row) => {
    const rest = row.id === at ? row.postings.filter(isAfter) : row.postings;
    const inOrder = oldestFirst ? rest : rest.toReversed();
    return inOrder.map((each) => toMovement(row, each));
  });
  return { nodes: nodes.slice(0, limit), hasMore: nodes.length > limit };
}

type Range = Pick<MovementListFilter, 'from' | 'until'>;

function rangeOf({ startDate, endDate }: MovementFilter, oldestFirst: boolean, now: Date): Range {
  const from = startDate == null ? null : parseDate(startDate, 'start');
  const until = endDate == null ? null : parseDate(endDate, 'end');
  if (!oldestFirst) return { from, until };
  const end = until ?? now;
  const first = new Date(end.getTime() - MOST_DAYS * DAY_MS);
  if (from && from < first)
    throw invalid([{ path: 'startDate', message: `must be at most ${MOST_DAYS} days before endDate` }]);
  return { from: from ?? first, until };
}

function assetOfFilter({ currency, network }: MovementFilter): Pick<MovementListFilter, 'currency' | 'network'> {
  const code = network == null ? null : parseNetwork(network);
  const isKnown = currency == null || isSupported(currency, code);
  if ((network != null && code === null) || !isKnown) throw new GatewayError('UNSUPPORTED_ASSET');
  return { currency: currency?.toUpperCase() ?? null, network: code };
}

/** The names of accounts; those of the gateway that are not named are outside. */
const PLACES: Readonly<Record<string, string>> = {
  ...{ available: 'available', reserved: 'reserved', receivable: 'receivable', suspense: 'suspense' },
  ...{ fees: 'fee', costs: 'network_fee' },
};

const placeOf = (purpose: string): string => PLACES[purpose] ?? 'outside';

/** The type of a posting between two places, of the transaction with this reference. */
export function movementType(from: string, to: string, reference: string): MovementType {
  const isBetween = (one: string, other: string) => (from === one && to === other) || (from === other && to === one);
  if (from === 'fee' || to === 'fee') return 'FEE';
  if (from === 'network_fee' || to === 'network_fee') return 'NETWORK_FEE';
  if (from === 'outside' && to === 'available') return 'DEPOSIT';
  if (to === 'outside' && (from === 'available' || from === 'receivable')) return 'REVERSAL';
  if (isBetween('available', 'receivable') || isBetween('reserved', 'receivable')) return 'RECEIVABLE';
  if (from === 'available' && to === 'reserved') return 'RESERVE';
  if (from === 'reserved' && to === 'available') return 'RELEASE';
  if (from === 'reserved' && to === 'outside') return payoutOf(reference)?.startsWith('rfd_') ? 'REFUND' : 'WITHDRAWAL';
  return 'CORRECTION';
}

/** The payout of a reference such as `reserve/wdr_…`. */
const payoutOf = (reference: string): string | undefined => /^[a-z]+\/((?:wdr|rfd)_[^/]+)$/.exec(reference)?.[1];

/** The types whose transaction on the chain is theirs, and not that of what happened later. */
const ON_CHAIN: readonly MovementType[] = ['DEPOSIT', 'FEE', 'REVERSAL', 'WITHDRAWAL', 'REFUND', 'NETWORK_FEE'];

function toMovement(row: MovementRow, posting: MovementPosting): Movement {
  const { id, at, reference, paymentId, txHash, fiatCurrency, fiatRate } = row;
  const { currency, network, source, destination } = posting;
  const [from, to] = [placeOf(source), placeOf(destination)];
  const type = movementType(from, to, reference);
  const units = BigInt(posting.amount);
  const asset = assetOf({ currency, network });
  const payout = payoutOf(reference);
  const rate = fiatRate === null ? null : readRate(fiatRate);
  const decimals = priceDecimals(fiatCurrency ?? '') ?? 0;
  return {
    ...{ id: `${id}/${posting.id}`, at, type, from, to, currency, network },
    amount: formatAmount(units, asset.decimals),
    orderId: paymentId,
    withdrawalId: payout?.startsWith('wdr_') ? payout : null,
    refundId: payout?.startsWith('rfd_') ? payout : null,
    txHash: ON_CHAIN.includes(type) ? txHash : null,
    fiatCurrency,
    fiatRate: rate === null ? null : formatAmount(rate, RATE_DECIMALS),
    fiatAmount: rate === null ? null : formatAmount(shownHalfUp(valueAt(rate, units, asset), decimals), decimals),
  };
}
