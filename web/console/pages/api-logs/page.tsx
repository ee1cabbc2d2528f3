// The calls made with the merchant's keys, and the answers.

import { useState, type ReactNode } from 'react';
import { ApiLogsDocument, type ApiLogsQuery } from '../generated/operations.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { Button } from '../components/forms/button.tsx';
import { Copy } from '../components/copy.tsx';
import { DateField } from '../components/forms/date-field.tsx';
import { PageActions } from '../components/page-head.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../components/states.tsx';
import { Table, type Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { usePages } from '../components/hooks/use-pages.ts';

type Call = ApiLogsQuery['apiLogs']['nodes'][number];

export default function ApiLogs(): ReactNode {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: ApiLogsDocument,
    variables: { filter: { startDate: from || null, endDate: to || null } },
    read: (data) => data.apiLogs,
    keyOf,
  });
  return (
    <>
      <PageActions>
        <Button look="quiet" onPress={refresh}>
          Refresh
        </Button>
      </PageActions>
      <Sheet title="Calls">
        <div className="filters">
          <DateField label="From" value={from} onChange={setFrom} max={to} />
          <DateField label="To" value={to} onChange={setTo} min={from} />
        </div>
        {error && <Problem error={error} onRetry={refresh} />}
        {!nodes && !error && <Loading lines={6} />}
        {nodes?.length === 0 && (
          <Empty title={from || to ? 'No calls in this period.' : 'No calls yet.'}>
            <p>Every call made with one of your keys is listed here within a second. Days are in UTC.</p>
          </Empty>
        )}
        {nodes && nodes.length > 0 && (
          <Table
            label="Calls"
            rows={nodes}
            keyOf={keyOf}
            columns={COLUMNS}
            onMore={loadMore}
            isLoadingMore={isLoadingMore}
          />
        )}
      </Sheet>
    </>
  );
}

const keyOf = ({ requestId, at }: Call) => `${requestId}/${at}`;

const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : status >= 400 ? 'busy' : 'good');

const COLUMNS: readonly Column<Call>[] = [
  { title: 'When', cell: ({ at }) => <Time value={at} /> },
  {
    title: 'Call',
    cell: ({ method, path, operation }) => (
      <span>
        <code>
          {method} {path}
        </code>
        {operation !== null && <span className="quietly broken"> {operation}</span>}
      </span>
    ),
  },
  {
    title: 'Answer',
    cell: ({ status, errorCode }) => (
      <span>
        <Badge tone={toneOf(errorCode !== null && status < 400 ? 400 : status)}>{status}</Badge>
        {errorCode !== null && <span className="quietly"> error {errorCode}</span>}
      </span>
    ),
  },
  { title: 'Duration', isNumber: true, cell: ({ durationMs }) => `${String(durationMs)} ms` },
  { title: 'From', cell: ({ ip }) => <code className="whole">{ip}</code> },
  {
    title: 'Key',
    cell: ({ keyId }) => (keyId === null ? 'You, signed in' : <Copy value={keyId} label="key" isShort />),
  },
  { title: 'Request', cell: ({ requestId }) => <Copy value={requestId} label="request id" isShort /> },
];
