// Payouts that wait for an approval, with the way to approve or reject each.

import { useEffect, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery } from 'urql';
import { approvableUntil } from '../../approval-time.ts';
import { PayoutAddressesDocument } from '../../generated/operations.ts';
import { Age, TimeLeft } from '../../components/age.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { TakeBack } from '../../components/payouts/take-back.tsx';
import { thingOf, useWaitingPayouts, type WaitingPayout } from '../../components/payouts/use-waiting-payouts.ts';
import { Who } from '../../components/payouts/who.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { useSession } from '../../session.ts';
import { PayoutAmount } from './amount.tsx';
import { Approve, Reject, type Waiting } from './decisions.tsx';

export default function Approvals(): ReactNode {
  const { payouts, error, refresh } = useWaitingPayouts();
  const { person, may } = useSession();
  const mayRead = may('READ_WALLET');
  const [book, reloadBook] = useQuery({ query: PayoutAddressesDocument, pause: !mayRead });
  // What was requested meanwhile may go to an address that was added meanwhile.
  useEffect(() => {
    if (mayRead && payouts) reloadBook({ requestPolicy: 'network-only' });
  }, [mayRead, payouts, reloadBook]);
  const [approving, setApproving] = useState<Waiting | null>(null);
  const [rejecting, setRejecting] = useState<Waiting | null>(null);
  const labelOf = (payout: WaitingPayout) =>
    payout.__typename === 'Withdrawal' && payout.addressId != null
      ? (book.data?.payoutAddresses.find(({ id }) => id === payout.addressId)?.label ?? null)
      : null;
  return (
    <Sheet title="Waiting for an approval">
      {error && <Problem error={error} onRetry={refresh} />}
      {!payouts && !error && <Loading lines={5} />}
      {payouts?.length === 0 && (
        <Empty title="Nothing waits for an approval.">
          <p>Withdrawals and refunds that your policy does not let leave at once are here, until somebody decides.</p>
        </Empty>
      )}
      {payouts && payouts.length > 0 && (
        <Table
          label="Waiting for an approval"
          rows={payouts.map((payout) => ({ payout, label: labelOf(payout) }))}
          keyOf={({ payout }) => payout.id}
          columns={columnsOf({ ownId: person.id, onApprove: setApproving, onReject: setRejecting, onChanged: refresh })}
        />
      )}
      <Approve waiting={approving} onClose={() => setApproving(null)} onDecided={refresh} />
      <Reject waiting={rejecting} onClose={() => setRejecting(null)} onDecided={refresh} />
    </Sheet>
  );
}

interface ColumnParts {
  readonly ownId: string;
  readonly onApprove: (waiting: Waiting) => void;
  readonly onReject: (waiting: Waiting) => void;
  readonly onChanged: () => void;
}

const columnsOf = (parts: ColumnParts): readonly Column<Waiting>[] => [
  {
    title: 'What',
    cell: ({ payout }) =>
      payout.__typename === 'Withdrawal' ? (
        'Withdrawal'
      ) : (
        <span>
          Refund of <Link href={`/payments/${payout.paymentId}`}>a payment</Link>
        </span>
      ),
  },
  { title: 'Amount', isNumber: true, cell: ({ payout }) => <PayoutAmount payout={payout} /> },
  {
    title: 'To',
    cell: ({ payout: { address }, label }) => (
      <span>
        {label !== null && <strong className="below">{label}</strong>}
        <Copy value={address} label="address" isShort />
      </span>
    ),
  },
  {
    title: 'Requested',
    cell: ({ payout: { createdAt, requestedBy } }) => (
      <span>
        <Age since={createdAt} /> ago
        <span className="quietly below">
          by <Who id={requestedBy} isWithin />
        </span>
      </span>
    ),
  },
  { title: 'Time left', cell: ({ payout: { createdAt } }) => <TimeLeft until={approvableUntil(createdAt)} /> },
  { title: 'Decision', isUntitled: true, cell: (waiting) => <Choice waiting={waiting} {...parts} /> },
];

function Choice({
  waiting,
  ownId,
  onApprove,
  onReject,
  onChanged,
}: ColumnParts & { readonly waiting: Waiting }): ReactNode {
  const { payout } = waiting;
  const thing = thingOf(payout);
  const of = `the ${thing} of ${payout.amount}`;
  if (payout.requestedBy === ownId)
    return (
      <span>
        <span className="quietly">You requested it, so somebody else has to approve it.</span>
        <TakeBack id={payout.id} thing={thing} onChanged={onChanged} />
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
