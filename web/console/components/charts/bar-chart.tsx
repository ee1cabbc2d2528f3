// Amounts over time as bars, with a table of the same figures for screen readers and exact values.

import type { ReactNode } from 'react';
import { readable } from '../../amounts.ts';
import { useInSight } from '../hooks/use-in-sight.ts';
import { Table, type Column } from '../table.tsx';
import { Drawing, type BarRow } from './drawing.tsx';

interface BarChartProps {
  /** The chart's title, such as "Paid by day". */
  readonly title: string;
  readonly rows: readonly BarRow[];
  /** The unit of the values, such as "USDT". */
  readonly unit: string;
  /** What the bars are, such as "USDT on Ethereum". */
  readonly what: string;
  /** The column heading of the labels, such as "Day". */
  readonly labelTitle: string;
}

const BEFORE: Column<BarRow> = {
  title: 'The time before',
  cell: ({ before }) => readable(before ?? '0'),
  isNumber: true,
};

export function BarChart({ title, rows, unit, what, labelTitle }: BarChartProps): ReactNode {
  const [ref, isSeen] = useInSight();
  const isCompared = rows.some(({ before }) => before !== undefined);
  return (
    <figure className="chart" ref={ref}>
      <figcaption className="legend">
        <span className="of-bars">{what}</span>
        {isCompared && <span className="of-line">{BEFORE.title}</span>}
      </figcaption>
      {isSeen ? <Drawing rows={rows} unit={unit} /> : <div className="drawing" />}
      <details>
        <summary>{title}, as a table</summary>
        {isSeen && (
          <Table
            label={title}
            rows={rows}
            keyOf={({ label }) => label}
            columns={[
              { title: labelTitle, cell: ({ label }) => label },
              { title: unit, cell: ({ value }) => readable(value), isNumber: true },
              ...(isCompared ? [BEFORE] : []),
            ]}
          />
        )}
      </details>
    </figure>
  );
}
