// What the gateway itself holds: its fees, and money whose owner is unknown; with the ways to move both.

import { useCallback, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { announce } from '../../console/components/announcer.tsx';
import { Button } from '../../console/components/forms/button.tsx';
import { useConfirmedMutation } from '../../console/components/forms/confirmation-question.tsx';
import { Field } from '../../console/components/forms/field.tsx';
import { OperationForm, textOf, textOrNull } from '../../console/components/forms/operation-form.tsx';
import { Select } from '../../console/components/forms/select.tsx';
import { useRefreshOnReturn } from '../../console/components/hooks/use-pages.ts';
import { Popup } from '../../console/components/overlays/popup.tsx';
import { Sheet } from '../../console/components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../console/components/states.tsx';
import { amountColumn, Table, type Column } from '../../console/components/table.tsx';
import { isZero } from '../../console/amounts.ts';
import { networkName } from '../../console/networks.ts';
import {
  CreditSuspenseDocument,
  GatewayFundsDocument,
  WithdrawFeesDocument,
  WriteOffSuspenseDocument,
  type GatewayFundsQuery,
} from '../generated/operations.ts';
import { saysWhatHappened } from '../actions/outcome.ts';

type Funds = GatewayFundsQuery['gatewayFunds'][number];

export default function GatewayFunds(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: GatewayFundsDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const [withdrawing, setWithdrawing] = useState<Funds | null>(null);
  const [resolving, setResolving] = useState<Funds | null>(null);
  const columns = [...COLUMNS, actionsOf(setWithdrawing, setResolving)];
  return (
    <Sheet title="Fees and suspense">
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading lines={5} />}
      {data?.gatewayFunds.length === 0 && (
        <Empty title="No funds yet.">
          <p>Your fees appear here, and money without an owner.</p>
        </Empty>
      )}
      {data && data.gatewayFunds.length > 0 && (
        <Table label="Fees and suspense" rows={data.gatewayFunds} keyOf={nameOf} columns={columns} />
      )}
      <Popup title="Withdraw fees" isOpen={withdrawing !== null} onClose={() => setWithdrawing(null)}>
        {withdrawing && <WithdrawForm of={withdrawing} onClose={() => setWithdrawing(null)} onDone={refresh} />}
      </Popup>
      <Popup title="Resolve suspense" isOpen={resolving !== null} onClose={() => setResolving(null)}>
        {resolving && <SuspenseForm of={resolving} onClose={() => setResolving(null)} onDone={refresh} />}
      </Popup>
    </Sheet>
  );
}

const nameOf = ({ currency, network }: Funds): string => `${currency} on ${networkName(network)}`;

const COLUMNS: readonly Column<Funds>[] = [
  { title: 'Asset', cell: (funds) => <strong>{nameOf(funds)}</strong> },
  amountColumn('Fees', ({ fees, currency }) => [fees, currency]),
  amountColumn('Withdrawable', ({ withdrawable, currency }) => [withdrawable, currency]),
  amountColumn('Suspense', ({ suspense, currency }) => [suspense, currency]),
];

type Choose = (funds: Funds) => void;

const actionsOf = (onWithdraw: Choose, onResolve: Choose): Column<Funds> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (funds) => (
    <span className="row-actions">
      {!isZero(funds.withdrawable) && (
        <Button look="link" aria-label={`Withdraw fees of ${nameOf(funds)}`} onPress={() => onWithdraw(funds)}>
          Withdraw fees
        </Button>
      )}
      {!isZero(funds.suspense) && (
        <Button look="link" aria-label={`Resolve suspense of ${nameOf(funds)}`} onPress={() => onResolve(funds)}>
          Resolve
        </Button>
      )}
    </span>
  ),
});

interface FormProps {
  readonly of: Funds;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function WithdrawForm({ of: { currency, network, withdrawable }, onClose, onDone }: FormProps): ReactNode {
  const [, withdraw] = useConfirmedMutation(WithdrawFeesDocument);
  return (
    <OperationForm
      action="Withdraw"
      onCancel={onClose}
      onSubmit={async (form) => {
        const outcome = await withdraw({ network, currency, amount: textOf(form, 'amount') });
        if (outcome.data) {
          onClose();
          onDone();
          announce(saysWhatHappened(outcome.data.withdrawFees, 'The fees are on their way to the cold address'));
        }
        return outcome;
      }}
    >
      <p className="hint">Fees go to the cold address of {networkName(network)} alone.</p>
      <Field
        label={`Amount in ${currency}`}
        name="amount"
        inputMode="decimal"
        autoComplete="off"
        hint={`At most ${withdrawable}.`}
        isRequired
        autoFocus
      />
    </OperationForm>
  );
}

function SuspenseForm({ of: { currency, network, suspense }, onClose, onDone }: FormProps): ReactNode {
  const [, credit] = useConfirmedMutation(CreditSuspenseDocument);
  const [, writeOff] = useConfirmedMutation(WriteOffSuspenseDocument);
  const [isCredit, setCredit] = useState(true);
  return (
    <OperationForm
      action={isCredit ? 'Credit it' : 'Write it off'}
      onCancel={onClose}
      onSubmit={async (form) => {
        const [paymentId, amount] = [textOrNull(form, 'paymentId'), textOf(form, 'amount')];
        const input = { network, currency, amount, paymentId, reason: textOf(form, 'reason') };
        const outcome = isCredit ? await credit({ input }) : await writeOff({ input });
        const action =
          outcome.data &&
          ('creditSuspense' in outcome.data ? outcome.data.creditSuspense : outcome.data.writeOffSuspense);
        if (action) {
          onClose();
          onDone();
          announce(saysWhatHappened(action, isCredit ? 'The payment is credited' : 'It is written off'));
        }
        return outcome;
      }}
    >
      <Select
        label="Resolution"
        value={isCredit ? 'credit' : 'write-off'}
        onChange={(value) => setCredit(value === 'credit')}
        options={[
          ['credit', 'Credit a payment'],
          ['write-off', 'Write it off'],
        ]}
      />
      {isCredit && <Field label="Payment id" name="paymentId" autoComplete="off" spellCheck="false" isRequired />}
      <Field
        label={`Amount in ${currency}`}
        name="amount"
        inputMode="decimal"
        autoComplete="off"
        hint={`In suspense: ${suspense}.`}
        isRequired
      />
      <Field label="Reason" name="reason" autoComplete="off" maxLength={255} isRequired />
    </OperationForm>
  );
}
