// The withdrawals. While one is under way, they are polled every few seconds.

import { useEffect, useRef, type ReactNode } from 'react';
import { isZero } from '../../amounts.ts';
import { networkName } from '../../networks.ts';
import { WithdrawalsDocument, type WithdrawalRowFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Status } from '../../components/badge.tsx';
import { Copy } from '../../components/copy.tsx';
import { ExplorerLink } from '../../components/explorer-link.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { usePages } from '../../components/hooks/use-pages.ts';
import { usePolling } from '../../components/hooks/use-polling.ts';

const LOOK_EVERY_MS = 3_000;

export function WithdrawalHistory({ onChange }: { readonly onChange: () => void }): ReactNode {
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: WithdrawalsDocument,
    variables: {},
    read: (data) => data.withdrawals,
    keyOf: ({ id }: WithdrawalRowFragment) => id,
  });
  const open = nodes?.filter(({ status }) => status === 'REQUESTED' || status === 'BROADCAST').length ?? 0;
  usePolling(open > 0, refresh, LOOK_EVERY_MS);
  // A withdrawal that has ended has changed the balances.
  const before = useRef(open);
  useEffect(() => {
    if (open < before.current) onChange();
    before.current = open;
  }, [open, onChange]);
  return (
    <Sheet title="Withdrawals">
      {error && <Problem error={error} onRetry={refresh} />}
      {!nodes && !error && <Loading />}
      {nodes?.length === 0 && <Empty title="Nothing has been withdrawn yet." />}
      {nodes && nodes.length > 0 && (
        <Table
          label="Withdrawals"
          rows={nodes}
          keyOf={({ id }) => id}
          onMore={loadMore}
          isLoadingMore={isLoadingMore}
          columns={COLUMNS}
        />
      )}
    </Sheet>
  );
}

const COLUMNS = [
  { title: 'When', cell: ({ createdAt }: WithdrawalRowFragment) => <Time value={createdAt} /> },
  {
    title: 'Amount',
    isNumber: true,
    cell: ({ amount, networkFee, currency }: WithdrawalRowFragment) => (
      <span>
        <Amount value={amount} currency={currency} />
        {!isZero(networkFee) && <span className="quietly"> and {networkFee} fee</span>}
      </span>
    ),
  },
  { title: 'Network', cell: ({ network }: WithdrawalRowFragment) => networkName(network) },
  { title: 'To', cell: ({ address }: WithdrawalRowFragment) => <Copy value={address} label="address" isShort /> },
  { title: 'Status', cell: ({ status }: WithdrawalRowFragment) => <Status status={status} /> },
  {
    title: 'Transaction',
    cell: ({ txHash, explorerUrl }: WithdrawalRowFragment) =>
      txHash === null ? (
        <span className="quietly">not yet</span>
      ) : (
        <ExplorerLink txHash={txHash} explorerUrl={explorerUrl} />
      ),
  },
];
