// The freezes in force, and the ways to add and to lift one.

import { useState, type ReactNode } from 'react';
import { useMutation, useQuery, type CombinedError } from 'urql';
import { announce } from '../../console/components/announcer.tsx';
import { Copy } from '../../console/components/copy.tsx';
import { Button } from '../../console/components/forms/button.tsx';
import { useConfirmedMutation } from '../../console/components/forms/confirmation-question.tsx';
import { Field } from '../../console/components/forms/field.tsx';
import { OperationForm, textOf, textOrNull } from '../../console/components/forms/operation-form.tsx';
import { Select } from '../../console/components/forms/select.tsx';
import { Confirm } from '../../console/components/overlays/confirm.tsx';
import { Popup } from '../../console/components/overlays/popup.tsx';
import { Sheet } from '../../console/components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../console/components/states.tsx';
import { Table, type Column } from '../../console/components/table.tsx';
import { Time } from '../../console/components/time.tsx';
import { networkName } from '../../console/networks.ts';
import {
  AcceptedAssetsDocument,
  FreezePayoutsDocument,
  LiftFreezeDocument,
  type PayoutFreezesQuery,
} from '../generated/operations.ts';

type Freeze = PayoutFreezesQuery['payoutFreezes'][number];

interface FreezesProps {
  readonly freezes: readonly Freeze[] | undefined;
  readonly error: CombinedError | undefined;
  readonly onChanged: () => void;
}

export function Freezes({ freezes, error, onChanged }: FreezesProps): ReactNode {
  const [isFreezing, setFreezing] = useState(false);
  const [lifting, setLifting] = useState<Freeze | null>(null);
  const close = () => setFreezing(false);
  return (
    <Sheet
      title="Freezes"
      actions={
        <Button look="danger" onPress={() => setFreezing(true)}>
          Freeze payouts
        </Button>
      }
    >
      {error && <Problem error={error} onRetry={onChanged} />}
      {!freezes && !error && <Loading lines={3} />}
      {freezes?.length === 0 && <Empty title="Nothing is frozen." />}
      {freezes && freezes.length > 0 && (
        <Table label="Freezes" rows={freezes} keyOf={({ id }) => id} columns={[...COLUMNS, actionOf(setLifting)]} />
      )}
      <Popup title="Freeze payouts" isOpen={isFreezing} onClose={close}>
        <FreezeForm onClose={close} onFrozen={onChanged} />
      </Popup>
      <Lift freeze={lifting} onClose={() => setLifting(null)} onLifted={onChanged} />
    </Sheet>
  );
}

/** What a freeze names, in words; one that names nothing holds everything. */
function scopeOf({ payoutId, merchantId, network, currency }: Freeze): ReactNode {
  const ids = [
    ['payout', payoutId],
    ['merchant', merchantId],
  ] as const;
  const asset = [currency, network == null ? null : `on ${networkName(network)}`].filter((part) => part != null);
  if (ids.every(([, id]) => id == null) && asset.length === 0) return <strong>All payouts</strong>;
  return (
    <span>
      {asset.length > 0 && <strong className="below">{asset.join(' ')}</strong>}
      {ids.map(
        ([thing, id]) =>
          id != null && (
            <span key={thing} className="below">
              {thing} <Copy value={id} label={`${thing} id`} isShort />
            </span>
          ),
      )}
    </span>
  );
}

const COLUMNS: readonly Column<Freeze>[] = [
  { title: 'Frozen', cell: scopeOf },
  { title: 'Reason', cell: ({ reason }) => <span className="long">{reason}</span> },
  {
    title: 'Since',
    cell: ({ createdAt, createdBy }) => (
      <span>
        <Time value={createdAt} />
        <span className="quietly below long">by {createdBy}</span>
      </span>
    ),
  },
];

const actionOf = (onLift: (freeze: Freeze) => void): Column<Freeze> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (freeze) => (
    <Button look="link" aria-label={`Lift the freeze: ${freeze.reason}`} onPress={() => onLift(freeze)}>
      Lift
    </Button>
  ),
});

interface FreezeFormProps {
  readonly onClose: () => void;
  readonly onFrozen: () => void;
}

function FreezeForm({ onClose, onFrozen }: FreezeFormProps): ReactNode {
  const [, freeze] = useConfirmedMutation(FreezePayoutsDocument);
  const [{ data, error }] = useQuery({ query: AcceptedAssetsDocument });
  if (error) return <Problem error={error} />;
  if (!data) return <Loading lines={5} />;
  const all = (words: string, codes: readonly string[], named = (code: string) => code) =>
    [['', words] as const, ...[...new Set(codes)].sort().map((code) => [code, named(code)] as const)] as const;
  return (
    <OperationForm
      action="Freeze"
      onCancel={onClose}
      onSubmit={async (form) => {
        const [network, currency] = [textOrNull(form, 'network'), textOrNull(form, 'currency')];
        const [merchantId, payoutId] = [textOrNull(form, 'merchantId'), textOrNull(form, 'payoutId')];
        const outcome = await freeze({
          input: { network, currency, merchantId, payoutId, reason: textOf(form, 'reason') },
        });
        if (outcome.data) {
          onClose();
          onFrozen();
          announce('Frozen: nothing more is signed');
        }
        return outcome;
      }}
    >
      <p className="hint">
        Holds payouts that match everything you choose, or all of them if you choose nothing. Signed transactions
        continue.
      </p>
      <Select
        label="Network"
        name="network"
        options={all(
          'All networks',
          data.currencies.map(({ network }) => network),
          networkName,
        )}
      />
      <Select
        label="Currency"
        name="currency"
        options={all(
          'All currencies',
          data.currencies.map(({ currency }) => currency),
        )}
      />
      <Field label="Merchant id (optional)" name="merchantId" autoComplete="off" spellCheck="false" />
      <Field label="Payout id (optional)" name="payoutId" autoComplete="off" spellCheck="false" />
      <Field label="Reason" name="reason" autoComplete="off" maxLength={255} isRequired />
    </OperationForm>
  );
}

interface LiftProps {
  readonly freeze: Freeze | null;
  readonly onClose: () => void;
  readonly onLifted: () => void;
}

function Lift({ freeze, onClose, onLifted }: LiftProps): ReactNode {
  const [, lift] = useMutation(LiftFreezeDocument);
  return (
    <Confirm
      title="Lift the freeze?"
      action="Lift"
      refusal="Cancel"
      needsProof
      isOpen={freeze !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await lift({ id: freeze?.id ?? '' });
        if (outcome.data) {
          onLifted();
          announce('The freeze is lifted');
        }
        return outcome;
      }}
    >
      <p>Payouts held only by this freeze continue immediately.</p>
    </Confirm>
  );
}
