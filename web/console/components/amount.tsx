// An amount with its currency and, where it matters, its network.

import type { ReactNode } from 'react';
import { readable } from '../amounts.ts';
import { networkName } from '../networks.ts';

interface AmountProps {
  /** A decimal string, shown with all its digits. */
  readonly value: string;
  readonly currency: string;
  /** The network's code; if given, the network's name follows the amount. */
  readonly network?: string;
}

export function Amount({ value, currency, network }: AmountProps): ReactNode {
  return (
    <span className="amount">
      <span className="digits">{readable(value)}</span> <span className="currency">{currency}</span>
      {network !== undefined && <span className="network"> on {networkName(network)}</span>}
    </span>
  );
}
