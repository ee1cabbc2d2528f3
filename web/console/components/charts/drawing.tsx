// Bars as boxes of the page itself: for one figure a period no library is worth its hundred kilobytes.

import { useState, type PointerEvent, type ReactNode } from 'react';
import { isZero, readable } from '../../amounts.ts';
import { once } from '../hooks/once.ts';
import { useWidth } from '../hooks/use-width.ts';
import { namedPlaces, ticksUpTo } from './ticks.ts';

export interface BarRow {
  /** The period, such as a day: `2026-11-21`. */
  readonly label: string;
  /** A decimal string, drawn rounded but written exactly. */
  readonly value: string;
  /** The same of the time before, if it is compared. */
  readonly before?: string;
}

interface DrawingProps {
  readonly rows: readonly BarRow[];
  /** The unit of the values, such as "USDT". */
  readonly unit: string;
}

const compact = once(() => new Intl.NumberFormat(undefined, { notation: 'compact', maximumSignificantDigits: 3 }));
/** Room for the name of a day, a week or a month, in pixels. */
const NAME_WIDTH = 72;

/** The picture alone: those who cannot see it read the same figures in the table beside it. */
export function Drawing({ rows, unit }: DrawingProps): ReactNode {
  const [pointed, setPointed] = useState<number | null>(null);
  const [ref, width] = useWidth();
  const heights = rows.map(({ value }) => Number(value));
  const former = rows.flatMap(({ before }) => (before === undefined ? [] : [Number(before)]));
  const ticks = ticksUpTo(Math.max(...heights, ...former));
  const share = (height: number): string => percent(height / (ticks.at(-1) ?? 1));
  const middle = (place: number): string => percent((place + 0.5) / rows.length);
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width: all } = currentTarget.getBoundingClientRect();
    setPointed(Math.min(rows.length - 1, Math.max(0, Math.floor(((clientX - left) / all) * rows.length))));
  };
  const row = pointed === null ? undefined : rows[pointed];
  return (
    <div className="drawing" aria-hidden="true">
      <div className="scale">
        {ticks.map((tick) => (
          <span key={tick} style={{ bottom: share(tick) }}>
            {compact().format(tick)}
          </span>
        ))}
      </div>
      <div
        className="plot"
        ref={ref}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(null)}
      >
        {ticks.map((tick) => (
          <i key={tick} style={{ bottom: share(tick) }} />
        ))}
        {rows.map(({ label, value }, place) => (
          <div key={label} className={place === pointed ? 'column pointed' : 'column'}>
            {isZero(value) || <div className="bar" style={{ height: share(heights[place] ?? 0) }} />}
          </div>
        ))}
        {former.length > 1 && <Line heights={former} most={ticks.at(-1) ?? 1} />}
        {row && pointed !== null && (
          <p className="hint-box" style={{ left: `clamp(90px, ${middle(pointed)}, calc(100% - 90px))` }}>
            {row.label}: {readable(row.value)} {unit}
            {row.before !== undefined && <small>before: {readable(row.before)}</small>}
          </p>
        )}
      </div>
      <div className="names">
        {namedPlaces(rows.length, width, NAME_WIDTH).map((place) => (
          <span key={place} style={{ left: middle(place) }}>
            {shortLabel(rows[place]?.label ?? '')}
          </span>
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  readonly heights: readonly number[];
  /** The height at the top. */
  readonly most: number;
}

/** A dashed line through the middles of the columns. */
function Line({ heights, most }: LineProps): ReactNode {
  const points = heights.map((height, place) => `${String(place + 0.5)},${String(1 - height / most)}`);
  return (
    <svg className="line" viewBox={`0 0 ${String(heights.length)} 1`} preserveAspectRatio="none">
      <polyline points={points.join(' ')} />
    </svg>
  );
}

const percent = (share: number): string => `${String(share * 100)}%`;

const day = once(() => new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }));

/** A day without its year; other periods unchanged. */
const shortLabel = (label: string) => (/^\d{4}-\d\d-\d\d$/.test(label) ? day().format(new Date(label)) : label);
