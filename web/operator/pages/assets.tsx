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
        title={accepted ? `Accept ${name} again?` : `Stop accepting ${name}?`}
        action={accepted ? 'Accept again' : 'Stop accepting'}
        isDanger={!accepted}
        isOpen={changing !== null}
        onClose={() => setChanging(null)}
        onConfirm={async (reason) => {
          const { network = '', currency = '' } = changing ?? {};
          const outcome = await change({ network, currency, accepted, reason });
          if (outcome.data) {
            refresh();
            announce(accepted ? 'Accepted again' : 'No longer accepted');
          }
          return outcome;
        }}
      >
        <p>
          {accepted
            ? 'If its node is online, merchants can create payments in it within a second.'
            : 'New payments are refused within a second. Open payments and payouts continue.'}
        </p>
      </ReasonQuestion>
    </Sheet>
  );
}

const nameOf = ({ currency, network }: Asset): string => `${currency} on ${networkName(network)}`;

const COLUMNS: readonly Column<Asset>[] = [
  { title: 'Asset', phone: 'first', cell: (asset) => <strong>{nameOf(asset)}</strong> },
  {
    title: 'New payments',
    phone: 'first-end',
    cell: ({ available }) => <Badge tone={available ? 'good' : 'bad'}>{available ? 'Accepted' : 'Not accepted'}</Badge>,
  },
];

const actionOf = (onChange: (asset: Asset) => void): Column<Asset> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (asset) => (
    <Button
      look="link"
      aria-label={`${asset.available ? 'Stop accepting' : 'Accept again'}: ${nameOf(asset)}`}
      onPress={() => onChange(asset)}
    >
      {asset.available ? 'Stop accepting' : 'Accept again'}
    </Button>
  ),
});
