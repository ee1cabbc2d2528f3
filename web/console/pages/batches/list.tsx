// The batches of withdrawals, newest first.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { PayoutBatchesDocument, type BatchRowFragment } from '../../generated/operations.ts';
import { LinkButton } from '../../components/forms/link-button.tsx';
import { usePages } from '../../components/hooks/use-pages.ts';
import { usePolling } from '../../components/hooks/use-polling.ts';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { SectionLinks } from '../../components/section-links.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { BatchState, isOpen, nameOf, LOOK_EVERY_MS } from './state.tsx';

export default function Batches(): ReactNode {
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: PayoutBatchesDocument,
    variables: {},
    read: (data) => data.payoutBatches,
    keyOf: ({ id }: BatchRowFragment) => id,
  });
  usePolling(nodes?.some(isOpen) === true, refresh, LOOK_EVERY_MS);
  return (
    <>
      <SectionLinks section="Balances" />
      <PageActions>
        <LinkButton href="/wallet/batches/new">Upload a file</LinkButton>
      </PageActions>
      <Sheet title="Batches">
        {error && <Problem error={error} onRetry={refresh} />}
        {!nodes && !error && <Loading lines={5} />}
        {nodes?.length === 0 && (
          <Empty title="No batches yet.">
            <p>A batch pays many recipients at once from a CSV file, such as wages: all or none.</p>
          </Empty>
        )}
        {nodes && nodes.length > 0 && (
          <Table
            label="Batches"
            rows={nodes}
            keyOf={({ id }) => id}
            columns={COLUMNS}
            onMore={loadMore}
            isLoadingMore={isLoadingMore}
          />
        )}
      </Sheet>
    </>
  );
}

const COLUMNS: readonly Column<BatchRowFragment>[] = [
  {
    title: 'Name',
    phone: 'first',
    cell: (batch) => (
      <Link href={`/wallet/batches/${batch.id}`} className="name-of">
        {nameOf(batch)}
      </Link>
    ),
  },
  { title: 'Requested', phone: 'second-end', cell: ({ createdAt }) => <Time value={createdAt} /> },
  { title: 'Withdrawals', isNumber: true, cell: ({ rows }) => rows },
  { title: 'Status', phone: 'first-end', cell: (batch) => <BatchState batch={batch} /> },
];
