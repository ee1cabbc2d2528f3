// Amounts over time as bars, with a table of the same figures for screen readers and exact values.

import type { ReactNode } from 'react';
import { Bar, BarChart as Chart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { readable } from '../../amounts.ts';
import { Table } from '../table.tsx';

export interface BarRow {
  /** The period, such as a day: `2026-11-21`. */
  readonly label: string;
  /** A decimal string, drawn rounded but written exactly. */
  readonly value: string;
}

interface BarChartProps {
  /** The chart's title, such as "Paid by day". */
  readonly title: string;
  readonly rows: readonly BarRow[];
  /** The unit of the values, such as "USDT". */
  readonly unit: string;
  /** The column heading of the labels, such as "Day". */
  readonly labelTitle: string;
}

const COMPACT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 2 });

export function BarChart({ title, rows, unit, labelTitle }: BarChartProps): ReactNode {
  const data = rows.map(({ label, value }) => ({ label, value, height: Number(value) }));
  return (
    <figure className="chart">
      <div className="drawing" aria-hidden="true">
        <ResponsiveContainer width="100%" height="100%">
          <Chart data={data} accessibilityLayer={false} margin={{ top: 8, right: 0, bottom: 0, left: 0 }}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="label"
              tickLine={false}
              axisLine={false}
              tick={{ fill: 'var(--faint)', fontSize: 12 }}
              minTickGap={24}
              tickFormatter={shortLabel}
            />
            <YAxis
              width={52}
              tickLine={false}
              axisLine={false}
              tick={{ fill: 'var(--faint)', fontSize: 12 }}
              tickFormatter={(height: number) => COMPACT.format(height)}
            />
            <Tooltip cursor={{ fill: 'var(--wash-calm)' }} content={<Hint unit={unit} />} isAnimationActive={false} />
            <Bar
              dataKey="height"
              fill="var(--accent)"
              radius={[4, 4, 0, 0]}
              maxBarSize={40}
              isAnimationActive={false}
            />
          </Chart>
        </ResponsiveContainer>
      </div>
      <details>
        <summary>{title}, as a table</summary>
        <Table
          label={title}
          rows={rows}
          keyOf={({ label }) => label}
          columns={[
            { title: labelTitle, cell: ({ label }) => label },
            { title: unit, cell: ({ value }) => readable(value), isNumber: true },
          ]}
        />
      </details>
    </figure>
  );
}

const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A day without its year; other periods unchanged. */
const shortLabel = (label: string) => (/^\d{4}-\d\d-\d\d$/.test(label) ? DAY.format(new Date(label)) : label);

interface HintProps {
  readonly unit: string;
  readonly active?: boolean;
  readonly payload?: readonly { readonly payload?: BarRow }[];
}

/** The tooltip. The chart passes it the bar under the pointer. */
function Hint({ unit, active, payload }: HintProps): ReactNode {
  const row = payload?.[0]?.payload;
  return active && row ? (
    <p className="hint-box">
      {row.label}: {readable(row.value)} {unit}
    </p>
  ) : null;
}
