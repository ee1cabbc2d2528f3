// What a payment link asks for, how often it was used, and whether it takes more, in words.

import type { ReactNode } from 'react';
import { readable, written } from '../../amounts.ts';
import type { PaymentLinkRowFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';

interface LinkProps {
  readonly link: PaymentLinkRowFragment;
}

export function LinkState({ link }: LinkProps): ReactNode {
  const [tone, words] = stateOf(link);
  return <Badge tone={tone}>{words}</Badge>;
}

/** The first reason for which it takes no more. */
function stateOf({ enabled, endsAt, maxUses, uses }: PaymentLinkRowFragment): readonly [Tone, string] {
  if (!enabled) return ['bad', 'Disabled'];
  if (endsAt !== null && new Date(endsAt).getTime() <= Date.now()) return ['calm', 'Ended'];
  if (maxUses !== null && uses >= maxUses) return ['busy', 'Used up'];
  return ['good', 'Open'];
}

/** The price, or that customers say how much, within which bounds. */
export function LinkPrice({ link }: LinkProps): ReactNode {
  const { amount, currency, minAmount, maxAmount } = link;
  if (amount !== null) return <Amount value={amount} currency={currency} />;
  if (minAmount === null && maxAmount === null) return <span>Open, in {currency}</span>;
  if (maxAmount === null) return <span>Open, from {of(minAmount, currency)}</span>;
  if (minAmount === null) return <span>Open, up to {of(maxAmount, currency)}</span>;
  return (
    <span>
      Open, {written(minAmount, currency)} to {of(maxAmount, currency)}
    </span>
  );
}

const of = (amount: string | null, currency: string) => <Amount value={amount ?? ''} currency={currency} />;

export function LinkUses({ link: { uses, maxUses } }: LinkProps): ReactNode {
  const used = readable(String(uses));
  return <span>{maxUses === null ? used : `${used} of ${readable(String(maxUses))}`}</span>;
}
