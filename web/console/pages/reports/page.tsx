// Income, fees and payouts by period: as a table, a chart and a file.

import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { useSearchParams } from 'wouter';
import { toCsv } from '../../../../src/values/formats/csv.ts';
import { isZero } from '../../amounts.ts';
import { download } from '../../download.ts';
import { networkName } from '../../networks.ts';
import {
  IncomeDocument,
  ReportDocument,
  type IncomeQuery,
  type ReportQuery,
  type ReportUnit,
} from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { announce } from '../../components/announcer.tsx';
import { Growth } from '../../components/charts/change.tsx';
import { AssetChart } from '../../components/charts/asset-chart.tsx';
import { periodsBetween } from '../../components/charts/periods.ts';
import { Button } from '../../components/forms/button.tsx';
import { DateField } from '../../components/forms/date-field.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { SectionLinks } from '../../components/section-links.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { spanBefore, spanOf, timeOf, TIMES, type Span } from './spans.ts';

type Row = ReportQuery['report']['rows'][number];
type Totals = ReportQuery['report']['totals'][number];

/** The columns of the CSV file, the same as in the API's (contract, section 4). */
const CSV_COLUMNS = ['period', 'currency', 'network', 'payments', 'gross', 'fees', 'net', 'refunded', 'withdrawn'];
/** What `fiat=true` appends to them (contract-invoices, section 10). */
const FIAT_COLUMNS = ['fiatCurrency', 'fiatGross'];

const UNITS: readonly (readonly [value: ReportUnit, words: string])[] = [
  ['DAY', 'Day'],
  ['WEEK', 'Week'],
  ['MONTH', 'Month'],
];

/** In the choice of times, for dates that are other ones. */
const OTHER = ['', 'Other dates'] as const;

export default function Reports(): ReactNode {
  const [span, setSpan] = useSpan();
  const { from, to } = span;
  const [unit, setUnit] = useState<ReportUnit>('DAY');
  const [currency, setCurrency] = useState('');
  const [network, setNetwork] = useState('');
  const input = {
    startDate: from || null,
    endDate: to || null,
    groupBy: unit,
    currency: currency || null,
    network: network || null,
    fiat: true,
  };
  const [{ data, error, stale }, reload] = useQuery({ query: ReportDocument, variables: { input } });
  const refresh = () => reload({ requestPolicy: 'network-only' });
  useRefreshOnReturn(refresh);
  const before = spanBefore(span);
  const former = { startDate: before?.from ?? null, endDate: before?.to ?? null, groupBy: 'MONTH' as const };
  const [{ data: past }] = useQuery({
    query: IncomeDocument,
    variables: { input: { ...input, ...former } },
    pause: before === null,
  });
  const report = error ? undefined : data?.report;
  // Without fiat values, the report is the one of merchants who have none.
  const hasFiat = [...(report?.totals ?? []), ...(report?.rows ?? [])].some((sums) => sums.fiatCurrency != null);
  const fiat = hasFiat ? [FIAT] : [];
  const compared = before && past ? [formerly(past.report.totals)] : [];
  const periods = periodsBetween(from, to, unit);
  const save = (rows: readonly Row[]) => {
    const text = toCsv(hasFiat ? [...CSV_COLUMNS, ...FIAT_COLUMNS] : CSV_COLUMNS, rows);
    download(`turnpike-report-${from}-${to}.csv`, text, 'text/csv;charset=utf-8');
    announce(`Saved ${rows.length === 1 ? '1 row' : `${String(rows.length)} rows`} as CSV`);
  };
  const currencies = data?.currencies.filter(({ available }) => available) ?? [];
  return (
    <>
      <SectionLinks section="Reports" />
      <PageActions>
        <Button
          look="quiet"
          isDisabled={!report || report.rows.length === 0}
          onPress={() => report && save(report.rows)}
        >
          Download CSV
        </Button>
      </PageActions>
      <Sheet title="Period and filters">
        <div className="filters">
          <Select
            label="Time"
            options={timeOf(span) === null ? [OTHER, ...TIMES] : TIMES}
            value={timeOf(span) ?? ''}
            onChange={(value) => {
              const time = TIMES.find(([known]) => known === value)?.[0];
              if (time) setSpan(spanOf(time));
            }}
          />
          <DateField label="From" value={from} onChange={(day) => setSpan({ from: day, to })} max={to} />
          <DateField label="To" value={to} onChange={(day) => setSpan({ from, to: day })} min={from} />
          <Select
            label="By"
            options={UNITS}
            value={unit}
            onChange={(value) => setUnit(UNITS.find(([known]) => known === value)?.[0] ?? 'DAY')}
          />
          <Select
            label="Currency"
            options={choices(currencies.map((row) => [row.currency, row.currency]))}
            value={currency}
            onChange={setCurrency}
          />
          <Select
            label="Network"
            options={choices(currencies.map((row) => [row.network, row.name]))}
            value={network}
            onChange={setNetwork}
          />
        </div>
        <p className="hint">
          Days, weeks and months are in UTC; the last day is included.
          {before && ` Compared with ${before.from} to ${before.to}.`}
        </p>
      </Sheet>
      {error && <Problem error={error} onRetry={refresh} />}
      {!report && !error && <Loading lines={6} />}
      {report?.totals.length === 0 && <Empty title="No money came in or went out in this period." />}
      {report && report.totals.length > 0 && (
        <div aria-busy={stale}>
          <Sheet title="Totals">
            <Table label="Totals" rows={report.totals} keyOf={assetOf} columns={[...SUMS, ...fiat, ...compared]} />
          </Sheet>
          <Sheet title="Received">
            <AssetChart
              title="Received by period"
              labelTitle="Period"
              totals={report.totals}
              rows={report.rows}
              {...(periods && { periods })}
            />
          </Sheet>
          <Sheet title="By period">
            <Table
              label="By period"
              rows={report.rows}
              keyOf={(row) => `${row.period}/${assetOf(row)}`}
              columns={[...BY_PERIOD, ...fiat]}
            />
          </Sheet>
        </div>
      )}
    </>
  );
}

/** The days that are chosen, which the URL keeps; the receipts beside this page are of the same. */
function useSpan(): readonly [span: Span, choose: (span: Span) => void] {
  const [parameters, setParameters] = useSearchParams();
  const [from, to] = [parameters.get('from'), parameters.get('to')];
  const span = from === null && to === null ? spanOf('30_DAYS') : { from: from ?? '', to: to ?? '' };
  return [span, (chosen) => setParameters({ ...chosen }, { replace: true })];
}

const assetOf = ({ currency, network }: Pick<Totals, 'currency' | 'network'>) => `${currency}/${network}`;

/** The options without duplicates, after an option for all of them. */
function choices(found: readonly (readonly [value: string, words: string])[]): [value: string, words: string][] {
  return [['', 'All'], ...new Map(found)];
}

type Sum = 'gross' | 'fees' | 'net' | 'refunded' | 'withdrawn';

const sum = (title: string, field: Sum): Column<Totals> => ({
  title,
  isNumber: true,
  amountOf: (row) => [row[field], row.currency],
  cell: (row) => <Amount value={row[field]} currency={row.currency} isBare />,
});

const SUMS: readonly Column<Totals>[] = [
  {
    title: 'Currency',
    phone: 'first',
    cell: ({ currency, network }) => (
      <span>
        <strong>{currency}</strong> <span className="quietly">on {networkName(network)}</span>
      </span>
    ),
  },
  { title: 'Payments', isNumber: true, cell: ({ payments }) => payments.toLocaleString() },
  { ...sum('Received', 'gross'), phone: 'first-end' },
  sum('Fees', 'fees'),
  sum('Net', 'net'),
  sum('Refunded', 'refunded'),
  sum('Withdrawn', 'withdrawn'),
];

/** What was received, by the values of its receipts. */
const FIAT: Column<Totals> = {
  title: 'Value received',
  isNumber: true,
  cell: ({ gross, fiatCurrency, fiatGross }) => {
    if (fiatCurrency && fiatGross) return <Amount value={fiatGross} currency={fiatCurrency} />;
    const why = isZero(gross) ? 'none' : fiatCurrency ? 'not known' : 'not in one currency';
    return <span className="quietly">{why}</span>;
  },
};

/** What was received in the time before, and by how much it has changed since. */
const formerly = (totals: IncomeQuery['report']['totals']): Column<Totals> => ({
  title: 'Received before',
  isNumber: true,
  cell: (row) => {
    const gross = totals.find((other) => assetOf(other) === assetOf(row))?.gross ?? '0';
    return (
      <>
        <Amount value={gross} currency={row.currency} isBare />
        <small className="below">
          <Growth from={gross} to={row.gross} />
        </small>
      </>
    );
  },
});

const BY_PERIOD: readonly Column<Row>[] = [
  { title: 'Period', phone: 'first', cell: ({ period }) => <strong className="whole">{period}</strong> },
  ...SUMS.map((column): Column<Totals> => (column.phone === 'first' ? { ...column, phone: 'second' } : column)),
];
