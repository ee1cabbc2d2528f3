// Payouts that wait for an approval, with the way to approve or reject each.

import { useEffect, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery } from 'urql';
import { approvableUntil } from '../../approval-time.ts';
import { PayoutAddressesDocument } from '../../generated/operations.ts';
import { Age, TimeLeft } from '../../components/age.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { useHeldRows } from '../../components/lists/use-held-rows.ts';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { TakeBack } from '../../components/payouts/take-back.tsx';
import { thingOf, useWaitingPayouts, type WaitingDecision } from '../../components/payouts/use-waiting-payouts.ts';
import { Who } from '../../components/payouts/who.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { useSession } from '../../session.ts';
import { DecisionAmount } from './amount.tsx';
import { Approve, Reject, type Waiting } from './decisions.tsx';

export default function Approvals(): ReactNode {
  const { decisions: waiting, error, refresh } = useWaitingPayouts();
  const { rows: decisions, place } = useHeldRows({ rows: waiting, keyOf, of: 'approvals' });
  const { person, may } = useSession();
  const mayRead = may('READ_WALLET');
  const [book, reloadBook] = useQuery({ query: PayoutAddressesDocument, pause: !mayRead });
  // What was requested meanwhile may go to an address that was added meanwhile.
  useEffect(() => {
    if (mayRead && waiting) reloadBook({ requestPolicy: 'network-only' });
  }, [mayRead, waiting, reloadBook]);
  const [approving, setApproving] = useState<Waiting | null>(null);
  const [rejecting, setRejecting] = useState<Waiting | null>(null);
  const labelOf = ({ first, payouts }: WaitingDecision) =>
    payouts.length === 1 && first.__typename === 'Withdrawal' && first.addressId != null
      ? (book.data?.payoutAddresses.find(({ id }) => id === first.addressId)?.label ?? null)
      : null;
  return (
    <Sheet title="Waiting for approval">
      {error && <Problem error={error} onRetry={refresh} />}
      {!decisions && !error && <Loading lines={5} />}
      {decisions?.length === 0 && (
        <Empty title="Nothing to approve.">
          <p>Withdrawals and refunds that need an approval show here until someone decides.</p>
        </Empty>
      )}
      <div ref={place}>
        {decisions && decisions.length > 0 && (
          <Table
            label="Waiting for approval"
            rows={decisions.map((decision) => ({ decision, label: labelOf(decision) }))}
            keyOf={({ decision }) => decision.id}
            columns={columnsOf({
              ...{ ownId: person.id, onChanged: refresh },
              ...{ onApprove: setApproving, onReject: setRejecting },
            })}
          />
        )}
      </div>
      <Approve waiting={approving} onClose={() => setApproving(null)} onDecided={refresh} />
      <Reject waiting={rejecting} onClose={() => setRejecting(null)} onDecided={refresh} />
    </Sheet>
  );
}

const keyOf = ({ id }: WaitingDecision) => id;

interface ColumnParts {
  readonly ownId: string;
  readonly onApprove: (waiting: Waiting) => void;
  readonly onReject: (waiting: Waiting) => void;
  readonly onChanged: () => void;
}

const columnsOf = (parts: ColumnParts): readonly Column<Waiting>[] => [
  {
    title: 'Payout',
    cell: ({ decision: { first, payouts } }) => {
      if (payouts.length > 1) return `Batch of ${payouts.length} withdrawals`;
      if (first.__typename === 'Withdrawal') return 'Withdrawal';
      return (
        <span>
          Refund of <Link href={`/payments/${first.paymentId}`}>a payment</Link>
        </span>
      );
    },
  },
  { title: 'Amount', phone: 'first', isNumber: true, cell: ({ decision }) => <DecisionAmount decision={decision} /> },
  {
    title: 'To',
    cell: ({ decision: { first, payouts }, label }) =>
      payouts.length > 1 ? (
        `${new Set(payouts.map(({ address }) => address)).size} addresses`
      ) : (
        <span>
          {label !== null && <strong className="below">{label}</strong>}
          <Copy value={first.address} label="address" isShort />
        </span>
      ),
  },
  {
    title: 'Requested',
    cell: ({ decision: { first } }) => (
      <span>
        <Age since={first.createdAt} /> ago
        <span className="quietly below">
          by <Who id={first.requestedBy} isWithin />
        </span>
      </span>
    ),
  },
  {
    title: 'Time left',
    phone: 'first-end',
    cell: ({ decision: { first } }) => <TimeLeft until={approvableUntil(first.createdAt)} />,
  },
  { title: 'Decision', isUntitled: true, cell: (waiting) => <Choice waiting={waiting} {...parts} /> },
];

function Choice({
  waiting,
  ownId,
  onApprove,
  onReject,
  onChanged,
}: ColumnParts & { readonly waiting: Waiting }): ReactNode {
  const { id, first, payouts } = waiting.decision;
  const thing = thingOf(waiting.decision);
  const of = payouts.length > 1 ? `the ${thing}` : `the ${thing} of ${first.amount}`;
  if (first.requestedBy === ownId)
    return (
      <span>
        <span className="quietly">You requested this, so someone else must approve it.</span>
        <TakeBack id={id} thing={thing} onChanged={onChanged} />
      </span>
    );
  return (
    <span className="row-actions">
      <Button look="link" aria-label={`Approve ${of}`} onPress={() => onApprove(waiting)}>
        Approve
      </Button>
      <Button look="link" aria-label={`Reject ${of}`} onPress={() => onReject(waiting)}>
        Reject
      </Button>
    </span>
  );
}
