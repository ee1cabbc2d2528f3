// A rate as a sentence: "1 BTC = 55,000 EUR".

import type { ReactNode } from 'react';
import { readable } from '../amounts.ts';

interface RateProps {
  readonly asset: string;
  readonly currency: string;
  readonly rate: string;
}

export function Rate({ asset, currency, rate }: RateProps): ReactNode {
  return (
    <span>
      1 {asset} = {readable(rate)} {currency}
    </span>
  );
}
