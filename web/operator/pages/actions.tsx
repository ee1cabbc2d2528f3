// What operators have asked for, with the way to approve or reject what waits for a second one.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { Amount } from '../../console/components/amount.tsx';
import { announce } from '../../console/components/announcer.tsx';
import { Badge, type Tone } from '../../console/components/badge.tsx';
import { Copy } from '../../console/components/copy.tsx';
import { Button } from '../../console/components/forms/button.tsx';
import { usePages } from '../../console/components/hooks/use-pages.ts';
import { usePolling } from '../../console/components/hooks/use-polling.ts';
import { Confirm } from '../../console/components/overlays/confirm.tsx';
import { Sheet } from '../../console/components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../console/components/states.tsx';
import { Table, type Column } from '../../console/components/table.tsx';
import { Time } from '../../console/components/time.tsx';
import {
  ApproveActionDocument,
  OperatorActionsDocument,
  RejectActionDocument,
  type ActionKind,
  type ActionRowFragment,
  type ActionStatus,
} from '../generated/operations.ts';
import { usePerson } from '../person.ts';
import { ReasonQuestion } from '../reason-question.tsx';

const LOOK_EVERY_MS = 15_000;

export default function Actions(): ReactNode {
  const { id: ownId } = usePerson();
  const [approving, setApproving] = useState<ActionRowFragment | null>(null);
  const [rejecting, setRejecting] = useState<ActionRowFragment | null>(null);
  const [, approve] = useMutation(ApproveActionDocument);
  const [, reject] = useMutation(RejectActionDocument);
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: OperatorActionsDocument,
    variables: {},
    read: (data) => data.operatorActions,
    keyOf: ({ id }: ActionRowFragment) => id,
  });
  usePolling(true, refresh, LOOK_EVERY_MS);
  return (
    <Sheet title="Actions">
      {error && <Problem error={error} onRetry={refresh} />}
      {!nodes && !error && <Loading lines={5} />}
      {nodes?.length === 0 && (
        <Empty title="No actions yet.">
          <p>Fee withdrawals, failed payouts and resolved suspense show here, with who requested and who decided.</p>
        </Empty>
      )}
      {nodes && nodes.length > 0 && (
        <Table
          label="Actions"
          rows={nodes}
          keyOf={({ id }) => id}
          columns={[...COLUMNS, actionsOf({ ownId, onApprove: setApproving, onReject: setRejecting })]}
          onMore={loadMore}
          isLoadingMore={isLoadingMore}
        />
      )}
      <Confirm
        title={approving ? `Approve: ${WORDS[approving.kind]}?` : 'Approve?'}
        action="Approve"
        refusal="Cancel"
        needsProof
        isOpen={approving !== null}
        onClose={() => setApproving(null)}
        onConfirm={async () => {
          const outcome = await approve({ id: approving?.id ?? '' });
          if (outcome.data) {
            refresh();
            announce('It is done');
          }
          return outcome;
        }}
      >
        <p>It is checked again and carried out immediately.</p>
        {approving && <p className="long">{approving.reason}</p>}
      </Confirm>
      <ReasonQuestion
        title={rejecting ? `Reject: ${WORDS[rejecting.kind]}?` : 'Reject?'}
        action="Reject"
        isDanger
        isOpen={rejecting !== null}
        onClose={() => setRejecting(null)}
        onConfirm={async (reason) => {
          const outcome = await reject({ id: rejecting?.id ?? '', reason });
          if (outcome.data) {
            refresh();
            announce('It is rejected');
          }
          return outcome;
        }}
      >
        <p>Nothing is moved.</p>
      </ReasonQuestion>
    </Sheet>
  );
}

const WORDS: Readonly<Record<ActionKind, string>> = {
  FAIL_PAYOUT: 'Fail a payout',
  CREDIT_SUSPENSE: 'Credit suspense',
  WRITE_OFF_SUSPENSE: 'Write off suspense',
  WITHDRAW_FEES: 'Withdraw fees',
};

const STATUSES: Readonly<Record<ActionStatus, readonly [tone: Tone, words: string]>> = {
  PENDING: ['busy', 'Pending'],
  DONE: ['good', 'Done'],
  REJECTED: ['bad', 'Rejected'],
  EXPIRED: ['calm', 'Expired'],
};

/** Who asked or decided: an operator's id, or the name that they gave on the command line. */
const By = ({ operator }: { readonly operator: string }): ReactNode => (
  <span className="quietly below">
    by <Copy value={operator} label="operator" isShort />
  </span>
);

const COLUMNS: readonly Column<ActionRowFragment>[] = [
  {
    title: 'Action',
    phone: 'first',
    cell: ({ kind, target, reason }) => (
      <span>
        <strong className="below">{WORDS[kind]}</strong>
        {target != null && <Copy value={target} label="id" isShort />}
        <span className="quietly below long">{reason}</span>
      </span>
    ),
  },
  {
    title: 'Amount',
    isNumber: true,
    cell: ({ amount, currency, network }) => <Amount value={amount} currency={currency} network={network} />,
  },
  {
    title: 'Requested',
    cell: ({ createdAt, requestedBy }) => (
      <span>
        <Time value={createdAt} />
        <By operator={requestedBy} />
      </span>
    ),
  },
  {
    title: 'Status',
    phone: 'first-end',
    cell: ({ status, decidedBy }) => (
      <span>
        <Badge tone={STATUSES[status][0]}>{STATUSES[status][1]}</Badge>
        {decidedBy != null && <By operator={decidedBy} />}
      </span>
    ),
  },
];

interface ActionChoices {
  readonly ownId: string;
  readonly onApprove: (action: ActionRowFragment) => void;
  readonly onReject: (action: ActionRowFragment) => void;
}

const actionsOf = ({ ownId, onApprove, onReject }: ActionChoices): Column<ActionRowFragment> => ({
  title: 'Decision',
  isUntitled: true,
  cell: (action) => {
    if (action.status !== 'PENDING') return null;
    const reject = (
      <Button look="link" aria-label={`Reject: ${WORDS[action.kind]}`} onPress={() => onReject(action)}>
        Reject
      </Button>
    );
    if (action.requestedBy === ownId)
      return (
        <span>
          <span className="quietly below">You requested this, so another operator must approve it.</span>
          {reject}
        </span>
      );
    return (
      <span className="row-actions">
        <Button look="link" aria-label={`Approve: ${WORDS[action.kind]}`} onPress={() => onApprove(action)}>
          Approve
        </Button>
        {reject}
      </span>
    );
  },
});
