// Creates an invoice by hand: a price, for which the customer chooses the coin.

import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useMutation } from 'urql';
import { CreateInvoiceDocument } from '../generated/operations.ts';
import { announce } from '../components/announcer.tsx';
import { AssetChecks, assetsOf } from '../components/forms/asset-checks.tsx';
import { Field } from '../components/forms/field.tsx';
import { OperationForm, textOf } from '../components/forms/operation-form.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';

const TEXTS = ['description', 'merchantInvoiceId', 'customerEmail', 'returnUrl'] as const;

export default function NewInvoice(): ReactNode {
  const [, create] = useMutation(CreateInvoiceDocument);
  const [, go] = useLocation();
  const submit = async (data: FormData) => {
    const made = await create({ input: inputOf(data) });
    if (made.data) {
      announce('Invoice created');
      go(`/invoices/${made.data.createInvoice.id}`);
    }
    return made;
  };
  return (
    <Sheet title="What the customer pays for">
      <div className="narrow">
        <OperationForm action="Create invoice" onSubmit={submit} onCancel={() => go('/invoices')}>
          <div className="pair">
            <Field label="Price" name="amount" inputMode="decimal" autoComplete="off" hint="Such as 49.90" isRequired />
            <Field
              label="Currency"
              name="currency"
              autoComplete="off"
              maxLength={10}
              hint="Such as EUR or USD, or a coin"
              isRequired
            />
          </div>
          <Field label="Description" name="description" autoComplete="off" hint="Optional. The customer sees it." />
          <Field
            label="Your reference"
            name="merchantInvoiceId"
            autoComplete="off"
            hint="Optional. For example your order number; it can be used once."
          />
          <Field
            label="Customer’s e-mail"
            name="customerEmail"
            type="email"
            autoComplete="off"
            hint="Optional. Only you see it."
          />
          <Field
            label="Return URL"
            name="returnUrl"
            type="url"
            autoComplete="off"
            hint="Optional. Where the customer goes afterwards: a page of your shop, beginning with https://"
          />
          <Field
            label="Minutes to pay"
            name="expirationMinutes"
            inputMode="numeric"
            autoComplete="off"
            hint="Optional. 5 to 43200; otherwise what your settings say."
            validate={(text) => (/^\d*$/.test(text.trim()) ? null : 'A whole number of minutes')}
          />
          <AssetChecks hint="Choose none to take all that your settings allow." />
        </OperationForm>
      </div>
    </Sheet>
  );
}

function inputOf(data: FormData) {
  const minutes = textOf(data, 'expirationMinutes');
  const acceptedAssets = assetsOf(data);
  const filled = TEXTS.filter((name) => textOf(data, name) !== '');
  return {
    amount: textOf(data, 'amount'),
    currency: textOf(data, 'currency'),
    ...Object.fromEntries(filled.map((name) => [name, textOf(data, name)])),
    ...(minutes !== '' && { expirationMinutes: Number(minutes) }),
    ...(acceptedAssets && { acceptedAssets }),
  };
}
