// What operators did: on these pages, by GraphQL and on the command line.

import type { ReactNode } from 'react';
import { usePages } from '../../console/components/hooks/use-pages.ts';
import { Details, What } from '../../console/pages/settings/log-entry.tsx';
import { Sheet } from '../../console/components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../console/components/states.tsx';
import { Table, type Column } from '../../console/components/table.tsx';
import { Time } from '../../console/components/time.tsx';
import { OperatorLogDocument, type OperatorLogQuery } from '../generated/operations.ts';

type Entry = OperatorLogQuery['operatorLog']['nodes'][number];

export default function Log(): ReactNode {
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: OperatorLogDocument,
    variables: {},
    read: (data) => data.operatorLog,
    keyOf: ({ id }: Entry) => id,
  });
  return (
    <Sheet title="What was done">
      {error && <Problem error={error} onRetry={refresh} />}
      {!nodes && !error && <Loading lines={5} />}
      {nodes?.length === 0 && <Empty title="No events yet." />}
      {nodes && nodes.length > 0 && (
        <Table
          label="Events"
          rows={nodes}
          keyOf={({ id }) => id}
          columns={COLUMNS}
          onMore={loadMore}
          isLoadingMore={isLoadingMore}
        />
      )}
    </Sheet>
  );
}

const COLUMNS: readonly Column<Entry>[] = [
  { title: 'Time', phone: 'first-end', cell: ({ at }) => <Time value={at} isExact /> },
  { title: 'Event', phone: 'first', cell: ({ action, target }) => <What action={action} target={target} /> },
  { title: 'By', cell: ({ actor }) => <span className="long">{actor}</span> },
  { title: 'Details', phone: 'second', cell: ({ details }) => <Details details={details} /> },
];
