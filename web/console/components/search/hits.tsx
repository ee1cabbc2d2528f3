// What a search found, as lines to choose from.

import type { ReactNode } from 'react';
import type { SearchQuery } from '../../generated/operations.ts';
import { Amount } from '../amount.tsx';
import { Status } from '../badge.tsx';

/** A line: where it leads, what it says, and how it is shown. */
export interface Hit {
  /** Its own: several lines may lead to one page. */
  readonly key: string;
  readonly section: string;
  readonly path: string;
  readonly words: string;
  readonly shown: ReactNode;
}

type Result = SearchQuery['search'];

/** In the order of their kinds, newest first of each. */
export function hitsOf({ payments, invoices, payouts }: Result): readonly Hit[] {
  return [...payments.map(paymentHit), ...invoices.map(invoiceHit), ...payouts.map(payoutHit)];
}

const tail = (id: string) => `…${id.slice(-8)}`;

const paymentHit = (payment: Result['payments'][number]): Hit =>
  orderHit(payment, {
    section: 'Payments',
    path: `/payments/${payment.id}`,
    reference: payment.merchantOrderId ?? null,
    about: payment.productName ?? null,
  });

const invoiceHit = (invoice: Result['invoices'][number]): Hit =>
  orderHit(invoice, {
    section: 'Invoices',
    path: `/invoices/${invoice.id}`,
    reference: invoice.merchantInvoiceId ?? null,
    about: invoice.description ?? null,
  });

type Order = Result['payments'][number] | Result['invoices'][number];

interface Known extends Pick<Hit, 'section' | 'path'> {
  readonly reference: string | null;
  readonly about: string | null;
}

/** Named by its reference, or by what it is about, or by its id. */
function orderHit(order: Order, { section, path, reference, about }: Known): Hit {
  const name = reference ?? about ?? tail(order.id);
  const more = [reference === null ? null : about, order.customerEmail].filter((text) => text != null).join(' · ');
  const shown = <Line {...{ name, more }} {...order} exception={order.exception ?? null} />;
  return { key: order.id, section, path, words: `${name} ${more}`, shown };
}

function payoutHit(payout: Result['payouts'][number]): Hit {
  const isRefund = payout.__typename === 'Refund';
  const name = isRefund
    ? `Refund ${tail(payout.refundId)}`
    : (payout.merchantWithdrawalId ?? tail(payout.withdrawalId));
  return {
    key: isRefund ? payout.refundId : payout.withdrawalId,
    section: isRefund ? 'Refunds' : 'Withdrawals',
    path: isRefund ? `/payments/${payout.paymentId}` : '/wallet',
    words: `${name} ${payout.address}`,
    shown: <Line name={name} more={payout.address} {...payout} exception={null} />,
  };
}

interface LineProps {
  readonly name: string;
  /** What else it is known by. */
  readonly more: string;
  readonly status: string;
  readonly exception: string | null;
  readonly amount: string;
  readonly currency: string;
}

function Line({ name, more, status, exception, amount, currency }: LineProps): ReactNode {
  return (
    <>
      <span className="name">
        <strong>{name}</strong> {more !== '' && <small>{more}</small>}
      </span>
      <Status status={status} exception={exception} />
      <Amount value={amount} currency={currency} />
    </>
  );
}
