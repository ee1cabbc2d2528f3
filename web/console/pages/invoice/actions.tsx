// The actions that an invoice's status allows: cancel it, accept late money; in the sandbox, pay it and end its time.

import { useState, type ReactNode } from 'react';
import { useMutation, type CombinedError } from 'urql';
import { compareAmounts } from '../../amounts.ts';
import { messageOf } from '../../errors.ts';
import { isSandbox } from '../../networks.ts';
import {
  AcceptInvoiceDocument,
  CancelInvoiceDocument,
  ExpireInvoiceDocument,
  ExpireQuoteDocument,
  type WholeInvoiceFragment,
} from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { May } from '../../components/may.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { MineButton, PayButton, told } from '../payment/actions.tsx';

const ENDED = new Set(['EXPIRED', 'FAILED', 'CANCELED']);

interface ActionsProps {
  readonly invoice: WholeInvoiceFragment;
  readonly onChange: () => void;
}

export function InvoiceActions({ invoice, onChange }: ActionsProps): ReactNode {
  const { id, status, amount, currency, amountReceived, invoiceUrl } = invoice;
  const [asked, ask] = useState<'cancel' | 'accept' | null>(null);
  const [, cancel] = useMutation(CancelInvoiceDocument);
  const [, accept] = useMutation(AcceptInvoiceDocument);
  const isPayable = status === 'OPEN' || status === 'PARTIALLY_PAID';
  const mayAccept = ENDED.has(status) && compareAmounts(amountReceived, amount) >= 0;
  const close = () => ask(null);
  return (
    <>
      <PageActions>
        {isSandbox && (
          <May permissions={['CREATE_PAYMENTS']}>
            <SandboxActions invoice={invoice} onChange={onChange} />
          </May>
        )}
        {isPayable && (
          <a className="button quiet" href={invoiceUrl} target="_blank" rel="noreferrer">
            Invoice page<span className="unseen"> (opens in a new tab)</span>
          </a>
        )}
        <May permissions={['CANCEL_PAYMENTS']}>
          {status === 'OPEN' && (
            <Button look="quiet" onPress={() => ask('cancel')}>
              Cancel invoice
            </Button>
          )}
        </May>
        <May permissions={['CREATE_PAYMENTS']}>
          {mayAccept && <Button onPress={() => ask('accept')}>Accept late payment</Button>}
        </May>
      </PageActions>
      <Confirm
        title="Cancel this invoice?"
        action="Cancel invoice"
        refusal="Keep it"
        isDanger
        isOpen={asked === 'cancel'}
        onClose={close}
        onConfirm={() => cancel({ id }).then(told('The invoice is canceled', onChange))}
      >
        <p>
          The customer can no longer pay the <Amount value={amount} currency={currency} />, and their page says so. If
          they still send money, it is credited to you and you can refund it.
        </p>
      </Confirm>
      <Confirm
        title="Accept this late payment?"
        action="Accept payment"
        isOpen={asked === 'accept'}
        onClose={close}
        onConfirm={() => accept({ id }).then(told('The invoice is accepted', onChange))}
      >
        <p>
          The full value of <Amount value={amount} currency={currency} /> arrived after the invoice had ended. It will
          count as paid and your shop will be notified, so you can fulfil the order.
        </p>
      </Confirm>
    </>
  );
}

/** What a tester does in the customer's place, and in that of the clock and the network. */
function SandboxActions({ invoice, onChange }: ActionsProps): ReactNode {
  const { id, status, payments } = invoice;
  const [invoiceEnd, expireInvoice] = useMutation(ExpireInvoiceDocument);
  const [quoteEnd, expireQuote] = useMutation(ExpireQuoteDocument);
  const isPayable = status === 'OPEN' || status === 'PARTIALLY_PAID';
  const open = payments.findLast((one) => one.status === 'PENDING' || one.status === 'PARTIALLY_PAID');
  const moving = payments.find((one) => one.transactions.some((transaction) => transaction.status === 'PENDING'));
  const isHeld = open && new Date(open.quoteExpiresAt).getTime() > Date.now();
  const end = (running: Promise<{ error?: CombinedError | undefined }>, words: string) =>
    void running.then(({ error }) => {
      announce(error ? messageOf(error) : words);
      onChange();
    });
  return (
    <>
      {isPayable && open && (
        <>
          <PayButton id={open.id} onChange={onChange} />
          <PayButton id={open.id} onChange={onChange} isUnconfirmed />
        </>
      )}
      {moving && <MineButton network={moving.network} onChange={onChange} />}
      {isPayable && isHeld && (
        <Button
          look="quiet"
          isPending={quoteEnd.fetching}
          onPress={() => end(expireQuote({ id: open.id }), 'The quote has expired')}
        >
          Expire the quote
        </Button>
      )}
      {isPayable && (
        <Button
          look="quiet"
          isPending={invoiceEnd.fetching}
          onPress={() => end(expireInvoice({ id }), 'The invoice has expired')}
        >
          Expire the invoice
        </Button>
      )}
    </>
  );
}
