// A rate as a sentence: "1 BTC = 55,000 EUR".

import type { ReactNode } from 'react';
import { readable, significant } from '../amounts.ts';

interface RateProps {
  readonly asset: string;
  readonly currency: string;
  readonly rate: string;
}

export function Rate({ asset, currency, rate }: RateProps): ReactNode {
  return (
    <span>
      1 {asset} {significant(rate) === rate ? '=' : '≈'} <RateFigure rate={rate} /> {currency}
    </span>
  );
}

/** The figure alone: as many digits as mean something, and the whole one in its tooltip. */
export function RateFigure({ rate }: { readonly rate: string }): ReactNode {
  const shown = significant(rate);
  return <span title={shown === rate ? undefined : readable(rate)}>{readable(shown)}</span>;
}
