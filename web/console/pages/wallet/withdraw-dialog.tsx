// Requests a withdrawal: asset, amount and address, then a confirmation with the fee and the password.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { isZero } from '../../amounts.ts';
import { onlyOnce } from '../../client.ts';
import { networkName } from '../../networks.ts';
import { WithdrawDocument, type WalletQuery } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { announce } from '../../components/announcer.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { WithdrawForm, type Balance, type Plan } from './withdraw-form.tsx';

interface WithdrawDialogProps {
  /** The balances with money to withdraw. */
  readonly balances: readonly Balance[];
  readonly currencies: WalletQuery['currencies'];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function WithdrawDialog({ balances, currencies, isOpen, onClose, onDone }: WithdrawDialogProps): ReactNode {
  const [plan, setPlan] = useState<Plan | null>(null);
  const [, withdraw] = useMutation(WithdrawDocument);
  const feeOf = ({ currency, network }: Balance) =>
    currencies.find((other) => other.currency === currency && other.network === network)?.networkFee ?? '0';
  const pay = async ({ balance, amount, recipient: { address, entry }, reference, key }: Plan) => {
    const { currency, network } = balance;
    const destination = entry === null ? { address } : { addressId: entry.id };
    const input = { currency, network, amount, ...destination, merchantWithdrawalId: reference };
    const outcome = await withdraw({ input }, onlyOnce(key));
    if (outcome.data) {
      onClose();
      onDone();
      const isWaiting = outcome.data.withdraw.status === 'AWAITING_APPROVAL';
      announce(isWaiting ? 'The withdrawal needs an approval' : 'The withdrawal is on its way');
    }
    return outcome;
  };
  return (
    <>
      <Popup title="Withdraw" isOpen={isOpen && plan === null} onClose={onClose}>
        <WithdrawForm balances={balances} feeOf={feeOf} onPlan={setPlan} onCancel={onClose} />
      </Popup>
      {plan && (
        <Confirm
          title={`Withdraw ${plan.sent} ${plan.balance.currency}?`}
          action={`Withdraw ${plan.sent} ${plan.balance.currency}`}
          refusal="Go back"
          needsProof
          isOpen
          onClose={() => setPlan(null)}
          onConfirm={() => pay(plan)}
        >
          <Words plan={plan} />
        </Confirm>
      )}
    </>
  );
}

function Words({ plan }: { readonly plan: Plan }): ReactNode {
  const { balance, sent, fee, recipient } = plan;
  const { currency, network } = balance;
  return (
    <>
      <p>
        <Amount value={sent} currency={currency} /> will be sent on <strong>{networkName(network)}</strong> to
        {recipient.entry && (
          <>
            {' '}
            <strong>{recipient.entry.label}</strong>
          </>
        )}
      </p>
      <p>
        <code className="address">{recipient.address}</code>
      </p>
      <p>
        {isZero(fee) ? (
          'There is no network fee.'
        ) : (
          <>
            A network fee of <Amount value={fee} currency={currency} /> is charged on top.
          </>
        )}{' '}
        Check every character of the address: a transfer on {networkName(network)} cannot be reversed.
      </p>
    </>
  );
}
