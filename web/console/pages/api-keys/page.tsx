// The API keys of the merchant's servers.

import { useCallback, useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { ApiKeysDocument, RevokeApiKeyDocument, type ApiKeyRowFragment } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Copy } from '../../components/copy.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { KEY_PERMISSIONS } from '../../permission-names.ts';
import { ChangeKey, NewKey, type CreatedKey } from './key-forms.tsx';

export default function ApiKeys(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: ApiKeysDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const [isMaking, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedKey | null>(null);
  const [changing, setChanging] = useState<ApiKeyRowFragment | null>(null);
  const [revoking, setRevoking] = useState<ApiKeyRowFragment | null>(null);
  const keys = data && [...data.apiKeys].sort((a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null));
  return (
    <>
      <PageActions>
        <Button onPress={() => setMaking(true)}>New key</Button>
      </PageActions>
      <Sheet title="Keys">
        {error && <Problem error={error} onRetry={refresh} />}
        {!keys && !error && <Loading />}
        {keys?.length === 0 && (
          <Empty title="No keys yet.">
            <p>Your servers call the API with a key. Give each key only the permissions that it needs.</p>
          </Empty>
        )}
        {keys && keys.length > 0 && (
          <Table
            label="Keys"
            rows={keys}
            keyOf={({ keyId }) => keyId}
            columns={columns({ onChange: setChanging, onRevoke: setRevoking })}
          />
        )}
      </Sheet>
      <Popup title="New key" isOpen={isMaking} onClose={() => setMaking(false)}>
        <NewKey
          onCancel={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false);
            setMade(key);
            refresh();
          }}
        />
      </Popup>
      <Popup title="Change the key" isOpen={changing !== null} onClose={() => setChanging(null)}>
        {changing && <ChangeKey apiKey={changing} onClose={() => setChanging(null)} onChanged={refresh} />}
      </Popup>
      <Revoke apiKey={revoking} onClose={() => setRevoking(null)} onRevoked={refresh} />
      <ShownOnce
        title="Your new key"
        isOpen={made !== null}
        onClose={() => setMade(null)}
        values={[
          ['Key id', made?.keyId ?? ''],
          ['Secret', made?.secret ?? ''],
        ]}
      >
        Anyone with the secret can do everything the key allows. Never put it in a web page or an app.
      </ShownOnce>
    </>
  );
}

interface KeyActions {
  readonly onChange: (key: ApiKeyRowFragment) => void;
  readonly onRevoke: (key: ApiKeyRowFragment) => void;
}

function columns({ onChange, onRevoke }: KeyActions): readonly Column<ApiKeyRowFragment>[] {
  return [
    {
      title: 'Name',
      phone: 'first',
      cell: ({ name, revokedAt }) => (
        <span>
          <strong>{name}</strong> {revokedAt !== null && <Badge tone="bad">Revoked</Badge>}
        </span>
      ),
    },
    { title: 'Key ID', phone: 'second', cell: ({ keyId }) => <Copy value={keyId} label="key id" isShort /> },
    {
      title: 'Permissions',
      phone: 'second',
      cell: ({ permissions }) =>
        permissions.length === KEY_PERMISSIONS.length
          ? 'All'
          : KEY_PERMISSIONS.filter(([value]) => permissions.includes(value))
              .map(([, words]) => words)
              .join(', '),
    },
    {
      title: 'Allowed from',
      cell: ({ ipWhitelist }) => (ipWhitelist.length === 0 ? 'Any IP' : <code>{ipWhitelist.join(', ')}</code>),
    },
    {
      title: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span className="quietly">never</span> : <Time value={lastUsedAt} />,
    },
    {
      title: 'Actions',
      isUntitled: true,
      cell: (key) =>
        key.revokedAt === null ? (
          <span className="row-actions">
            <Button look="link" aria-label={`Change ${key.name}`} onPress={() => onChange(key)}>
              Change
            </Button>
            <Button look="link" aria-label={`Revoke ${key.name}`} onPress={() => onRevoke(key)}>
              Revoke
            </Button>
          </span>
        ) : (
          <span className="quietly">
            since <Time value={key.revokedAt} isExact />
          </span>
        ),
    },
  ];
}

interface RevokeProps {
  readonly apiKey: ApiKeyRowFragment | null;
  readonly onClose: () => void;
  readonly onRevoked: () => void;
}

function Revoke({ apiKey, onClose, onRevoked }: RevokeProps): ReactNode {
  const [, revoke] = useMutation(RevokeApiKeyDocument);
  return (
    <Confirm
      title={`Revoke ${apiKey?.name ?? 'the key'}?`}
      action="Revoke the key"
      refusal="Keep it"
      isDanger
      needsProof
      isOpen={apiKey !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await revoke({ keyId: apiKey?.keyId ?? '' });
        if (outcome.data) {
          onRevoked();
          announce('The key is revoked');
        }
        return outcome;
      }}
    >
      <p>
        Calls with <code>{apiKey?.keyId}</code> are refused from now on. A revoked key cannot be restored; create a new
        one instead.
      </p>
    </Confirm>
  );
}
