// The limits of each asset in the policy, with what is left of them; and the form that adds or changes one.

import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import {
  AssetsDocument,
  type PayoutLimitInput,
  type PayoutLimitRowFragment,
  type PayoutRuleSetFragment,
} from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Button } from '../../components/forms/button.tsx';
import { inWords } from '../../components/forms/asset-checks.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf, textOrNull } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { useSession } from '../../session.ts';
import { usePolicyChange, type PolicyChange } from './use-policy-change.ts';
import { keyOfLimit } from './words.ts';

interface LimitsProps {
  readonly rules: PayoutRuleSetFragment;
  readonly change: PolicyChange;
  /** What there is to know before a change; null for nothing. */
  readonly warning: ReactNode;
}

/** What is edited where it is no limit of before; no asset has this key. */
const NEW = 'new';

export function Limits({ rules, change, warning }: LimitsProps): ReactNode {
  const { limits, listedOnly } = rules;
  // By their keys: the limits themselves are others after each look.
  const [editing, setEditing] = useState<string | null>(null);
  const [removing, setRemoving] = useState<string | null>(null);
  const { may } = useSession();
  const mayChange = may('MANAGE_POLICY');
  const close = () => setEditing(null);
  const limitOf = (key: string | null) => limits.find((limit) => keyOfLimit(limit) === key) ?? null;
  const edited = limitOf(editing);
  // Somebody else has removed it: the form must not come back with it.
  if (editing !== null && editing !== NEW && !edited) setEditing(null);
  const sorted = limits.toSorted((a, b) => (keyOfLimit(a) < keyOfLimit(b) ? -1 : 1));
  return (
    <Sheet
      title="Limits"
      actions={
        mayChange && (
          <Button look="quiet" onPress={() => setEditing(NEW)}>
            Add limits
          </Button>
        )
      }
    >
      {limits.length === 0 ? (
        <Empty title="No limits yet.">
          {listedOnly && <p>With the rule above, nothing can be paid out until you add one.</p>}
        </Empty>
      ) : (
        <Table
          label="Limits"
          rows={sorted}
          keyOf={keyOfLimit}
          columns={mayChange ? [...COLUMNS, actionsOf({ onChange: setEditing, onRemove: setRemoving })] : COLUMNS}
        />
      )}
      <Popup
        title={editing === NEW ? 'Add limits' : 'Change the limits'}
        isOpen={editing === NEW || edited !== null}
        onClose={close}
      >
        {(editing === NEW || edited !== null) && (
          // What somebody else has changed meanwhile is shown, and not overwritten unseen.
          <LimitForm
            key={edited ? JSON.stringify(toInput(edited)) : NEW}
            changed={edited}
            others={limits.filter((limit) => limit !== edited)}
            change={change}
            warning={warning}
            onClose={close}
          />
        )}
      </Popup>
      <Remove removed={limitOf(removing)} rules={rules} change={change} onClose={() => setRemoving(null)} />
    </Sheet>
  );
}

const amountCell = (limit: PayoutLimitRowFragment, value: string | null | undefined): ReactNode =>
  value == null ? <span className="quietly">no limit</span> : <Amount value={value} currency={limit.currency} />;

const COLUMNS: readonly Column<PayoutLimitRowFragment>[] = [
  { title: 'Coin', cell: (limit) => <strong>{inWords(limit)}</strong> },
  { title: 'Per payout', isNumber: true, cell: (limit) => amountCell(limit, limit.perPayout) },
  {
    title: 'In 24 hours',
    isNumber: true,
    cell: (limit) => (
      <span>
        {amountCell(limit, limit.perDay)}
        {limit.room != null && <span className="quietly below">{limit.room} left now</span>}
      </span>
    ),
  },
  {
    title: 'Without approval, in 24 hours',
    isNumber: true,
    cell: (limit) => amountCell(limit, limit.approvalAbove),
  },
];

interface LimitActions {
  readonly onChange: (key: string) => void;
  readonly onRemove: (key: string) => void;
}

const actionsOf = ({ onChange, onRemove }: LimitActions): Column<PayoutLimitRowFragment> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (limit) => (
    <span className="row-actions">
      <Button
        look="link"
        aria-label={`Change the limits of ${inWords(limit)}`}
        onPress={() => onChange(keyOfLimit(limit))}
      >
        Change
      </Button>
      <Button
        look="link"
        aria-label={`Remove the limits of ${inWords(limit)}`}
        onPress={() => onRemove(keyOfLimit(limit))}
      >
        Remove
      </Button>
    </span>
  ),
});

/** Without what the gateway adds to an answer. */
const toInput = ({
  currency,
  network,
  perPayout,
  perDay,
  approvalAbove,
}: PayoutLimitRowFragment): PayoutLimitInput => ({
  ...{ currency, network },
  ...{ perPayout: perPayout ?? null, perDay: perDay ?? null, approvalAbove: approvalAbove ?? null },
});

const AMOUNTS = [
  ['perPayout', 'At most per payout (optional)', 'A larger one is refused.'],
  ['perDay', 'At most in 24 hours (optional)', 'Including payouts that wait for approval; more is refused.'],
  ['approvalAbove', 'Without approval in 24 hours (optional)', 'Payouts beyond this need an approval.'],
] as const;

interface LimitFormProps {
  /** The limits to change; null for new ones. */
  readonly changed: PayoutLimitRowFragment | null;
  readonly others: readonly PayoutLimitRowFragment[];
  readonly change: PolicyChange;
  readonly warning: ReactNode;
  readonly onClose: () => void;
}

/** The limits of the form are sent after the others, so that their place, and with it the path of errors, is known. */
function LimitForm({ changed, others, change, warning, onClose }: LimitFormProps): ReactNode {
  const save = usePolicyChange({
    ...change,
    onSaved: () => {
      onClose();
      change.onSaved();
    },
  });
  const [{ data, error }] = useQuery({ query: AssetsDocument, pause: changed !== null });
  if (error) return <Problem error={error} />;
  if (!data && !changed) return <Loading lines={5} />;
  const path = `limits.${String(others.length)}`;
  const taken = new Set(others.map(keyOfLimit));
  const assets = changed ? [changed] : (data?.currencies ?? []).filter((asset) => !taken.has(keyOfLimit(asset)));
  const submit = (form: FormData) => {
    const [currency = '', network = ''] = textOf(form, `${path}.currency`).split('/');
    const [perPayout, perDay, approvalAbove] = AMOUNTS.map(([name]) => textOrNull(form, `${path}.${name}`));
    return save({ limits: [...others.map(toInput), { currency, network, perPayout, perDay, approvalAbove }] });
  };
  return (
    <OperationForm action="Save the limits" onSubmit={submit} onCancel={onClose}>
      {warning}
      <Select
        label="Coin"
        name={`${path}.currency`}
        options={assets.map((asset) => [keyOfLimit(asset), inWords(asset)])}
      />
      {AMOUNTS.map(([name, label, hint]) => (
        <Field
          key={name}
          label={label}
          name={`${path}.${name}`}
          inputMode="decimal"
          autoComplete="off"
          defaultValue={changed?.[name] ?? ''}
          hint={hint}
        />
      ))}
      <p className="hint">Amounts are in the coin itself, without network fees. Leave empty for no limit.</p>
    </OperationForm>
  );
}

interface RemoveProps {
  readonly removed: PayoutLimitRowFragment | null;
  readonly rules: PayoutRuleSetFragment;
  readonly change: PolicyChange;
  readonly onClose: () => void;
}

function Remove({ removed, rules: { limits, listedOnly }, change, onClose }: RemoveProps): ReactNode {
  const save = usePolicyChange(change);
  const name = removed ? inWords(removed) : '';
  return (
    <Confirm
      title={`Remove the limits of ${name}?`}
      action="Remove the limits"
      refusal="Keep them"
      isDanger
      isOpen={removed !== null}
      onClose={onClose}
      onConfirm={() => save({ limits: limits.filter((limit) => limit !== removed).map(toInput) })}
    >
      <p>
        {listedOnly
          ? `No ${name} can be paid out from now on.`
          : `${name} can then be paid out without limits. That is looser, so it may have to wait before it takes effect.`}
      </p>
    </Confirm>
  );
}
