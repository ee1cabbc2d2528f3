// Payouts that are under way for too long, with what holds each; and the way to let one fail.

import { useState, type ReactNode } from 'react';
import { useMutation, type CombinedError } from 'urql';
import { Age } from '../../console/components/age.tsx';
import { announce } from '../../console/components/announcer.tsx';
import { Status } from '../../console/components/badge.tsx';
import { Copy } from '../../console/components/copy.tsx';
import { Button } from '../../console/components/forms/button.tsx';
import { Sheet } from '../../console/components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../console/components/states.tsx';
import { Table, type Column } from '../../console/components/table.tsx';
import { networkName } from '../../console/networks.ts';
import { FailPayoutDocument, type StuckPayoutsQuery } from '../generated/operations.ts';
import { ReasonQuestion } from '../reason-question.tsx';
import { saysWhatHappened } from '../actions/outcome.ts';

type Stuck = StuckPayoutsQuery['stuckPayouts'][number];

interface StuckProps {
  readonly payouts: readonly Stuck[] | undefined;
  readonly error: CombinedError | undefined;
  readonly onChanged: () => void;
}

export function StuckPayouts({ payouts, error, onChanged }: StuckProps): ReactNode {
  const [failing, setFailing] = useState<Stuck | null>(null);
  const [, fail] = useMutation(FailPayoutDocument);
  return (
    <Sheet title="Stuck payouts">
      {error && <Problem error={error} onRetry={onChanged} />}
      {!payouts && !error && <Loading lines={4} />}
      {payouts?.length === 0 && (
        <Empty title="No payout is stuck.">
          <p>Payouts that take too long show here, with the reason.</p>
        </Empty>
      )}
      {payouts && payouts.length > 0 && (
        <Table
          label="Stuck payouts"
          rows={payouts}
          keyOf={({ id }) => id}
          columns={[...COLUMNS, actionOf(setFailing)]}
        />
      )}
      <ReasonQuestion
        title={`Fail the payout of ${failing?.amount ?? ''}?`}
        action="Fail payout"
        isDanger
        isOpen={failing !== null}
        onClose={() => setFailing(null)}
        onConfirm={async (reason) => {
          const outcome = await fail({ id: failing?.id ?? '', reason });
          if (outcome.data) {
            onChanged();
            announce(saysWhatHappened(outcome.data.failPayout, 'The payout has failed, and its money is released'));
          }
          return outcome;
        }}
      >
        <p>
          Refused while one of its transactions can still be mined. Otherwise the merchant has the money available
          again.
        </p>
      </ReasonQuestion>
    </Sheet>
  );
}

const COLUMNS: readonly Column<Stuck>[] = [
  {
    title: 'Payout',
    cell: ({ __typename, id }) => (
      <span>
        <span className="below">{__typename}</span>
        <Copy value={id} label="payout id" isShort />
      </span>
    ),
  },
  {
    title: 'Amount',
    isNumber: true,
    cell: (payout) =>
      payout.__typename === 'Withdrawal'
        ? `${payout.amount} ${payout.currency} on ${networkName(payout.network)}`
        : payout.amount,
  },
  { title: 'To', cell: ({ address }) => <Copy value={address} label="address" isShort /> },
  {
    title: 'Status',
    cell: ({ status, heldReason }) => (
      <span>
        <Status status={status} />
        {heldReason != null && <span className="quietly below">{heldReason}</span>}
      </span>
    ),
  },
  { title: 'Requested', cell: ({ createdAt }) => <Age since={createdAt} /> },
];

const actionOf = (onFail: (payout: Stuck) => void): Column<Stuck> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (payout) => (
    <Button look="link" aria-label={`Fail payout of ${payout.amount}`} onPress={() => onFail(payout)}>
      Fail payout
    </Button>
  ),
});
