// A chart of income by period, one asset at a time, because amounts of different assets cannot be added or compared.

import { useState, type ReactNode } from 'react';
import { networkName } from '../../networks.ts';
import type { ReportQuery } from '../../generated/operations.ts';
import { BarChart } from './bar-chart.tsx';
import { Select } from '../forms/select.tsx';

type Totals = Pick<ReportQuery['report']['totals'][number], 'currency' | 'network' | 'payments'>;
type Row = Pick<ReportQuery['report']['rows'][number], 'period' | 'currency' | 'network' | 'gross'>;

interface AssetChartProps {
  /** The chart's title, such as "Paid by day". */
  readonly title: string;
  /** The column heading of the periods, such as "Day (UTC)". */
  readonly labelTitle: string;
  /** At least one asset. */
  readonly totals: readonly Totals[];
  readonly rows: readonly Row[];
  /** All periods to draw, including those without income; by default, those of the rows. */
  readonly periods?: readonly string[];
  /** The time before, drawn as a line: its periods stand for those of this time, from the last one backwards. */
  readonly before?: { readonly rows: readonly Row[]; readonly periods: readonly string[] };
}

const nameOf = ({ currency, network }: Pick<Totals, 'currency' | 'network'>) => `${currency}/${network}`;

export function AssetChart({ title, labelTitle, totals, rows, periods, before }: AssetChartProps): ReactNode {
  const [wanted, setWanted] = useState('');
  const assets = totals.toSorted((a, b) => b.payments - a.payments);
  const asset = assets.find((total) => nameOf(total) === wanted) ?? assets[0];
  if (!asset) return null;
  const received = receivedIn(rows, asset);
  const shown = periods ?? [...received.keys()];
  const former = before && receivedIn(before.rows, asset);
  const beforeOf = (place: number) => former?.get(before?.periods.at(place - shown.length) ?? '') ?? '0';
  return (
    <>
      {assets.length > 1 && (
        <div className="filters">
          <Select
            label="Asset"
            options={assets.map((total) => [nameOf(total), `${total.currency} on ${networkName(total.network)}`])}
            value={nameOf(asset)}
            onChange={setWanted}
          />
        </div>
      )}
      <BarChart
        {...{ title, labelTitle }}
        unit={asset.currency}
        what={`${asset.currency} on ${networkName(asset.network)}`}
        rows={shown.map((label, place) => ({
          label,
          value: received.get(label) ?? '0',
          ...(before && { before: beforeOf(place) }),
        }))}
      />
    </>
  );
}

/** What came in of an asset, by period. */
function receivedIn(rows: readonly Row[], asset: Pick<Totals, 'currency' | 'network'>): Map<string, string> {
  return new Map(rows.filter((row) => nameOf(row) === nameOf(asset)).map(({ period, gross }) => [period, gross]));
}
