// The health of each network: its node, how far it was read, what the wallets hold, and what waits.

import { useCallback, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { Link } from 'wouter';
import { Age } from '../../console/components/age.tsx';
import { Badge } from '../../console/components/badge.tsx';
import { useRefreshOnReturn } from '../../console/components/hooks/use-pages.ts';
import { usePolling } from '../../console/components/hooks/use-polling.ts';
import { Sheet } from '../../console/components/overlays/sheet.tsx';
import { Loading, Problem } from '../../console/components/states.tsx';
import { Table, type Column } from '../../console/components/table.tsx';
import { networkName } from '../../console/networks.ts';
import { NetworkHealthDocument, type NetworkHealthQuery } from '../generated/operations.ts';

const LOOK_EVERY_MS = 15_000;

type Health = NetworkHealthQuery['networkHealth'][number];

export default function Networks(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: NetworkHealthDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  usePolling(true, refresh, LOOK_EVERY_MS);
  return (
    <Sheet title="Health">
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading lines={4} />}
      {data && <Table label="Networks" rows={data.networkHealth} keyOf={({ network }) => network} columns={COLUMNS} />}
    </Sheet>
  );
}

/** They are under way: those that are for too long are on the page that it leads to. */
const PayoutsDue = ({ count }: { readonly count: number }): ReactNode => (
  <Link href="/payouts">
    {count}
    <span className="unseen"> {count === 1 ? 'payout' : 'payouts'} due</span>
  </Link>
);

const COLUMNS: readonly Column<Health>[] = [
  { title: 'Network', phone: 'first', cell: ({ network }) => <strong>{networkName(network)}</strong> },
  {
    title: 'Node',
    phone: 'first-end',
    cell: ({ available }) => <Badge tone={available ? 'good' : 'bad'}>{available ? 'Online' : 'Offline'}</Badge>,
  },
  {
    title: 'Last block',
    isNumber: true,
    cell: ({ tip, tipAt }) => (
      <span>
        {tip ?? 'unknown'}
        {tipAt != null && (
          <span className="quietly below">
            <Age since={tipAt} /> ago
          </span>
        )}
      </span>
    ),
  },
  { title: 'Scanned', isNumber: true, cell: ({ observed }) => observed ?? '–' },
  {
    title: 'Hot wallet',
    cell: ({ hot }) => (hot.length === 0 ? <span className="quietly">unknown</span> : hot.join(', ')),
  },
  { title: 'Gas', cell: ({ gas }) => gas ?? <span className="quietly">none</span> },
  {
    title: 'Payouts due',
    isNumber: true,
    cell: ({ payoutsDue, oldestDueAt }) => (
      <span>
        {payoutsDue === 0 ? payoutsDue : <PayoutsDue count={payoutsDue} />}
        {oldestDueAt != null && (
          <span className="quietly below">
            for <Age since={oldestDueAt} />
          </span>
        )}
      </span>
    ),
  },
];
