// What to withdraw, and where to: the form before the confirmation.

import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { compareAmounts, isZero, less } from '../../amounts.ts';
import { newOnceKey } from '../../client.ts';
import { networkName } from '../../networks.ts';
import {
  PayoutAddressesDocument,
  PayoutPolicyDocument,
  type PayoutAddressRowFragment,
  type PayoutRuleSetFragment,
  type WalletQuery,
} from '../../generated/operations.ts';
import { Button } from '../../components/forms/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOrNull, type Outcome } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';
import { limitWords } from '../../components/payouts/limit-words.ts';
import { useRecipientCheck } from '../../components/payouts/use-recipient-check.ts';
import { Loading } from '../../components/states.tsx';
import { RecipientFields, recipientOf, type Recipient } from './recipient.tsx';

export type Balance = WalletQuery['walletBalances'][number];

/** A withdrawal as entered in the form. */
export interface Plan {
  readonly balance: Balance;
  /** The amount to request; `max` for everything. */
  readonly amount: string;
  /** The amount that the recipient gets. */
  readonly sent: string;
  readonly fee: string;
  readonly recipient: Recipient;
  readonly reference: string | null;
  /** The idempotency key: sent again with the same key, the withdrawal is paid once. */
  readonly key: string;
}

interface WithdrawFormProps {
  readonly balances: readonly Balance[];
  readonly feeOf: (balance: Balance) => string;
  readonly onPlan: (plan: Plan) => void;
  readonly onCancel: () => void;
}

/** The form, once it is known what the policy and the book allow; the gateway judges in any case. */
export function WithdrawForm(props: WithdrawFormProps): ReactNode {
  const [book] = useQuery({ query: PayoutAddressesDocument });
  const [policy] = useQuery({ query: PayoutPolicyDocument });
  if ((!book.data && !book.error) || (!policy.data && !policy.error)) return <Loading lines={5} />;
  return (
    <Fields {...props} book={book.data?.payoutAddresses ?? []} rules={policy.data?.payoutPolicy.inForce ?? null} />
  );
}

interface FieldsProps extends WithdrawFormProps {
  readonly book: readonly PayoutAddressRowFragment[];
  readonly rules: PayoutRuleSetFragment | null;
}

function Fields({ balances, feeOf, onPlan, onCancel, book, rules }: FieldsProps): ReactNode {
  const [asset, setAsset] = useState(() => nameOf(balances[0]));
  const [amount, setAmount] = useState('');
  const check = useRecipientCheck();
  const balance = balances.find((other) => nameOf(other) === asset);
  if (!balance) return null;
  const { network } = balance;
  const fee = feeOf(balance);
  const most = compareAmounts(balance.available, fee) > 0 ? less(balance.available, fee) : '0';
  const booked = book.filter((entry) => entry.network === network && entry.status === 'ACTIVE');
  const isBookOnly = rules?.bookOnly === true;
  const limits = rules && limitWords(rules, balance);
  const plan = async (data: FormData): Promise<Outcome> => {
    const recipient = recipientOf(data, booked);
    const error = recipient.entry === null ? await check(network, recipient.address) : undefined;
    if (error) return { error };
    const isAll = amount === most;
    onPlan({
      balance,
      amount: isAll ? 'max' : amount,
      sent: amount,
      fee,
      recipient,
      reference: textOrNull(data, 'reference'),
      key: newOnceKey(),
    });
    return {};
  };
  return (
    <OperationForm action="Continue" isDisabled={isBookOnly && booked.length === 0} onCancel={onCancel} onSubmit={plan}>
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
      {limits !== null && <p className="hint">{limits}</p>}
      <RecipientFields key={network} network={network} booked={booked} isBookOnly={isBookOnly} />
      <Field
        label="Your reference (optional)"
        name="reference"
        autoComplete="off"
        hint="The same reference is never paid twice."
      />
    </OperationForm>
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
