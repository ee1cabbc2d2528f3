// The refunds of a payment, updated live.

import { useEffect, type ReactNode } from 'react';
import { RefundsDocument, type PayoutChangesSubscription, type RefundRowFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Copy } from '../../components/copy.tsx';
import { PayoutOrigin, PayoutState, PayoutTransaction } from '../../components/payouts/payout-state.tsx';
import { useLivePayouts } from '../../components/payouts/use-live-payouts.ts';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Problem } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { usePages } from '../../components/hooks/use-pages.ts';

interface RefundsProps {
  readonly paymentId: string;
  readonly currency: string;
  readonly title?: string;
  /** Changes with each new refund, which reloads the list. */
  readonly turn: number;
  /** Called when a refund has ended. */
  readonly onChange: () => void;
}

/** The list of refunds; renders nothing if there are none. */
export function Refunds({ paymentId, currency, title = 'Refunds', turn, onChange }: RefundsProps): ReactNode {
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: RefundsDocument,
    variables: { filter: { paymentId } },
    read: (data) => data.refunds,
    keyOf: ({ id }: RefundRowFragment) => id,
  });
  useEffect(() => {
    if (turn > 0) refresh();
  }, [turn, refresh]);
  const concerns = (payout: PayoutChangesSubscription['payoutUpdated']) =>
    payout.__typename === 'Refund' && payout.paymentId === paymentId;
  useLivePayouts({ nodes, refresh, concerns, onEnded: onChange });
  const onChanged = () => {
    refresh();
    onChange();
  };
  if (error)
    return (
      <Sheet title={title}>
        <Problem error={error} onRetry={refresh} />
      </Sheet>
    );
  if (!nodes || nodes.length === 0) return null;
  return (
    <Sheet title={title}>
      <Table
        label={title}
        rows={nodes}
        keyOf={({ id }) => id}
        onMore={loadMore}
        isLoadingMore={isLoadingMore}
        columns={[
          {
            title: 'When',
            cell: (payout) => <PayoutOrigin payout={payout} />,
          },
          { title: 'Amount', isNumber: true, cell: ({ amount }) => <Amount value={amount} currency={currency} /> },
          { title: 'To', cell: ({ address }) => <Copy value={address} label="address" isShort /> },
          {
            title: 'Status',
            cell: (payout) => <PayoutState payout={payout} thing="refund" onChanged={onChanged} />,
          },
          { title: 'Transaction', cell: (payout) => <PayoutTransaction payout={payout} /> },
        ]}
      />
    </Sheet>
  );
}
