// Asks a customer for what is still missing of a payment: a letter in the merchant's own mail program.

import type { ReactNode } from 'react';
import { compareAmounts, isZero, less, written } from '../../amounts.ts';
import { networkName } from '../../networks.ts';
import type { WholePaymentFragment } from '../../generated/operations.ts';

interface PartProps {
  readonly payment: WholePaymentFragment;
}

export function AskForRest({ payment }: PartProps): ReactNode {
  const { amount, amountReceived, amountRefunded } = payment;
  const here = less(amountReceived, amountRefunded);
  if (isZero(here) || compareAmounts(here, amount) >= 0 || !canPayRest(payment)) return null;
  return (
    <a className="button quiet" href={letterFor(payment, here)}>
      Ask for the rest<span className="unseen"> (opens your mail program)</span>
    </a>
  );
}

/** On its page while it is open; afterwards to its address, for the merchant to accept, unless it is an invoice's. */
const canPayRest = ({ status, invoiceId }: WholePaymentFragment) =>
  status === 'PARTIALLY_PAID' || (invoiceId === null && (status === 'EXPIRED' || status === 'FAILED'));

function letterFor(payment: WholePaymentFragment, here: string): string {
  const { amount, currency, network, address, customerEmail, paymentUrl, status } = payment;
  const sumOf = (value: string) => `${written(value, currency)} ${currency}`;
  const name = payment.merchantOrderId ?? payment.productName;
  const rest = sumOf(less(amount, here));
  const body = [
    `Hello,`,
    `thank you for your payment${name === null ? '' : ` for ${name}`}. ${sumOf(here)} of ${sumOf(amount)} arrived, so ${rest} is still missing.`,
    status === 'PARTIALLY_PAID'
      ? `You can pay it here:\n${paymentUrl}`
      : `Please send it as ${currency} on ${networkName(network)}, and on no other network, to this address:\n${address}`,
  ].join('\n\n');
  const subject = `${rest} is still missing${name === null ? '' : `: ${name}`}`;
  return `mailto:${encodeURIComponent(customerEmail ?? '')}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body.replaceAll('\n', '\r\n'))}`;
}
