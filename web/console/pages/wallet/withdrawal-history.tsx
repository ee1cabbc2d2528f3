// The withdrawals, or those of a batch, updated live.

import { useCallback, type ReactNode } from 'react';
import { isZero, written } from '../../amounts.ts';
import { networkName } from '../../networks.ts';
import { WithdrawalsDocument, type WithdrawalRowFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Copy } from '../../components/copy.tsx';
import { PayoutOrigin, PayoutState, PayoutTransaction } from '../../components/payouts/payout-state.tsx';
import { useLivePayouts } from '../../components/payouts/use-live-payouts.ts';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { usePages } from '../../components/hooks/use-pages.ts';

interface WithdrawalHistoryProps {
  /** The batch that they are of; without it, all are shown. */
  readonly batchId?: string;
  readonly onChange: () => void;
}

export function WithdrawalHistory({ batchId, onChange }: WithdrawalHistoryProps): ReactNode {
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: WithdrawalsDocument,
    variables: batchId === undefined ? {} : { filter: { batchId } },
    read: (data) => data.withdrawals,
    keyOf: ({ id }: WithdrawalRowFragment) => id,
  });
  useLivePayouts({ nodes, refresh, concerns: isWithdrawal, onEnded: onChange });
  const onChanged = useCallback(() => {
    refresh();
    onChange();
  }, [refresh, onChange]);
  return (
    <Sheet title="Withdrawals">
      {error && <Problem error={error} onRetry={refresh} />}
      {!nodes && !error && <Loading />}
      {nodes?.length === 0 && <Empty title="No withdrawals yet." />}
      {nodes && nodes.length > 0 && (
        <Table
          label="Withdrawals"
          rows={nodes}
          keyOf={({ id }) => id}
          onMore={loadMore}
          isLoadingMore={isLoadingMore}
          columns={columnsOf(onChanged)}
        />
      )}
    </Sheet>
  );
}

const isWithdrawal = ({ __typename }: { readonly __typename: string }) => __typename === 'Withdrawal';

const columnsOf = (onChanged: () => void): readonly Column<WithdrawalRowFragment>[] => [
  {
    title: 'Requested',
    phone: 'second-end',
    cell: (payout) => <PayoutOrigin payout={payout} />,
  },
  {
    title: 'Amount',
    phone: 'first',
    isNumber: true,
    amountOf: ({ amount, currency }) => [amount, currency],
    cell: ({ amount, networkFee, currency }) => (
      <span>
        <Amount value={amount} currency={currency} />
        {!isZero(networkFee) && <span className="quietly below"> + {written(networkFee, currency)} fee</span>}
      </span>
    ),
  },
  { title: 'Network', phone: 'off', cell: ({ network }) => networkName(network) },
  { title: 'To', phone: 'second', cell: ({ address }) => <Copy value={address} label="address" isShort /> },
  {
    title: 'Status',
    phone: 'first-end',
    cell: (payout) => <PayoutState payout={payout} thing="withdrawal" onChanged={onChanged} />,
  },
  { title: 'Transaction', phone: 'second', cell: (payout) => <PayoutTransaction payout={payout} /> },
];
