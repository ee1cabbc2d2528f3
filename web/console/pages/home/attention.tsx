// What waits for a decision: each with what is the matter, and a link to where it is made.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { compareAmounts, less, written } from '../../amounts.ts';
import { Amount } from '../../components/amount.tsx';
import { Badge, Status } from '../../components/badge.tsx';
import type { FailingEndpoint } from '../../components/frame/navigation-counts.tsx';
import { Empty } from '../../components/states.tsx';
import type { HomePaymentsQuery } from '../../generated/operations.ts';

type Waiting = HomePaymentsQuery['waiting']['nodes'][number];

interface AttentionProps {
  readonly rows: readonly Waiting[];
  readonly endpoints: readonly FailingEndpoint[];
}

export function Attention({ rows, endpoints }: AttentionProps): ReactNode {
  if (rows.length === 0 && endpoints.length === 0)
    return (
      <Empty title="Nothing needs your attention.">
        Payments with too little, too much or late money are shown here, and webhook endpoints that fail.
      </Empty>
    );
  return (
    <ul className="attention">
      {endpoints.map(({ id, url, description, enabled }) => (
        <li key={id}>
          <Link href={`/webhooks/${id}`} className="name-of">
            {description ?? url}
          </Link>
          <Badge tone={enabled ? 'busy' : 'bad'}>{enabled ? 'Failing' : 'Off'}</Badge>
          <p className="what">
            {enabled
              ? 'Your server refuses our webhooks, or does not answer: see its last attempts.'
              : 'Switched off after many failures: mend your server, then switch it on again.'}
          </p>
        </li>
      ))}
      {rows.map((row) => (
        <li key={row.id}>
          <Link href={`/payments/${row.id}`} className="name-of">
            {row.merchantOrderId ?? row.productName ?? `…${row.id.slice(-8)}`}
          </Link>
          <Status status={row.status} exception={row.exception ?? null} />
          <Amount value={row.amount} currency={row.currency} />
          <p className="what">{matterOf(row)}</p>
        </li>
      ))}
    </ul>
  );
}

/** What is the matter with a payment, and what can be done. */
function matterOf({ exception, amount, amountReceived, amountRefunded, currency }: Waiting): string {
  const here = less(amountReceived, amountRefunded);
  if (exception === 'REORGED') return 'Its money left the chain after it was paid. Check whether you delivered.';
  if (exception === 'OVERPAID') return `${written(less(here, amount), currency)} ${currency} too much: refund it.`;
  if (compareAmounts(here, amount) < 0)
    return `${written(here, currency)} of ${written(amount, currency)} ${currency} came: ask for the rest, or refund it.`;
  if (exception === 'UNCONFIRMED') return 'Sent, but never confirmed by the network. Wait, or write to the customer.';
  return `${written(here, currency)} ${currency} came after the end: accept or refund it.`;
}
