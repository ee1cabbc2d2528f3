// What quotes take off the market's rate and how long they hold, which coins payers choose among, and the currency of
// the merchant's books.

import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { FIAT_OPTIONS } from '../../currencies.ts';
import { UpdateRateSettingsDocument, type QuoteSettingsFragment } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { AssetChecks, assetsOf } from '../../components/forms/asset-checks.tsx';
import { Field } from '../../components/forms/field.tsx';
import { numberFault } from '../../components/forms/number-fault.ts';
import { OperationForm, textOf, textOrNull } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';

interface QuoteSettingsProps {
  readonly settings: QuoteSettingsFragment;
  readonly onSaved: () => void;
}

export function QuoteSettings({ settings, onSaved }: QuoteSettingsProps): ReactNode {
  const [, update] = useMutation(UpdateRateSettingsDocument);
  const save = async (data: FormData, form: HTMLFormElement) => {
    const outcome = await update({ input: inputOf(data, form) });
    if (outcome.data) {
      announce('The settings are saved; new invoices start with them');
      onSaved();
    }
    return outcome;
  };
  return (
    <Sheet title="Invoices and quotes">
      <OperationForm action="Save settings" onSubmit={save}>
        <p className="hint">
          Spread and minutes apply to new invoices; existing invoices keep theirs. The choice of coins applies to all of
          them.
        </p>
        <QuoteFields settings={settings} />
        <AssetChecks hint="Coins that payers can choose. Choose none to allow all." chosen={settings.acceptedAssets} />
      </OperationForm>
    </Sheet>
  );
}

function QuoteFields({ settings }: Pick<QuoteSettingsProps, 'settings'>): ReactNode {
  return (
    <div className="pair">
      {/* Without an input mode: phones' keyboards for decimals have no minus. */}
      <Field
        label="Spread (%)"
        name="rateSpread"
        autoComplete="off"
        hint="−10 to 10. Taken off the market rate; below zero it is a discount."
        defaultValue={String(settings.rateSpread / 100)}
        validate={(text) => numberFault(text, /^-?\d+(\.\d{1,2})?$/, -10, 10, 'with two decimals at most')}
        isRequired
      />
      <Field
        label="Minutes a quote lasts"
        name="quoteMinutes"
        inputMode="numeric"
        autoComplete="off"
        hint="5 to 60. Then payers get a new rate."
        defaultValue={String(settings.quoteMinutes)}
        validate={(text) => numberFault(text, /^\d+$/, 5, 60, 'whole')}
        isRequired
      />
      <Field
        label="Minutes to pay an invoice"
        name="invoiceExpirationMinutes"
        inputMode="numeric"
        autoComplete="off"
        hint="5 to 43200, which is 30 days."
        defaultValue={String(settings.invoiceExpirationMinutes)}
        validate={(text) => numberFault(text, /^\d+$/, 5, 43_200, 'whole')}
        isRequired
      />
      <Select
        label="Bookkeeping currency"
        name="accountingCurrency"
        options={[['', 'As in each invoice'], ...FIAT_OPTIONS]}
        defaultValue={settings.accountingCurrency ?? ''}
        hint="New receipts are valued in it."
      />
    </div>
  );
}

/** Coins that are not on the screen yet are left as they are. */
const inputOf = (data: FormData, form: HTMLFormElement) => ({
  rateSpread: basisPointsOf(textOf(data, 'rateSpread')),
  quoteMinutes: Number(textOf(data, 'quoteMinutes')),
  invoiceExpirationMinutes: Number(textOf(data, 'invoiceExpirationMinutes')),
  accountingCurrency: textOrNull(data, 'accountingCurrency'),
  ...(form.elements.namedItem('acceptedAssets') && { acceptedAssets: assetsOf(data) }),
});

/** A percentage with two decimals at most in basis points, by its digits: `-0.29` → -29. */
function basisPointsOf(percent: string): number {
  const [whole = '', fraction = ''] = percent.split('.');
  return Number(whole + fraction.padEnd(2, '0'));
}
