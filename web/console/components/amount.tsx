// An amount with its currency and, where it matters, its network.

import { createContext, useContext, type ReactNode } from 'react';
import { decimalsOf, shortened, written } from '../amounts.ts';
import { networkName } from '../networks.ts';

interface AmountProps {
  /** A decimal string. Outside of columns it is shown with all its digits. */
  readonly value: string;
  readonly currency: string;
  /** The network's code; if given, the network's name follows the amount. */
  readonly network?: string;
  /** Without the currency, which is named beside it. */
  readonly isBare?: boolean;
}

/** How many decimals the amounts of a column have, so that their decimal points are below each other. */
const ColumnDecimals = createContext<number | null>(null);

export function Amount({ value, currency, network, isBare = false }: AmountProps): ReactNode {
  const decimals = useContext(ColumnDecimals);
  const whole = written(value, currency);
  const shown = decimals === null ? whole : shortened(value, currency);
  return (
    <span className="amount">
      <span
        className="digits"
        title={shown === whole ? undefined : whole}
        data-fill={decimals === null ? undefined : fillOf(shown, decimals)}
      >
        {shown}
      </span>
      {!isBare && (
        <>
          {' '}
          <span className="currency">{currency}</span>
        </>
      )}
      {network !== undefined && <span className="network"> on {networkName(network)}</span>}
    </span>
  );
}

/** An amount, and what it is in. */
export type AmountOf = readonly [value: string, currency: string];

interface AlignedProps {
  readonly amounts: readonly AmountOf[];
  readonly children: ReactNode;
}

/** The amounts inside it are in one column with all of `amounts`. */
export function Aligned({ amounts, children }: AlignedProps): ReactNode {
  const most = Math.max(0, ...amounts.map(([value, currency]) => decimalsOf(shortened(value, currency))));
  return <ColumnDecimals value={most}>{children}</ColumnDecimals>;
}

/** Spaces as wide as the decimals that an amount lacks; a number without any lacks the point as well. */
function fillOf(shown: string, decimals: number): string {
  const has = decimalsOf(shown);
  const point = has === 0 && decimals > 0 ? '\u2008' : '';
  return point + '\u2007'.repeat(Math.max(0, decimals - has));
}
