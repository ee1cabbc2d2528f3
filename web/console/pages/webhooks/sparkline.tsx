// The attempts of each hour as a row of bars, what failed above what succeeded, on one scale.

import type { ReactNode } from 'react';
import type { StatisticsRowFragment } from '../../generated/operations.ts';

type Hour = StatisticsRowFragment['hours'][number];

const BAR = 4;
const GAP = 1;
const HEIGHT = 28;
/** An hour without attempts has a mark, so that time can be counted. */
const LEAST = 1;

/** Without hours it takes the same room, as they are still loading. */
export function Sparkline({ hours }: { readonly hours: readonly Hour[] }): ReactNode {
  if (hours.length === 0) return <span className="sparkline" aria-hidden="true" />;
  const most = Math.max(1, ...hours.map(({ succeeded, failed }) => succeeded + failed));
  const width = hours.length * (BAR + GAP) - GAP;
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(LEAST + 1, (count / most) * HEIGHT));
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${String(width)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={labelOf(hours)}
    >
      {hours.map(({ at, succeeded, failed }, nth) => {
        const x = nth * (BAR + GAP);
        const good = heightOf(succeeded);
        const bad = Math.min(heightOf(failed), HEIGHT - good);
        return (
          <g key={at}>
            <rect className="none" x={x} y={HEIGHT - LEAST} width={BAR} height={LEAST} />
            <rect className="good" x={x} y={HEIGHT - good} width={BAR} height={good} />
            <rect className="bad" x={x} y={HEIGHT - good - bad} width={BAR} height={bad} />
          </g>
        );
      })}
    </svg>
  );
}

function labelOf(hours: readonly Hour[]): string {
  const sum = (of: (hour: Hour) => number) => hours.reduce((total, hour) => total + of(hour), 0);
  const [succeeded, failed] = [sum((hour) => hour.succeeded), sum((hour) => hour.failed)];
  if (succeeded + failed === 0) return `No attempts in ${String(hours.length)} hours`;
  return `Attempts in ${String(hours.length)} hours: ${String(succeeded)} succeeded, ${String(failed)} failed`;
}
