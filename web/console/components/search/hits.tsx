// What a search found, as lines to choose from.

import type { ReactNode } from 'react';
import type { SearchQuery } from '../../generated/operations.ts';
import { Amount } from '../amount.tsx';
import { Status } from '../badge.tsx';

/** A line: where it leads, what it says, and how it is shown. */
export interface Hit {
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

function paymentHit(payment: Result['payments'][number]): Hit {
  const { id, merchantOrderId, productName, customerEmail } = payment;
  const name = merchantOrderId ?? productName ?? tail(id);
  const more = [merchantOrderId === null ? null : productName, customerEmail]
    .filter((text) => text != null)
    .join(' · ');
  return {
    section: 'Payments',
    path: `/payments/${id}`,
    words: `${name} ${more}`,
    shown: <Line {...{ name, more }} {...payment} exception={payment.exception ?? null} />,
  };
}

function invoiceHit(invoice: Result['invoices'][number]): Hit {
  const { id, merchantInvoiceId, description, customerEmail } = invoice;
  const name = merchantInvoiceId ?? description ?? tail(id);
  const more = [merchantInvoiceId === null ? null : description, customerEmail]
    .filter((text) => text != null)
    .join(' · ');
  return {
    section: 'Invoices',
    path: `/invoices/${id}`,
    words: `${name} ${more}`,
    shown: <Line {...{ name, more }} {...invoice} exception={invoice.exception ?? null} />,
  };
}

function payoutHit(payout: Result['payouts'][number]): Hit {
  const isRefund = payout.__typename === 'Refund';
  const name = isRefund
    ? `Refund ${tail(payout.refundId)}`
    : (payout.merchantWithdrawalId ?? tail(payout.withdrawalId));
  return {
    section: isRefund ? 'Refunds' : 'Withdrawals',
    path: isRefund ? `/payments/${payout.paymentId}` : `/wallet?withdrawal=${payout.withdrawalId}`,
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
