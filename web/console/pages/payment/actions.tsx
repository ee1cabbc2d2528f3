// The actions that a payment's status allows: pay it in the sandbox, ask for the rest, cancel it, accept it late.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { compareAmounts } from '../../amounts.ts';
import { messageOf } from '../../errors.ts';
import { isSandbox } from '../../networks.ts';
import {
  AcceptPaymentDocument,
  CancelPaymentDocument,
  MineBlocksDocument,
  SimulateDepositDocument,
  type WholePaymentFragment,
} from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { May } from '../../components/may.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { AskForRest } from './ask-for-rest.tsx';

const ENDED = new Set(['EXPIRED', 'FAILED', 'CANCELED']);

interface ActionsProps {
  readonly payment: WholePaymentFragment;
  readonly onChange: () => void;
}

export function PaymentActions({ payment, onChange }: ActionsProps): ReactNode {
  const { id, status, amount, amountReceived, currency, network, paymentUrl, invoiceId } = payment;
  const [asked, ask] = useState<'cancel' | 'accept' | null>(null);
  const [, cancel] = useMutation(CancelPaymentDocument);
  const [, accept] = useMutation(AcceptPaymentDocument);
  const isPayable = status === 'PENDING' || status === 'PARTIALLY_PAID';
  // Those of an invoice are ended and accepted with it.
  const isOwn = invoiceId === null;
  const mayAccept = isOwn && ENDED.has(status) && compareAmounts(amountReceived, amount) >= 0;
  const close = () => ask(null);
  return (
    <>
      <PageActions>
        <May permissions={['CREATE_PAYMENTS']}>
          {isSandbox && isPayable && (
            <>
              <PayButton id={id} onChange={onChange} />
              <PayButton id={id} onChange={onChange} isUnconfirmed />
            </>
          )}
          {isSandbox && isMoving(payment) && <MineButton network={network} onChange={onChange} />}
        </May>
        {isPayable && (
          <a className="button quiet" href={paymentUrl} target="_blank" rel="noreferrer">
            Payment page<span className="unseen"> (opens in a new tab)</span>
          </a>
        )}
        <May permissions={['CREATE_PAYMENTS']}>
          <AskForRest payment={payment} />
        </May>
        <May permissions={['CANCEL_PAYMENTS']}>
          {isOwn && status === 'PENDING' && (
            <Button look="quiet" onPress={() => ask('cancel')}>
              Cancel payment
            </Button>
          )}
        </May>
        <May permissions={['CREATE_PAYMENTS']}>
          {mayAccept && <Button onPress={() => ask('accept')}>Accept late payment</Button>}
        </May>
      </PageActions>
      <Confirm
        title="Cancel this payment?"
        action="Cancel payment"
        refusal="Keep it"
        isDanger
        isOpen={asked === 'cancel'}
        onClose={close}
        onConfirm={() => cancel({ id }).then(told('The payment is canceled', onChange))}
      >
        <p>
          The customer can no longer pay the <Amount value={amount} currency={currency} />, and their payment page says
          so. If they still send money, it is credited to you and you can refund it.
        </p>
      </Confirm>
      <Confirm
        title="Accept this late payment?"
        action="Accept payment"
        isOpen={asked === 'accept'}
        onClose={close}
        onConfirm={() => accept({ id }).then(told('The payment is accepted', onChange))}
      >
        <p>
          The full amount of <Amount value={amount} currency={currency} /> arrived after the payment had expired. The
          payment will count as paid and your shop will be notified, so you can fulfil the order.
        </p>
      </Confirm>
    </>
  );
}

/** Calls `onChange` and, unless the operation failed, announces the result. */
export function told<Result extends { error?: unknown }>(
  words: string,
  onChange: () => void,
): (result: Result) => Result {
  return (result) => {
    if (!result.error) announce(words);
    onChange();
    return result;
  };
}

/** Whether new blocks would advance the payment: money was seen that is not confirmed yet. */
const isMoving = ({ status, transactions }: WholePaymentFragment) =>
  status === 'CONFIRMING' || transactions.some((one) => one.status === 'PENDING');

interface PayButtonProps {
  /** The payment's id. */
  readonly id: string;
  readonly onChange: () => void;
  /** Leaves the payment unconfirmed until the tester mines blocks. */
  readonly isUnconfirmed?: boolean;
}

/** Pays what is due, in the sandbox. */
export function PayButton({ id, onChange, isUnconfirmed = false }: PayButtonProps): ReactNode {
  const [{ fetching }, deposit] = useMutation(SimulateDepositDocument);
  const pay = async () => {
    const { error } = await deposit({ input: { paymentId: id, ...(isUnconfirmed && { confirmations: 0 }) } });
    announce(error ? messageOf(error) : 'The test money has arrived');
    onChange();
  };
  return (
    <Button look={isUnconfirmed ? 'quiet' : 'main'} isPending={fetching} onPress={() => void pay()}>
      {isUnconfirmed ? 'Pay, not confirmed yet' : 'Pay from the faucet'}
    </Button>
  );
}

/** The test chain moves only on request; here, the tester mines a block. */
export function MineButton({ network, onChange }: { network: string; onChange: () => void }): ReactNode {
  const [{ fetching }, mine] = useMutation(MineBlocksDocument);
  const add = async () => {
    const { error } = await mine({ input: { network, count: 1 } });
    announce(error ? messageOf(error) : 'The test network has a block more');
    onChange();
  };
  return (
    <Button look="quiet" isPending={fetching} onPress={() => void add()}>
      Mine a block
    </Button>
  );
}
