// Reports from the ledger: credits, fees, refunds and withdrawals by day, week or month.

import { readFiatSums, type FiatSums } from '../../database/queries/ledger/fiat-sums.ts';
import { readReport, type ReportRow, type ReportUnit } from '../../database/queries/ledger/report.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, isSupported, parseNetwork } from '../../values/assets.ts';
import { parseDate } from '../../values/checks.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { priceDecimals } from '../../values/prices/currencies.ts';
import type { Deps } from '../deps.ts';

/** A report's request. Dates as `YYYY-MM-DD` or ISO 8601, the end date included. Default: the last 30 days, by day. */
export interface ReportRequest {
  readonly startDate?: string | null;
  readonly endDate?: string | null;
  readonly currency?: string | null;
  readonly network?: string | null;
  readonly groupBy?: ReportUnit | null;
  /** Whether what came in is valued in fiat, too. */
  readonly fiat?: boolean | null;
}

/** The sums of one asset, as decimal strings; negative if more was reversed than credited. */
export interface ReportSums {
  readonly currency: string;
  readonly network: string;
  /** How many payments were credited. */
  readonly payments: number;
  /** Credited deposits less reversed ones, before the fee. */
  readonly gross: string;
  readonly fees: string;
  /** `gross` less `fees`. */
  readonly net: string;
  /** Completed refunds and withdrawals, without their network fees. */
  readonly refunded: string;
  readonly withdrawn: string;
  /** What the receipts of `gross` are all valued in; null if that differs, for none, and unless it was asked for. */
  readonly fiatCurrency: string | null;
  /** `gross` by the receipts' values; null where one lacks its value. */
  readonly fiatGross: string | null;
}

export interface Report {
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  readonly totals: readonly ReportSums[];
  /** `period` is a day `2026-11-21`, an ISO week `2026-W47` or a month `2026-11`, in UTC. */
  readonly rows: readonly (ReportSums & { readonly period: string })[];
}

const DAY_MS = 86_400_000;
/** Ten years: at most about ten thousand rows for an asset. */
const LONGEST_DAYS = 3_660;

/** A report whose request is checked and whose sums are read on demand. */
export interface OpenReport extends Pick<Report, 'from' | 'to'> {
  /** Reads the rows and totals; repeated calls share one read. */
  read(): Promise<Pick<Report, 'totals' | 'rows'>>;
  /** Reads only the totals. */
  readTotals(): Promise<Report['totals']>;
}

/** Checks a request for a report. Errors: 2001, 3001. */
export function openReport(deps: Pick<Deps, 'db' | 'clock'>, merchantId: string, request: ReportRequest): OpenReport {
  const unit = request.groupBy ?? 'day';
  const { from, until } = rangeOf(request, deps.clock.now());
  const asset = assetFilterOf(request);
  const rowsBy = async (unit: ReportUnit | 'millennium'): Promise<ValuedRow[]> => {
    const filter = { merchantId, from, until, ...asset, unit };
    const [rows, sums] = await readAnywhere(deps.db, async ({ em }) => [
      await readReport(em, filter),
      request.fiat === true ? await readFiatSums(em, filter) : [],
    ]);
    const sumOf = new Map(sums.map((sum) => [nameOf(sum), sum]));
    return rows.map((row) => ({ ...row, worth: sumOf.get(nameOf(row)) ?? null }));
  };
  const totalsOf = (rows: readonly ValuedRow[]) => rows.filter(({ period }) => period === null).map(toSums);
  const read = async () => {
    const rows = await rowsBy(unit);
    return {
      totals: totalsOf(rows),
      rows: rows.flatMap((row) => (row.period === null ? [] : [{ period: labelOf(row.period, unit), ...toSums(row) }])),
    };
  };
  let reading: ReturnType<typeof read> | undefined;
  const readTotals = async () => totalsOf(await rowsBy('millennium'));
  return { from, to: until, read: () => (reading ??= read()), readTotals };
}

/** Makes a report. Errors: 2001, 3001. */
export async function makeReport(
  deps: Pick<Deps, 'db' | 'clock'>,
  merchantId: string,
  request: ReportRequest,
): Promise<Report> {
  const { from, to, read } = openReport(deps, merchantId, request);
  return { from, to, ...(await read()) };
}

function rangeOf({ startDate, endDate }: ReportRequest, now: Date): { from: Date; until: Date } {
  const until = endDate == null ? now : (parseDate(endDate, 'end') ?? now);
  const byDefault = new Date(Math.floor(until.getTime() / DAY_MS) * DAY_MS - 29 * DAY_MS);
  const from = startDate == null ? byDefault : (parseDate(startDate, 'start') ?? byDefault);
  if (from >= until) throw invalid([{ path: 'input.endDate', message: 'must not be before startDate' }]);
  if (until.getTime() - from.getTime() > LONGEST_DAYS * DAY_MS)
    throw invalid([{ path: 'input.startDate', message: 'must be at most ten years before endDate' }]);
  return { from, until };
}

function assetFilterOf({ currency, network }: ReportRequest): { currency: string | null; network: string | null } {
  const code = network == null ? null : parseNetwork(network);
  if (network != null && code === null) throw new GatewayError('UNSUPPORTED_ASSET');
  if (currency != null && !isSupported(currency, code)) throw new GatewayError('UNSUPPORTED_ASSET');
  return { currency: currency?.toUpperCase() ?? null, network: code };
}

/** A row with what it was worth. */
interface ValuedRow extends ReportRow {
  readonly worth: FiatSums | null;
}

const nameOf = ({ period, currency, network }: Pick<ReportRow, 'period' | 'currency' | 'network'>): string =>
  `${period ?? ''} ${currency} ${network}`;

/** Money that came by no deposit has no receipt: then the sums are not of all that came in. */
function toFiat({ gross, worth }: ValuedRow): Pick<ReportSums, 'fiatCurrency' | 'fiatGross'> {
  const { fiatCurrency = null, fiat = null, units = null } = worth ?? {};
  const decimals = fiatCurrency === null ? null : priceDecimals(fiatCurrency);
  const isWhole = fiat !== null && decimals !== null && units === gross;
  return { fiatCurrency, fiatGross: isWhole ? formatAmount(BigInt(fiat), decimals) : null };
}

function toSums(row: ValuedRow): ReportSums {
  const { currency, network, payments, ...units } = row;
  const { decimals } = assetOf({ currency, network });
  const show = (amount: bigint) => formatAmount(amount, decimals);
  const [gross, fees] = [BigInt(units.gross), BigInt(units.fees)];
  return {
    ...{ currency, network, payments },
    ...{ gross: show(gross), fees: show(fees), net: show(gross - fees) },
    ...{ refunded: show(BigInt(units.refunded)), withdrawn: show(BigInt(units.withdrawn)) },
    ...toFiat(row),
  };
}

/** A period's ISO 8601 name, from its first day. */
function labelOf(firstDay: string, unit: ReportUnit): string {
  if (unit === 'day') return firstDay;
  if (unit === 'month') return firstDay.slice(0, 7);
  // A week belongs to the year of its Thursday, and the first one has January 4.
  const thursday = new Date(Date.parse(firstDay) + 3 * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS));
  return `${String(year)}-W${String(week).padStart(2, '0')}`;
}
