// Creates a payment link: with a price, or one at which customers say how much.

import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useMutation } from 'urql';
import { CreatePaymentLinkDocument } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf, textOrNull } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Bounds } from './bounds.tsx';
import { LinkFields, newFieldsOf } from './link-fields.tsx';
import '../../style/links.css';

const KINDS = [
  ['fixed', 'Fixed price'],
  ['open', 'Customers choose'],
] as const;

export default function NewPaymentLink(): ReactNode {
  const [, create] = useMutation(CreatePaymentLinkDocument);
  const [, go] = useLocation();
  const [kind, setKind] = useState('fixed');
  const submit = async (data: FormData) => {
    const amount = textOrNull(data, 'amount');
    const price = { currency: textOf(data, 'currency'), ...(amount !== null && { amount }) };
    const made = await create({ input: { ...newFieldsOf(data), ...price } });
    if (made.data) {
      announce('Payment link created');
      go(`/payment-links/${made.data.createPaymentLink.id}`);
    }
    return made;
  };
  return (
    <Sheet title="What the link is for">
      <div className="narrow">
        <OperationForm action="Create payment link" onSubmit={submit} onCancel={() => go('/payment-links')}>
          <LinkFields>
            <Select label="Who sets the price" options={KINDS} value={kind} onChange={setKind} />
            <div className="pair">
              {kind === 'fixed' && (
                <Field
                  label="Price"
                  name="amount"
                  inputMode="decimal"
                  autoComplete="off"
                  hint="Such as 49.90"
                  isRequired
                />
              )}
              <Field
                label="Currency"
                name="currency"
                autoComplete="off"
                maxLength={10}
                hint="Such as EUR or USD, or a coin"
                isRequired
              />
            </div>
            {kind === 'open' && <Bounds />}
            <p className="hint">Price and currency cannot be changed later: create another link for another price.</p>
          </LinkFields>
        </OperationForm>
      </div>
    </Sheet>
  );
}
