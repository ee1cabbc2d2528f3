// The form of a rule of settlement: which coin, to which address of the book, when, from what on, and what stays.

import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery } from 'urql';
import {
  AssetsDocument,
  PayoutAddressesDocument,
  SaveSettlementRuleDocument,
  type SettlementRuleRowFragment,
  type SettlementSchedule,
} from '../../generated/operations.ts';
import { inWords } from '../../components/forms/asset-checks.tsx';
import { Checks } from '../../components/forms/checks.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf, textOrNull } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { hourOf, keyOfAsset, SCHEDULES, WEEKDAYS } from './words.ts';

interface RuleFormProps {
  /** The rule to change; null for a new one. */
  readonly changed: SettlementRuleRowFragment | null;
  /** The assets that have a rule, as `USDT/ETH`. */
  readonly taken: ReadonlySet<string>;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

export function RuleForm({ changed, taken, onClose, onSaved }: RuleFormProps): ReactNode {
  const [assets] = useQuery({ query: AssetsDocument, pause: changed !== null });
  const [book] = useQuery({ query: PayoutAddressesDocument });
  const error = assets.error ?? book.error;
  if (error) return <Problem error={error} />;
  if (!book.data || (!assets.data && !changed)) return <Loading lines={6} />;
  const { payoutAddresses: addresses } = book.data;
  const booked = new Set(addresses.map(({ network }) => network));
  const free = (assets.data?.currencies ?? []).filter((asset) => !taken.has(keyOfAsset(asset)));
  const offered = changed ? [changed] : free.filter(({ network }) => booked.has(network));
  if (offered.length === 0)
    return (
      <Empty title="The address book has no usable address.">
        <p>
          Rules pay to the <Link href="/wallet/addresses">address book</Link>. Add one there first.
        </p>
      </Empty>
    );
  return <Fields changed={changed} offered={offered} addresses={addresses} onClose={onClose} onSaved={onSaved} />;
}

interface Named {
  readonly id: string;
  readonly network: string;
  readonly label: string;
}

interface FieldsProps extends Pick<RuleFormProps, 'changed' | 'onClose' | 'onSaved'> {
  readonly offered: readonly { readonly currency: string; readonly network: string }[];
  readonly addresses: readonly Named[];
}

function Fields({ changed, offered, addresses, onClose, onSaved }: FieldsProps): ReactNode {
  const [, save] = useConfirmedMutation(SaveSettlementRuleDocument);
  const [asset, setAsset] = useState(offered[0] ? keyOfAsset(offered[0]) : '');
  const [schedule, setSchedule] = useState<SettlementSchedule>(changed?.schedule ?? 'DAILY');
  const [currency = '', network = ''] = asset.split('/');
  const numberOf = (form: FormData, name: string) => (form.has(name) ? Number(textOf(form, name)) : null);
  return (
    <OperationForm
      action="Save the rule"
      onCancel={onClose}
      onSubmit={async (form) => {
        const outcome = await save({
          input: {
            ...{ currency, network, schedule, addressId: textOf(form, 'addressId') },
            ...{ threshold: textOf(form, 'threshold') || '0', keep: textOrNull(form, 'keep') },
            ...{ hour: numberOf(form, 'hour'), day: numberOf(form, 'day'), enabled: form.has('enabled') },
          },
        });
        if (outcome.data) onSaved();
        return outcome;
      }}
    >
      <Select
        label="Coin"
        name="currency"
        value={asset}
        onChange={setAsset}
        options={offered.map((each) => [keyOfAsset(each), inWords(each)])}
      />
      <Select
        label="To"
        name="addressId"
        {...(changed && { defaultValue: changed.address.id })}
        options={addresses.filter((each) => each.network === network).map(({ id, label }) => [id, label])}
      />
      <Select
        label="When"
        value={schedule}
        onChange={(value) => setSchedule(value as SettlementSchedule)}
        options={SCHEDULES}
      />
      <Day schedule={schedule} chosen={changed?.day ?? 1} />
      {schedule !== 'ON_THRESHOLD' && (
        <Select
          label="Hour"
          name="hour"
          defaultValue={String(changed?.hour ?? 6)}
          options={Array.from({ length: 24 }, (_, hour) => [String(hour), hourOf(hour)])}
        />
      )}
      <Field
        label="Minimum balance"
        name="threshold"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={changed?.threshold ?? ''}
        hint={`In ${currency}. Below it, nothing is paid out.`}
        isRequired
      />
      <Field
        label="Keep back (optional)"
        name="keep"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={changed?.keep ?? ''}
        hint={`In ${currency}. The rest is paid out, less the network fee, within your policy.`}
      />
      <Checks
        label="Enabled"
        name="enabled"
        options={[['yes', 'The rule is enabled']]}
        defaultValue={changed?.enabled === false ? [] : ['yes']}
      />
    </OperationForm>
  );
}

function Day({ schedule, chosen }: { readonly schedule: SettlementSchedule; readonly chosen: number }): ReactNode {
  if (schedule === 'WEEKLY')
    return (
      <Select
        key="weekday"
        label="Day"
        name="day"
        defaultValue={String(Math.min(chosen, 7))}
        options={WEEKDAYS.map((words, nth) => [String(nth + 1), words])}
      />
    );
  if (schedule !== 'MONTHLY') return null;
  return (
    <Select
      key="day"
      label="Day of the month"
      name="day"
      defaultValue={String(chosen)}
      options={Array.from({ length: 28 }, (_, nth) => [String(nth + 1), String(nth + 1)])}
    />
  );
}
