// The audit log: changes to the account, by whom and from which address.

import type { ReactNode } from 'react';
import { AuditLogDocument, type AuditLogQuery } from '../../generated/operations.ts';
import { Copy } from '../../components/copy.tsx';
import { Details, What } from './log-entry.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { usePages } from '../../components/hooks/use-pages.ts';
import { useSession } from '../../session.ts';

type Entry = AuditLogQuery['auditLog']['nodes'][number];

export function AuditLog(): ReactNode {
  const { person } = useSession();
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: AuditLogDocument,
    variables: {},
    read: (data) => data.auditLog,
    keyOf: ({ id }: Entry) => id,
  });
  return (
    <Sheet title="Audit log">
      {error && <Problem error={error} onRetry={refresh} />}
      {!nodes && !error && <Loading lines={5} />}
      {nodes?.length === 0 && <Empty title="No events yet." />}
      {nodes && nodes.length > 0 && (
        <Table
          label="Changes"
          rows={nodes}
          keyOf={({ id }) => id}
          columns={columnsOf(person.id)}
          onMore={loadMore}
          isLoadingMore={isLoadingMore}
        />
      )}
    </Sheet>
  );
}

const ACTORS: Readonly<Record<string, string>> = {
  owner: 'The owner',
  operator: 'The operator of this gateway',
  system: 'The gateway',
};

const labelOf = (actor: string) => (actor.startsWith('usr_') ? 'person id' : 'key id');

const columnsOf = (ownId: string): readonly Column<Entry>[] => [
  { title: 'Time', phone: 'first-end', cell: ({ at }) => <Time value={at} isExact /> },
  {
    title: 'Event',
    phone: 'first',
    cell: ({ action, target }) => <What action={action} target={target} />,
  },
  {
    title: 'By',
    cell: ({ actor }) =>
      actor === ownId ? 'You' : (ACTORS[actor] ?? <Copy value={actor} label={labelOf(actor)} isShort />),
  },
  { title: 'IP address', cell: ({ ip }) => <code className="whole">{ip}</code> },
  { title: 'Details', phone: 'second', cell: ({ details }) => <Details details={details} /> },
];
