// The timeline of a payment: what happened, in order, and what comes next.

import type { ReactNode } from 'react';
import type { WholePaymentFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { wordsOf, type Tone } from '../../components/badge.tsx';
import { Time } from '../../components/time.tsx';

interface Moment {
  readonly at: string;
  readonly words: ReactNode;
  readonly tone: Tone;
}

const IS_OPEN = new Set(['PENDING', 'PARTIALLY_PAID', 'CONFIRMING']);
const PAID = new Set(['SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED']);

export function Timeline({ payment }: { readonly payment: WholePaymentFragment }): ReactNode {
  return (
    <ol className="timeline">
      {momentsOf(payment).map(({ at, words, tone }, place) => (
        <li key={place} className={tone}>
          <span>{words}</span>
          <Time value={at} />
        </li>
      ))}
      {IS_OPEN.has(payment.status) && payment.status !== 'CONFIRMING' && (
        <li className="to-come">
          <span>Expires if nothing more arrives</span>
          <Time value={payment.expiresAt} />
        </li>
      )}
    </ol>
  );
}

/** The events of the timeline, from the times that the payment records. */
function momentsOf(payment: WholePaymentFragment): Moment[] {
  const { currency, status, createdAt, completedAt, updatedAt, expiresAt, transactions } = payment;
  const seen = transactions.map(({ amount, seenAt, status: state }): Moment => {
    const words = (
      <>
        <Amount value={amount} currency={currency} />{' '}
        {state === 'ORPHANED' ? 'seen, and removed by the network' : 'seen'}
      </>
    );
    return { at: seenAt, words, tone: state === 'ORPHANED' ? 'bad' : 'busy' };
  });
  const ends: Moment[] = [];
  if (PAID.has(status) && completedAt) ends.push({ at: completedAt, words: 'Paid and confirmed', tone: 'good' });
  if (status === 'REFUNDED' || status === 'PARTIALLY_REFUNDED')
    ends.push({ at: updatedAt, words: wordsOf(status), tone: 'calm' });
  if (status === 'EXPIRED') ends.push({ at: expiresAt, words: 'Expired without the full amount', tone: 'calm' });
  if (status === 'CANCELED') ends.push({ at: completedAt ?? updatedAt, words: 'Canceled by you', tone: 'calm' });
  if (status === 'FAILED') ends.push({ at: completedAt ?? updatedAt, words: 'Failed', tone: 'bad' });
  return [{ at: createdAt, words: 'Created', tone: 'calm' } satisfies Moment, ...seen, ...ends].toSorted(
    (a, b) => Date.parse(a.at) - Date.parse(b.at),
  );
}
