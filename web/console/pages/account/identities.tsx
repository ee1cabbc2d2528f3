// The accounts at a provider by which the person signs in: what is linked, the way to link one, and to unlink it.

import { useCallback, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import {
  IdentitiesDocument,
  RemoveIdentityDocument,
  StartOidcDocument,
  type IdentityRowFragment,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { Fault } from '../../components/forms/fault.tsx';
import { useProvider } from '../../components/hooks/use-provider.ts';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';

/** Shown where there is a provider, or accounts of one that there was. */
export function Identities(): ReactNode {
  const provider = useProvider();
  const [{ data, error }, reload] = useQuery({ query: IdentitiesDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  const [removing, setRemoving] = useState<IdentityRowFragment | null>(null);
  const [linking, link] = useConfirmedMutation(StartOidcDocument);
  const leave = async () => {
    const path = (await link({})).data?.startOidc.startPath;
    if (path != null) location.assign(path);
  };
  const identities = data?.me.identities ?? [];
  if (provider === null && identities.length === 0) return null;
  return (
    <Sheet title="Sign-in providers">
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading />}
      {data && identities.length === 0 && (
        <Empty title={`No account at ${provider ?? ''} is linked.`}>
          <p>Link one to sign in with it instead of your password.</p>
        </Empty>
      )}
      {identities.length > 0 && (
        <Table label="Linked accounts" rows={identities} keyOf={({ id }) => id} columns={columns(setRemoving)} />
      )}
      {linking.error && (
        <p className="fault" role="alert">
          <Fault error={linking.error} />
        </p>
      )}
      {provider !== null && data && (
        <div className="actions">
          <Button look="quiet" isPending={linking.fetching} onPress={() => void leave()}>
            Link an account at {provider}
          </Button>
        </div>
      )}
      <Unlink identity={removing} onClose={() => setRemoving(null)} onRemoved={refresh} />
    </Sheet>
  );
}

const columns = (onRemove: (identity: IdentityRowFragment) => void): readonly Column<IdentityRowFragment>[] => [
  {
    title: 'Account',
    cell: ({ label, issuer }) => (
      <span className="long">
        {label}
        <span className="quietly below long">{issuer}</span>
      </span>
    ),
  },
  { title: 'Added', cell: ({ createdAt }) => <Time value={createdAt} /> },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) =>
      lastUsedAt == null ? <span className="quietly">never</span> : <Time value={lastUsedAt} />,
  },
  {
    title: 'Actions',
    isUntitled: true,
    cell: (identity) => (
      <Button look="link" aria-label={`Unlink ${identity.label}`} onPress={() => onRemove(identity)}>
        Unlink
      </Button>
    ),
  },
];

interface UnlinkProps {
  readonly identity: IdentityRowFragment | null;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

function Unlink({ identity, onClose, onRemoved }: UnlinkProps): ReactNode {
  const [, remove] = useConfirmedMutation(RemoveIdentityDocument);
  return (
    <Confirm
      title={`Unlink ${identity?.label ?? ''}?`}
      action="Unlink"
      isDanger
      isOpen={identity !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await remove({ id: identity?.id ?? '' });
        if (outcome.data) {
          onRemoved();
          announce('The account is unlinked');
        }
        return outcome;
      }}
    >
      <p>You can no longer sign in with it. Your sessions stay open.</p>
    </Confirm>
  );
}
