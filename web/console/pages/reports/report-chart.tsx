// What came in of one asset, a bar a period. The table below says the same in words and to the last digit.

import { useState, type ReactNode } from 'react';
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { readable } from '../../amounts.ts';
import { networkName } from '../../networks.ts';
import type { ReportQuery } from '../../operations.ts';
import { Select } from '../../parts/select.tsx';
import { Sheet } from '../../parts/sheet.tsx';

type Row = ReportQuery['report']['rows'][number];
type Totals = ReportQuery['report']['totals'][number];

interface ReportChartProps {
  readonly totals: readonly Totals[];
  readonly rows: readonly Row[];
}

const nameOf = ({ currency, network }: Totals) => `${currency}/${network}`;

/** Amounts of different assets cannot stand beside each other: one is looked at at a time. */
export default function ReportChart({ totals, rows }: ReportChartProps): ReactNode {
  const [wanted, setWanted] = useState('');
  const asset = totals.find((total) => nameOf(total) === wanted) ?? totals[0];
  if (!asset) return null;
  const bars = rows
    .filter((row) => nameOf(row) === nameOf(asset))
    // Numbers are good enough for how high a bar is.
    .map(({ period, gross }) => ({ period, gross, height: Number(gross) }));
  return (
    <Sheet title="Received">
      {totals.length > 1 && (
        <div className="filters">
          <Select
            label="Of"
            options={totals.map((total) => [nameOf(total), `${total.currency} on ${networkName(total.network)}`])}
            value={nameOf(asset)}
            onChange={setWanted}
          />
        </div>
      )}
      <figure className="chart" aria-label={`Received in ${asset.currency}, by period; the table says the same`}>
        <div aria-hidden="true">
          <ResponsiveContainer width="100%" height={260}>
            <BarChart data={bars} accessibilityLayer={false} margin={{ top: 8, right: 8, bottom: 0, left: 0 }}>
              <CartesianGrid vertical={false} stroke="var(--line)" />
              <XAxis dataKey="period" tickLine={false} stroke="var(--faint)" fontSize={13} minTickGap={16} />
              <YAxis width="auto" tickLine={false} axisLine={false} stroke="var(--faint)" fontSize={13} />
              <Tooltip
                cursor={{ fill: 'var(--wash-calm)' }}
                contentStyle={{ background: 'var(--sheet)', borderColor: 'var(--line)', borderRadius: 10 }}
                formatter={(_height, _name, { payload }) => [
                  `${readable((payload as { gross: string }).gross)} ${asset.currency}`,
                  'Received',
                ]}
              />
              <Bar
                dataKey="height"
                fill="var(--accent)"
                maxBarSize={48}
                radius={[4, 4, 0, 0]}
                isAnimationActive={false}
              />
            </BarChart>
          </ResponsiveContainer>
        </div>
      </figure>
    </Sheet>
  );
}
