// The settings that new payments start with, beside a preview of the payment page.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import {
  UpdateSettingsDocument,
  type AllSettingsFragment,
  type LatePaymentPolicy,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Field } from '../../components/forms/field.tsx';
import { numberFault } from '../../components/forms/number-fault.ts';
import { OperationForm, textOf, textOrNull } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';
import { LANGUAGES } from '../../languages.ts';
import { Preview } from './preview.tsx';

/** The payment page's languages. */
const PAGE_LANGUAGES = [['', 'The customer’s browser language'], ...LANGUAGES] as const;

const POLICIES = [
  ['ACCEPT', 'Accept it: the payment counts as paid, marked as late'],
  ['MANUAL', 'Wait until I accept it'],
] as const;

export function SettingsForm({ settings }: { readonly settings: AllSettingsFragment }): ReactNode {
  const [, update] = useMutation(UpdateSettingsDocument);
  const [companyName, setCompanyName] = useState(settings.companyName);
  const [logoUrl, setLogoUrl] = useState(settings.logoUrl ?? '');
  const [accentColor, setAccentColor] = useState(settings.accentColor ?? '');
  // A language that was set through the API and is not listed here is kept.
  const isListed = PAGE_LANGUAGES.some(([code]) => code === (settings.locale ?? ''));
  const languages = isListed
    ? PAGE_LANGUAGES
    : [...PAGE_LANGUAGES, [settings.locale ?? '', settings.locale ?? ''] as const];
  return (
    <div className="split">
      <OperationForm
        action="Save settings"
        onSubmit={async (data) => {
          // The navigation names the company.
          const outcome = await update({ input: inputOf(data) }, { additionalTypenames: ['Merchant'] });
          if (outcome.data) announce('The settings are saved; new payments start with them');
          return outcome;
        }}
      >
        <p className="hint">Changes apply to new payments; existing payments keep their settings.</p>
        <Field
          label="Company name"
          name="companyName"
          hint="Your customers see it when they pay."
          value={companyName}
          onChange={setCompanyName}
          isRequired
        />
        <div className="pair">
          <Field
            label="Minutes to pay"
            name="expirationMinutes"
            inputMode="numeric"
            hint="5 to 1440. Then a payment expires."
            defaultValue={String(settings.expirationMinutes)}
            validate={(text) => numberFault(text, /^\d+$/, 5, 1_440, 'whole')}
            isRequired
          />
          <Field
            label="Underpayment tolerance (%)"
            name="underpaymentTolerance"
            inputMode="decimal"
            hint="0 to 50. How much of an amount may be missing."
            defaultValue={String(settings.underpaymentTolerance)}
            validate={(text) => numberFault(text, /^\d+(\.\d{1,2})?$/, 0, 50, 'with two decimals at most')}
            isRequired
          />
        </div>
        <Select
          label="When the full amount comes late"
          name="latePaymentPolicy"
          options={POLICIES}
          defaultValue={settings.latePaymentPolicy}
        />
        <Field
          label="Return URL (optional)"
          name="defaultReturnUrl"
          hint="Where customers go after paying, unless a payment names another page."
          defaultValue={settings.defaultReturnUrl ?? ''}
        />
        <Select
          label="Language of the payment page"
          name="locale"
          options={languages}
          defaultValue={settings.locale ?? ''}
        />
        <Field
          label="Logo (optional)"
          name="logoUrl"
          hint="The https address of a picture."
          value={logoUrl}
          onChange={setLogoUrl}
        />
        <div className="beside">
          <Field
            label="Accent colour (optional)"
            name="accentColor"
            hint="Such as #3347e0."
            value={accentColor}
            onChange={setAccentColor}
            autoComplete="off"
          />
          <input
            className="swatch"
            type="color"
            aria-label="Pick the accent colour"
            value={/^#[0-9a-f]{6}$/i.test(accentColor) ? accentColor.toLowerCase() : '#1553c7'}
            onChange={(event) => setAccentColor(event.currentTarget.value)}
          />
        </div>
      </OperationForm>
      <Preview companyName={companyName} logoUrl={logoUrl.trim()} accentColor={accentColor.trim()} />
    </div>
  );
}

const inputOf = (data: FormData) => ({
  companyName: textOf(data, 'companyName'),
  expirationMinutes: Number(textOf(data, 'expirationMinutes')),
  underpaymentTolerance: Number(textOf(data, 'underpaymentTolerance')),
  latePaymentPolicy: textOf(data, 'latePaymentPolicy') as LatePaymentPolicy,
  defaultReturnUrl: textOrNull(data, 'defaultReturnUrl'),
  locale: textOrNull(data, 'locale'),
  logoUrl: textOrNull(data, 'logoUrl'),
  accentColor: textOrNull(data, 'accentColor'),
});
