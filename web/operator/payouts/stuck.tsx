// Payouts that are under way for too long, with what holds each; and the way to let one fail.

import { useState, type ReactNode } from 'react';
import { useMutation, type CombinedError } from 'urql';
import { HELD_REASONS, type HeldReason } from '../../../src/values/held-reasons.ts';
import { written } from '../../console/amounts.ts';
import { Age } from '../../console/components/age.tsx';
import { Amount } from '../../console/components/amount.tsx';
import { announce } from '../../console/components/announcer.tsx';
import { Status } from '../../console/components/badge.tsx';
import { Copy } from '../../console/components/copy.tsx';
import { Button } from '../../console/components/forms/button.tsx';
import { ExplorerLink } from '../../console/components/explorer-link.tsx';
import { Details } from '../../console/components/overlays/details.tsx';
import { Facts, Sheet } from '../../console/components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../console/components/states.tsx';
import { Table, type Column } from '../../console/components/table.tsx';
import { Time } from '../../console/components/time.tsx';
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
  const [shown, setShown] = useState<string | null>(null);
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
          columns={[openedBy(setShown), ...COLUMNS, actionOf(setFailing)]}
        />
      )}
      <PayoutDetails
        payout={payouts?.find(({ id }) => id === shown)}
        onFail={setFailing}
        onClose={() => setShown(null)}
      />
      <ReasonQuestion
        title={failing ? `Fail the payout of ${inWords(failing)} on ${networkName(failing.network)}?` : ''}
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

const inWords = ({ amount, currency }: Stuck): string => `${written(amount, currency)} ${currency}`;

/** Its words are the middle of a sentence. */
const whyHeld = (reason: string): string => {
  const words = HELD_REASONS[reason as HeldReason] as string | undefined;
  return words === undefined ? reason : words.slice(0, 1).toUpperCase() + words.slice(1);
};

const openedBy = (onOpen: (id: string) => void): Column<Stuck> => ({
  title: 'Payout',
  phone: 'first',
  cell: (payout) => (
    <Button
      look="link"
      aria-label={`${payout.__typename} of ${inWords(payout)}, details`}
      onPress={() => onOpen(payout.id)}
    >
      {payout.__typename}
    </Button>
  ),
});

const COLUMNS: readonly Column<Stuck>[] = [
  {
    title: 'Amount',
    phone: 'first-end',
    isNumber: true,
    cell: ({ amount, currency, network }) => <Amount value={amount} currency={currency} network={network} />,
  },
  { title: 'To', cell: ({ address }) => <Copy value={address} label="address" isShort /> },
  {
    title: 'Status',
    cell: ({ status, heldReason }) => (
      <span>
        <Status status={status} />
        {heldReason != null && <span className="quietly below">{whyHeld(heldReason)}</span>}
      </span>
    ),
  },
  { title: 'Requested', cell: ({ createdAt }) => <Age since={createdAt} /> },
];

const actionOf = (onFail: (payout: Stuck) => void): Column<Stuck> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (payout) => (
    <Button look="link" aria-label={`Fail payout of ${inWords(payout)}`} onPress={() => onFail(payout)}>
      Fail payout
    </Button>
  ),
});

interface PayoutDetailsProps {
  /** It is closed while it is undefined. */
  readonly payout: Stuck | undefined;
  readonly onFail: (payout: Stuck) => void;
  readonly onClose: () => void;
}

function PayoutDetails({ payout, onFail, onClose }: PayoutDetailsProps): ReactNode {
  return (
    <Details
      title={payout ? `${payout.__typename} of ${inWords(payout)}` : 'Payout'}
      isOpen={payout !== undefined}
      onClose={onClose}
      actions={payout && <Button onPress={() => onFail(payout)}>Fail payout</Button>}
    >
      {payout && <Facts rows={factsOf(payout)} />}
    </Details>
  );
}

function factsOf(payout: Stuck): readonly (readonly [name: string, value: ReactNode] | null)[] {
  const { id, amount, currency, network, address, status, heldReason, createdAt, updatedAt, txHash } = payout;
  const explorerUrl = payout.explorerUrl ?? null;
  return [
    ['Amount', <Amount key="amount" value={amount} currency={currency} network={network} />],
    ['Status', <Status key="status" status={status} />],
    heldReason == null ? null : ['Held', whyHeld(heldReason)],
    heldReason == null ? null : ['Code of the reason', <code key="code">{heldReason}</code>],
    ['Requested', <Time key="created" value={createdAt} isExact />],
    ['Last change', <Time key="updated" value={updatedAt} isExact />],
    ['To', <Copy key="address" value={address} label="address" />],
    txHash == null ? null : ['Transaction', <ExplorerLink key="transaction" {...{ txHash, explorerUrl }} />],
    ['Payout id', <Copy key="id" value={id} label="payout id" />],
    payout.__typename === 'Refund'
      ? ['Refund of payment', <Copy key="payment" value={payout.paymentId} label="payment id" />]
      : null,
  ];
}
