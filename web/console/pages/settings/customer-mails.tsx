// The mails that customers get, and where their answers go.

import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { UpdateSettingsDocument, type AllSettingsFragment, type CustomerMail } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Checks } from '../../components/forms/checks.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOrNull } from '../../components/forms/operation-form.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';

const MAILS: readonly (readonly [CustomerMail, words: string, hint: string])[] = [
  ['RECEIPT', 'Receipt', 'Once, when the money has arrived.'],
  ['UNDERPAID', 'Too little', 'Two minutes after an underpayment: what is still due.'],
  ['REFUND', 'Refund', 'When a refund was sent.'],
];

export function CustomerMails({ settings }: { readonly settings: AllSettingsFragment }): ReactNode {
  const [, update] = useMutation(UpdateSettingsDocument);
  return (
    <Sheet title="Mails to customers">
      <OperationForm
        action="Save mails"
        onSubmit={async (data) => {
          const chosen = data.getAll('customerMails');
          const customerMails = MAILS.map(([mail]) => mail).filter((mail) => chosen.includes(mail));
          const outcome = await update({ input: { customerMails, supportEmail: textOrNull(data, 'supportEmail') } });
          if (outcome.data) announce('The mails are saved');
          return outcome;
        }}
      >
        <p className="hint">
          They go to the e-mail address of a payment or an invoice, once an owner has confirmed their own address.
          Customers can unsubscribe by a link.
        </p>
        <Checks label="Mails" name="customerMails" options={MAILS} defaultValue={settings.customerMails} />
        <Field
          label="Support address (optional)"
          name="supportEmail"
          type="email"
          autoComplete="off"
          hint="Replies from customers go here, and the payment page shows a button to write to it."
          defaultValue={settings.supportEmail ?? ''}
        />
      </OperationForm>
    </Sheet>
  );
}
