// Rates that the merchant fixes: each replaces market and spread for its pair.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { COIN_OPTIONS, PRICE_OPTIONS } from '../../currencies.ts';
import { UpdateRateSettingsDocument, type FixedRateInput } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Rate } from '../../components/rate.tsx';
import { Empty } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';

/** The most that a merchant may have (contract-invoices, section 5). */
const MOST = 50;

interface FixedRatesProps {
  readonly rates: readonly FixedRateInput[];
  /** The currency of the rates above, which is offered first. */
  readonly currency: string;
  readonly onSaved: () => void;
}

export function FixedRates({ rates, currency, onSaved }: FixedRatesProps): ReactNode {
  const [editing, setEditing] = useState<FixedRateInput | 'new' | null>(null);
  const [removing, setRemoving] = useState<FixedRateInput | null>(null);
  const sorted = rates.toSorted((a, b) => (pairOf(a) < pairOf(b) ? -1 : 1));
  const close = () => setEditing(null);
  return (
    <Sheet
      title="Fixed rates"
      actions={
        <Button look="quiet" isDisabled={rates.length >= MOST} onPress={() => setEditing('new')}>
          Fix a rate
        </Button>
      }
    >
      {rates.length === 0 ? (
        <Empty title="No fixed rates yet.">
          <p>A fixed rate replaces the market rate, without spread.</p>
        </Empty>
      ) : (
        <Table
          label="Fixed rates"
          rows={sorted}
          keyOf={pairOf}
          columns={columns({ onChange: setEditing, onRemove: setRemoving })}
        />
      )}
      {rates.length >= MOST && <p className="hint">{MOST} is the most: remove one before you fix another.</p>}
      <Popup title={editing === 'new' ? 'Fix a rate' : 'Change the rate'} isOpen={editing !== null} onClose={close}>
        {editing && (
          <FixedRateForm
            changed={editing === 'new' ? null : editing}
            others={rates.filter((rate) => rate !== editing)}
            currency={currency}
            onClose={close}
            onSaved={onSaved}
          />
        )}
      </Popup>
      <Remove removed={removing} rates={rates} onClose={() => setRemoving(null)} onSaved={onSaved} />
    </Sheet>
  );
}

const pairOf = ({ asset, currency }: FixedRateInput) => `${asset}/${currency}`;

/** Without what the cache adds to an answer. */
const toInput = ({ asset, currency, rate }: FixedRateInput): FixedRateInput => ({ asset, currency, rate });

interface RateActions {
  readonly onChange: (rate: FixedRateInput) => void;
  readonly onRemove: (rate: FixedRateInput) => void;
}

function columns({ onChange, onRemove }: RateActions): readonly Column<FixedRateInput>[] {
  return [
    { title: 'Coin', cell: ({ asset }) => <strong>{asset}</strong> },
    { title: 'Rate', cell: ({ asset, currency, rate }) => <Rate asset={asset} currency={currency} rate={rate} /> },
    {
      title: 'Actions',
      isUntitled: true,
      cell: (rate) => (
        <span className="row-actions">
          <Button look="link" aria-label={`Change the rate of ${inWords(rate)}`} onPress={() => onChange(rate)}>
            Change
          </Button>
          <Button look="link" aria-label={`Remove the rate of ${inWords(rate)}`} onPress={() => onRemove(rate)}>
            Remove
          </Button>
        </span>
      ),
    },
  ];
}

const inWords = ({ asset, currency }: FixedRateInput) => `${asset} in ${currency}`;

interface FixedRateFormProps {
  /** The rate to change; null for a new one. */
  readonly changed: FixedRateInput | null;
  readonly others: readonly FixedRateInput[];
  readonly currency: string;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

/** The rate of the form is sent after the others, so that its place, and with it the path of its errors, is known. */
function FixedRateForm({ changed, others, currency, onClose, onSaved }: FixedRateFormProps): ReactNode {
  const [, update] = useMutation(UpdateRateSettingsDocument);
  const path = `fixedRates.${String(others.length)}`;
  const save = async (data: FormData) => {
    const rate = {
      asset: textOf(data, `${path}.asset`),
      currency: textOf(data, `${path}.currency`),
      rate: textOf(data, `${path}.rate`),
    };
    const outcome = await update({ input: { fixedRates: [...others.map(toInput), rate] } });
    if (outcome.data) {
      onClose();
      onSaved();
      announce('The rate is saved; new quotes use it');
    }
    return outcome;
  };
  return (
    <OperationForm action="Save the rate" onSubmit={save} onCancel={onClose}>
      <Select
        label="Coin"
        name={`${path}.asset`}
        options={COIN_OPTIONS}
        defaultValue={changed?.asset ?? COIN_OPTIONS[0]?.[0] ?? ''}
      />
      <Select
        label="Currency"
        name={`${path}.currency`}
        options={PRICE_OPTIONS}
        defaultValue={changed?.currency ?? currency}
      />
      <Field
        label="Price of one coin"
        name={`${path}.rate`}
        inputMode="decimal"
        autoComplete="off"
        hint="In that currency; at most 12 decimals."
        defaultValue={changed?.rate ?? ''}
        isRequired
      />
    </OperationForm>
  );
}

interface RemoveProps {
  readonly removed: FixedRateInput | null;
  readonly rates: readonly FixedRateInput[];
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

function Remove({ removed, rates, onClose, onSaved }: RemoveProps): ReactNode {
  const [, update] = useMutation(UpdateRateSettingsDocument);
  return (
    <Confirm
      title="Remove this rate?"
      action="Remove the rate"
      refusal="Keep it"
      isDanger
      isOpen={removed !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await update({ input: { fixedRates: rates.filter((rate) => rate !== removed).map(toInput) } });
        if (outcome.data) {
          onSaved();
          announce('The rate is removed');
        }
        return outcome;
      }}
    >
      <p>
        Quotes of {removed ? inWords(removed) : 'the pair'} use the market rate less your spread again. Existing quotes
        keep their rate.
      </p>
    </Confirm>
  );
}
