// The second factors of the person who is signed in: what they have, what they can add, and their recovery codes.

import { useCallback, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import {
  FactorsDocument,
  NewRecoveryCodesDocument,
  RemoveFactorDocument,
  type FactorRowFragment,
  type FactorsQuery,
} from '../../../generated/operations.ts';
import { announce } from '../../../components/announcer.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { useConfirmedMutation } from '../../../components/forms/confirmation-question.tsx';
import { hasPasskeys } from '../../../components/forms/factor-fields.tsx';
import { useRefreshOnReturn } from '../../../components/hooks/use-pages.ts';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import { Popup } from '../../../components/overlays/popup.tsx';
import { Sheet } from '../../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../../components/states.tsx';
import { Table, type Column } from '../../../components/table.tsx';
import { Time } from '../../../components/time.tsx';
import { AddApp } from './add-app.tsx';
import { AddPasskey } from './add-passkey.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

type Adding = 'app' | 'passkey';

export function Factors(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: FactorsDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const [adding, setAdding] = useState<Adding | null>(null);
  const [removing, setRemoving] = useState<FactorRowFragment | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [, makeCodes] = useConfirmedMutation(NewRecoveryCodesDocument);
  const close = () => setAdding(null);
  const renew = async () => {
    const { data: made } = await makeCodes({});
    if (made) setCodes(made.newRecoveryCodes);
    refresh();
  };
  /** The first factor comes with recovery codes: without them a lost phone locks its owner out. */
  const added = (words: string) => {
    close();
    announce(words);
    if (data?.me.recoveryCodesLeft === 0) void renew();
    else refresh();
  };
  return (
    <Sheet title="Second factor">
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading lines={7} />}
      {data && <Held until={data.me.heldUntil} />}
      {data && <Owned me={data.me} onRemove={setRemoving} />}
      {data && (
        <div className="actions">
          <Button onPress={() => setAdding('app')}>Add an authenticator app</Button>
          {hasPasskeys && (
            <Button look="quiet" onPress={() => setAdding('passkey')}>
              Add a passkey
            </Button>
          )}
          {data.me.factors.length > 0 && (
            <Button look="quiet" onPress={() => void renew()}>
              New recovery codes
            </Button>
          )}
        </div>
      )}
      <Popup title="Add an authenticator app" isOpen={adding === 'app'} onClose={close}>
        <AddApp onCancel={close} onAdded={() => added('The authenticator app is added')} />
      </Popup>
      <Popup title="Add a passkey" isOpen={adding === 'passkey'} onClose={close}>
        <AddPasskey onCancel={close} onAdded={() => added('The passkey is added')} />
      </Popup>
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
      <Remove factor={removing} onClose={() => setRemoving(null)} onRemoved={refresh} />
    </Sheet>
  );
}

/** Said while it holds: what money or rights depend on has to wait. */
function Held({ until }: { readonly until: string | null | undefined }): ReactNode {
  if (until == null || Date.parse(until) <= Date.now()) return null;
  return (
    <p className="notice" role="status">
      Until <Time value={until} isExact /> you cannot approve payouts, loosen rules or make someone an owner, because
      your sign-in was changed recently.
    </p>
  );
}

interface OwnedProps {
  readonly me: FactorsQuery['me'];
  readonly onRemove: (factor: FactorRowFragment) => void;
}

function Owned({ me, onRemove }: OwnedProps): ReactNode {
  if (me.factors.length === 0)
    return (
      <Empty
        title={`${me.hasPassword ? 'Your password' : 'Your account at the provider'} is the only protection of your account.`}
      >
        <p>
          With an authenticator app or a passkey, someone who has {me.hasPassword ? 'it' : 'that one'} still cannot sign
          in.
        </p>
      </Empty>
    );
  return (
    <>
      <Table label="Second factors" rows={me.factors} keyOf={({ id }) => id} columns={columns(onRemove)} />
      <p className={me.recoveryCodesLeft < 3 ? 'notice' : 'hint'}>
        {me.recoveryCodesLeft === 0
          ? 'You have no recovery codes. Without them a lost phone locks you out.'
          : `Recovery codes left: ${String(me.recoveryCodesLeft)}`}
      </p>
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = { TOTP: 'Authenticator app', PASSKEY: 'Passkey' };

const columns = (onRemove: (factor: FactorRowFragment) => void): readonly Column<FactorRowFragment>[] => [
  { title: 'Name', phone: 'first', cell: ({ label }) => <span className="long">{label}</span> },
  { title: 'Type', phone: 'first-end', cell: ({ kind }) => KINDS[kind] ?? kind },
  { title: 'Added', cell: ({ createdAt }) => <Time value={createdAt} /> },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) =>
      lastUsedAt == null ? <span className="quietly">never</span> : <Time value={lastUsedAt} />,
  },
  {
    title: 'Actions',
    isUntitled: true,
    cell: (factor) => (
      <Button look="link" aria-label={`Remove ${factor.label}`} onPress={() => onRemove(factor)}>
        Remove
      </Button>
    ),
  },
];

interface RemoveProps {
  readonly factor: FactorRowFragment | null;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

function Remove({ factor, onClose, onRemoved }: RemoveProps): ReactNode {
  const [, remove] = useConfirmedMutation(RemoveFactorDocument);
  return (
    <Confirm
      title={`Remove ${factor?.label ?? ''}?`}
      action="Remove"
      isDanger
      isOpen={factor !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await remove({ id: factor?.id ?? '' });
        if (outcome.data) {
          onRemoved();
          announce('The factor is removed');
        }
        return outcome;
      }}
    >
      <p>You can no longer sign in with it. For one day you cannot approve payouts or make someone an owner.</p>
    </Confirm>
  );
}
