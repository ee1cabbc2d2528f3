// The assets, and whether new orders of each are taken.

import { useCallback, useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { announce } from '../../console/components/announcer.tsx';
import { Badge } from '../../console/components/badge.tsx';
import { Button } from '../../console/components/forms/button.tsx';
import { useRefreshOnReturn } from '../../console/components/hooks/use-pages.ts';
import { usePolling } from '../../console/components/hooks/use-polling.ts';
import { Sheet } from '../../console/components/overlays/sheet.tsx';
import { Loading, Problem } from '../../console/components/states.tsx';
import { Table, type Column } from '../../console/components/table.tsx';
import { networkName } from '../../console/networks.ts';
import { AcceptedAssetsDocument, SetAssetAcceptedDocument, type AcceptedAssetsQuery } from '../generated/operations.ts';
import { ReasonQuestion } from '../reason-question.tsx';

const LOOK_EVERY_MS = 2_000;

type Asset = AcceptedAssetsQuery['currencies'][number];

export default function Assets(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: AcceptedAssetsDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  // A change reaches each process within a second.
  usePolling(true, refresh, LOOK_EVERY_MS);
  const [changing, setChanging] = useState<Asset | null>(null);
  const [, change] = useMutation(SetAssetAcceptedDocument);
  const accepted = changing?.available === false;
  const name = changing ? nameOf(changing) : '';
  return (
    <Sheet title="Assets">
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading lines={6} />}
      {data && (
        <Table label="Assets" rows={data.currencies} keyOf={nameOf} columns={[...COLUMNS, actionOf(setChanging)]} />
      )}
      <ReasonQuestion
        title={accepted ? `Take orders of ${name} again?` : `Take no more orders of ${name}?`}
        action={accepted ? 'Take them again' : 'Take no more'}
        isDanger={!accepted}
        isOpen={changing !== null}
        onClose={() => setChanging(null)}
        onConfirm={async (reason) => {
          const { network = '', currency = '' } = changing ?? {};
          const outcome = await change({ network, currency, accepted, reason });
          if (outcome.data) {
            refresh();
            announce(accepted ? 'Orders are taken again' : 'No more orders are taken');
          }
          return outcome;
        }}
      >
        <p>
          {accepted
            ? 'If its node answers, merchants can make orders of it within a second.'
            : 'New orders are refused within a second. Open orders and payouts go on.'}
        </p>
      </ReasonQuestion>
    </Sheet>
  );
}

const nameOf = ({ currency, network }: Asset): string => `${currency} on ${networkName(network)}`;

const COLUMNS: readonly Column<Asset>[] = [
  { title: 'Asset', cell: (asset) => <strong>{nameOf(asset)}</strong> },
  {
    title: 'New orders',
    cell: ({ available }) => <Badge tone={available ? 'good' : 'bad'}>{available ? 'Taken' : 'Not taken'}</Badge>,
  },
];

const actionOf = (onChange: (asset: Asset) => void): Column<Asset> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (asset) => (
    <Button
      look="link"
      aria-label={`${asset.available ? 'Take no more' : 'Take again'}: ${nameOf(asset)}`}
      onPress={() => onChange(asset)}
    >
      {asset.available ? 'Take no more' : 'Take again'}
    </Button>
  ),
});
