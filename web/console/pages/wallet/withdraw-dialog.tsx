// Requests a withdrawal: asset, amount and address, then a confirmation with the fee and the password.

import { useState, type ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { useMutation } from 'urql';
import { compareAmounts, isZero, less } from '../../amounts.ts';
import { newOnceKey, onlyOnce } from '../../client.ts';
import { networkName } from '../../networks.ts';
import { WithdrawDocument, type WalletQuery } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf, textOrNull } from '../../components/forms/operation-form.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Select } from '../../components/forms/select.tsx';

type Balance = WalletQuery['walletBalances'][number];

interface WithdrawDialogProps {
  /** The balances with money to withdraw. */
  readonly balances: readonly Balance[];
  readonly currencies: WalletQuery['currencies'];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A withdrawal as entered in the form. */
interface Plan {
  readonly balance: Balance;
  /** The amount to request; `max` for everything. */
  readonly amount: string;
  /** The amount that the recipient gets. */
  readonly sent: string;
  readonly fee: string;
  readonly address: string;
  readonly reference: string | null;
  /** The idempotency key: sent again with the same key, the withdrawal is paid once. */
  readonly key: string;
}

export function WithdrawDialog({ balances, currencies, isOpen, onClose, onDone }: WithdrawDialogProps): ReactNode {
  const [plan, setPlan] = useState<Plan | null>(null);
  const [, withdraw] = useMutation(WithdrawDocument);
  const feeOf = ({ currency, network }: Balance) =>
    currencies.find((other) => other.currency === currency && other.network === network)?.networkFee ?? '0';
  const pay = async ({ balance, amount, address, reference, key }: Plan) => {
    const { currency, network } = balance;
    const input = { currency, network, amount, address, merchantWithdrawalId: reference };
    const outcome = await withdraw({ input }, onlyOnce(key));
    if (outcome.data) {
      onClose();
      onDone();
      announce('The withdrawal is on its way');
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
  const { balance, sent, fee, address } = plan;
  const { currency, network } = balance;
  return (
    <>
      <p>
        <Amount value={sent} currency={currency} /> will be sent on <strong>{networkName(network)}</strong> to
      </p>
      <p>
        <code className="address">{address}</code>
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

interface WithdrawFormProps {
  readonly balances: readonly Balance[];
  readonly feeOf: (balance: Balance) => string;
  readonly onPlan: (plan: Plan) => void;
  readonly onCancel: () => void;
}

function WithdrawForm({ balances, feeOf, onPlan, onCancel }: WithdrawFormProps): ReactNode {
  const [asset, setAsset] = useState(() => nameOf(balances[0]));
  const [amount, setAmount] = useState('');
  const balance = balances.find((other) => nameOf(other) === asset);
  if (!balance) return null;
  const fee = feeOf(balance);
  const most = compareAmounts(balance.available, fee) > 0 ? less(balance.available, fee) : '0';
  const plan = (data: FormData) => {
    const isAll = amount === most;
    onPlan({
      balance,
      amount: isAll ? 'max' : amount,
      sent: amount,
      fee,
      address: textOf(data, 'address'),
      reference: textOrNull(data, 'reference'),
      key: newOnceKey(),
    });
  };
  return (
    <Form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        plan(new FormData(event.currentTarget));
      }}
    >
      <Select
        label="From"
        value={asset}
        onChange={setAsset}
        options={balances.map((other) => [
          nameOf(other),
          `${other.currency} on ${networkName(other.network)}: ${other.available} available`,
        ])}
      />
      <div className="beside">
        <Field
          label={`Amount in ${balance.currency}`}
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          value={amount}
          onChange={setAmount}
          validate={(value) => faultOfAmount(value.trim(), most)}
          hint={isZero(fee) ? `At most ${most}.` : `At most ${most}: ${fee} is for the network fee.`}
          isRequired
        />
        <Button look="quiet" onPress={() => setAmount(most)}>
          Everything
        </Button>
      </div>
      <Field
        label={`Address on ${networkName(balance.network)}`}
        name="address"
        autoComplete="off"
        spellCheck="false"
        hint={`It must be one on ${networkName(balance.network)}; on another network the money would be lost.`}
        isRequired
      />
      <Field
        label="Your reference (optional)"
        name="reference"
        autoComplete="off"
        hint="The same reference is never paid twice."
      />
      <div className="actions">
        <Button look="quiet" onPress={onCancel}>
          Cancel
        </Button>
        <Button type="submit">Continue</Button>
      </div>
    </Form>
  );
}

const nameOf = (balance: Balance | undefined) => (balance ? `${balance.currency}/${balance.network}` : '');

/** Validates the amount while it is typed; the gateway validates the rest. */
function faultOfAmount(amount: string, most: string): string | null {
  if (amount === '') return null;
  if (!/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/.test(amount)) return 'Use digits and a decimal point, such as 25.50';
  if (isZero(amount)) return 'Enter an amount greater than zero';
  return compareAmounts(amount, most) > 0 ? `You can withdraw ${most} at most` : null;
}
