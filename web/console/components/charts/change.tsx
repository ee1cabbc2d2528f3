// How much something has changed since the time before.

import type { ReactNode } from 'react';
import { compareAmounts } from '../../amounts.ts';

/** By how much of it something grew; drawn from rounded numbers. */
export function Growth({ from, to }: { readonly from: string; readonly to: string }): ReactNode {
  if (compareAmounts(from, '0') <= 0) return null;
  return <Change by={(100 * (Number(to) - Number(from))) / Number(from)} unit=" %" />;
}

/** How much more or less than before. A unit of `''` counts things. */
export function Change({ by, unit }: { readonly by: number; readonly unit: string }): ReactNode {
  const size = Math.abs(by).toFixed(unit === '' ? 0 : 1);
  if (Number(size) === 0) return 'as before';
  return (
    <span className={by > 0 ? 'change up' : 'change down'}>
      <span aria-hidden="true">{by > 0 ? '▲' : '▼'}</span> {size}
      {unit} {by > 0 ? 'more' : 'less'}
    </span>
  );
}
