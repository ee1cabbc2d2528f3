// All cells of a deployment, as each reported itself last, and the way to the operator's pages of each.

import { useCallback, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { Age } from '../../console/components/age.tsx';
import { Badge } from '../../console/components/badge.tsx';
import { useNow } from '../../console/components/hooks/use-now.ts';
import { useRefreshOnReturn } from '../../console/components/hooks/use-pages.ts';
import { usePolling } from '../../console/components/hooks/use-polling.ts';
import { Sheet } from '../../console/components/overlays/sheet.tsx';
import { Loading, Problem } from '../../console/components/states.tsx';
import { Table, type Column } from '../../console/components/table.tsx';
import { networkName } from '../../console/networks.ts';
import { OperatorCellsDocument, type OperatorCellsQuery } from '../generated/operations.ts';

const LOOK_EVERY_MS = 30_000;
/** They report each minute: after three that did not come, something is wrong. */
const SILENT_AFTER_MS = 180_000;

type Cell = OperatorCellsQuery['operatorCells'][number];

export default function Cells(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: OperatorCellsDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  usePolling(true, refresh, LOOK_EVERY_MS);
  return (
    <Sheet title="All cells">
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading lines={4} />}
      {data && <Table label="Cells" rows={data.operatorCells} keyOf={({ cell }) => String(cell)} columns={COLUMNS} />}
    </Sheet>
  );
}

function Heard({ since }: { readonly since: string | null }): ReactNode {
  const state = useNow((now) => (since === null || now - Date.parse(since) > SILENT_AFTER_MS ? 'Silent' : 'Reports'));
  return (
    <span>
      <Badge tone={state === 'Silent' ? 'bad' : 'good'}>{state}</Badge>
      {since !== null && (
        <span className="quietly below">
          <Age since={since} /> ago
        </span>
      )}
    </span>
  );
}

function Ledger({ of }: { readonly of: Cell }): ReactNode {
  if (of.ledgerFaults == null) return UNKNOWN;
  return (
    <span>
      {of.ledgerFaults === 0 ? 'adds up' : <Badge tone="bad">Does not add up</Badge>}
      {of.ledgerCheckedAt != null && (
        <span className="quietly below">
          <Age since={of.ledgerCheckedAt} /> ago
        </span>
      )}
    </span>
  );
}

const UNKNOWN = <span className="quietly">unknown</span>;

const COLUMNS: readonly Column<Cell>[] = [
  {
    title: 'Cell',
    phone: 'first',
    cell: ({ cell, url, isThis }) => (
      <span>
        <strong>{cell}</strong>
        <span className="quietly below">
          {isThis ? 'this one' : <a href={`${url}/operator`}>{url.replace(/^https?:\/\//, '')}</a>}
        </span>
      </span>
    ),
  },
  { title: 'State', phone: 'first-end', cell: ({ reportedAt }) => <Heard since={reportedAt ?? null} /> },
  { title: 'Release', cell: ({ version }) => version ?? UNKNOWN },
  { title: 'Merchants', isNumber: true, cell: ({ merchants }) => merchants?.toLocaleString() ?? UNKNOWN },
  {
    title: 'Payouts due',
    isNumber: true,
    cell: ({ payoutsDue, payoutsStuck }) => (
      <span>
        {payoutsDue ?? UNKNOWN}
        {payoutsStuck != null && payoutsStuck > 0 && (
          <span className="below">
            <Badge tone="bad">{payoutsStuck} stuck</Badge>
          </span>
        )}
      </span>
    ),
  },
  {
    title: 'Signing',
    cell: ({ halted }) => {
      if (halted == null) return UNKNOWN;
      return halted.length === 0 ? 'runs' : <Badge tone="bad">Halted: {halted.map(networkName).join(', ')}</Badge>;
    },
  },
  {
    title: 'Events wait',
    isNumber: true,
    cell: ({ eventsWait }) => (eventsWait == null ? UNKNOWN : `${eventsWait} s`),
  },
  { title: 'Ledger', cell: (cell) => <Ledger of={cell} /> },
];
