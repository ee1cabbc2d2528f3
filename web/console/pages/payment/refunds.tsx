// The refunds of a payment. While one is under way, they are polled every few seconds.

import { useEffect, useRef, type ReactNode } from 'react';
import { RefundsDocument, type RefundRowFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Status } from '../../components/badge.tsx';
import { Copy } from '../../components/copy.tsx';
import { ExplorerLink } from '../../components/explorer-link.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Problem } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { usePages } from '../../components/hooks/use-pages.ts';
import { usePolling } from '../../components/hooks/use-polling.ts';

const LOOK_EVERY_MS = 3_000;

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
  const open = nodes?.filter(({ status }) => status === 'REQUESTED' || status === 'BROADCAST').length ?? 0;
  usePolling(open > 0, refresh, LOOK_EVERY_MS);
  const before = useRef(open);
  useEffect(() => {
    if (open < before.current) onChange();
    before.current = open;
  }, [open, onChange]);
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
          { title: 'When', cell: ({ createdAt }) => <Time value={createdAt} /> },
          { title: 'Amount', isNumber: true, cell: ({ amount }) => <Amount value={amount} currency={currency} /> },
          { title: 'To', cell: ({ address }) => <Copy value={address} label="address" isShort /> },
          { title: 'Status', cell: ({ status }) => <Status status={status} /> },
          {
            title: 'Transaction',
            cell: ({ txHash, explorerUrl }) =>
              txHash === null ? (
                <span className="quietly">not yet</span>
              ) : (
                <ExplorerLink txHash={txHash} explorerUrl={explorerUrl} />
              ),
          },
        ]}
      />
    </Sheet>
  );
}
