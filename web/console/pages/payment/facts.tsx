// What a payment is, in figures and words: for its own page, and for a look at it beside the list.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { isZero } from '../../amounts.ts';
import { networkName } from '../../networks.ts';
import type { WholePaymentFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Status } from '../../components/badge.tsx';
import { Copy } from '../../components/copy.tsx';
import { Facts as Rows } from '../../components/overlays/sheet.tsx';

interface PartProps {
  readonly payment: WholePaymentFragment;
}

export function Summary({ payment }: PartProps): ReactNode {
  const { amount, currency, network, status, exception, confirmations, requiredConfirmations } = payment;
  return (
    <section className="sheet summary" aria-label="Summary">
      <p className="asked">
        <Amount value={amount} currency={currency} network={network} />
      </p>
      <p role="status">
        <Status status={status} exception={exception ?? null} />
        {status === 'CONFIRMING' && (
          <span className="progress">
            <progress max={requiredConfirmations} value={confirmations} aria-label="Confirmations" />
            {confirmations} of {requiredConfirmations} confirmations
          </span>
        )}
      </p>
      <Money payment={payment} />
    </section>
  );
}

function Money({ payment }: PartProps): ReactNode {
  const { currency, amountReceived, amountConfirmed, amountRefunded, feeAmount } = payment;
  const show = (value: string) => <Amount value={value} currency={currency} />;
  return (
    <Rows
      rows={[
        ['Received', show(amountReceived)],
        ['Confirmed', show(amountConfirmed)],
        ['Fee', show(feeAmount)],
        isZero(amountRefunded) ? null : ['Refunded', show(amountRefunded)],
      ]}
    />
  );
}

export function Facts({ payment }: PartProps): ReactNode {
  const metadata = Object.entries(payment.metadata ?? {});
  return (
    <Rows
      rows={[
        payment.invoiceId
          ? [
              'Part of',
              <Link key="invoice" href={`/invoices/${payment.invoiceId}`}>
                an invoice, which is canceled and accepted as a whole
              </Link>,
            ]
          : null,
        ['Payment id', <Copy key="id" value={payment.id} label="payment id" />],
        payment.merchantOrderId ? ['Your reference', payment.merchantOrderId] : null,
        payment.productName ? ['Description', payment.productName] : null,
        payment.customerEmail ? ['Customer’s e-mail', payment.customerEmail] : null,
        [`Address on ${networkName(payment.network)}`, <Copy key="address" value={payment.address} label="address" />],
        ['Payment page', <Copy key="page" value={payment.paymentUrl} label="payment page's address" />],
        payment.returnUrl ? ['Customer goes on to', payment.returnUrl] : null,
        payment.callbackUrl ? ['Callback URL', payment.callbackUrl] : null,
        ...metadata.map(([name, value]) => [`Metadata: ${name}`, String(value)] as const),
        payment.test ? ['Test', 'You marked this payment as a test'] : null,
      ]}
    />
  );
}
