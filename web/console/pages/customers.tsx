// Customers: erases what is kept of one, by their e-mail address, and says after how many days that happens by itself.

import { useState, type ReactNode } from 'react';
import { useMutation, useQuery, type CombinedError } from 'urql';
import {
  CustomerDataDaysDocument,
  EraseCustomerDocument,
  UpdateCustomerDataDaysDocument,
  type EraseCustomerMutation,
} from '../generated/operations.ts';
import { errorCodeOf } from '../client.ts';
import { announce } from '../components/announcer.tsx';
import { Field } from '../components/forms/field.tsx';
import { numberFault } from '../components/forms/number-fault.ts';
import { OperationForm, textOf, textOrNull } from '../components/forms/operation-form.tsx';
import { Confirm } from '../components/overlays/confirm.tsx';
import { Facts, Sheet } from '../components/overlays/sheet.tsx';
import { Time } from '../components/time.tsx';
import { useSession } from '../session.ts';

type Erasure = EraseCustomerMutation['eraseCustomer'];

/** What came of it: the erasure, or what stands in its way. */
interface Outcome {
  readonly email: string;
  readonly erasure: Erasure | null;
  readonly blockers: readonly string[];
}

export default function Customers(): ReactNode {
  const [asking, setAsking] = useState<string | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [, erase] = useMutation(EraseCustomerDocument);
  const { may } = useSession();
  const run = async () => {
    const email = asking ?? '';
    const { data, error } = await erase({ email });
    const blockers = blockersOf(error);
    if (data) announce('The customer is erased');
    if (data || blockers.length > 0) setOutcome({ email, erasure: data?.eraseCustomer ?? null, blockers });
    // What stands in the way is shown on the page, where there is room for all of it.
    return blockers.length > 0 ? {} : { error };
  };
  return (
    <>
      <Sheet title="Erase a customer">
        <p>
          Removes their e-mail address and everything that names them from your payments, invoices, events and mails.
          Amounts, addresses, transactions and your own order IDs stay in the books. This cannot be undone, and does not
          reach backups or data already sent to your systems.
        </p>
        <div className="narrow">
          <OperationForm
            action="Erase"
            onSubmit={(form) => {
              setOutcome(null);
              setAsking(textOf(form, 'email'));
              return Promise.resolve({});
            }}
          >
            <Field label="Their e-mail address" name="email" type="email" autoComplete="off" isRequired />
          </OperationForm>
        </div>
      </Sheet>
      {outcome && <Result outcome={outcome} />}
      {may('MANAGE_SETTINGS') && <DataDays />}
      <Confirm
        title={`Erase ${asking ?? ''}?`}
        action="Erase permanently"
        refusal="Keep everything"
        isDanger
        needsProof
        isOpen={asking !== null}
        onClose={() => setAsking(null)}
        onConfirm={run}
      >
        <p>This cannot be undone.</p>
      </Confirm>
    </>
  );
}

/** After how many days what names customers is removed; empty for never. */
function DataDays(): ReactNode {
  const [{ data }] = useQuery({ query: CustomerDataDaysDocument });
  const [, update] = useMutation(UpdateCustomerDataDaysDocument);
  if (!data) return null;
  return (
    <Sheet title="Automatic erasure">
      <div className="narrow">
        <OperationForm
          action="Save days"
          onSubmit={async (form) => {
            const days = textOrNull(form, 'customerDataDays');
            const saved = await update({ input: { customerDataDays: days === null ? null : Number(days) } });
            if (saved.data) announce('The days are saved');
            return saved;
          }}
        >
          <Field
            label="Days (optional)"
            name="customerDataDays"
            inputMode="numeric"
            autoComplete="off"
            hint="30 to 3650. The same data is removed from older orders, permanently. Leave empty for never."
            defaultValue={data.settings.customerDataDays === null ? '' : String(data.settings.customerDataDays ?? '')}
            validate={(text) => (text.trim() === '' ? null : numberFault(text, /^\d+$/, 30, 3_650, 'whole'))}
          />
        </OperationForm>
      </div>
    </Sheet>
  );
}

function Result({ outcome: { email, erasure, blockers } }: { readonly outcome: Outcome }): ReactNode {
  if (erasure === null)
    return (
      <Sheet title="Nothing was erased">
        <p>
          Something of <strong className="long">{email}</strong> is still under way. Try again when it has ended:
        </p>
        <ul>
          {blockers.map((blocker) => (
            <li key={blocker} className="long">
              {blocker}
            </li>
          ))}
        </ul>
      </Sheet>
    );
  return (
    <Sheet title="Erased">
      <Facts
        rows={[
          ['Customer', email],
          ['Payments and invoices', String(erasure.payments)],
          ['Events', String(erasure.events)],
          ['Mails', String(erasure.mails)],
          ['Erased at', <Time key="at" value={erasure.at} isExact />],
        ]}
      />
    </Sheet>
  );
}

/** What a 2013 names, in words. */
function blockersOf(error: CombinedError | undefined): string[] {
  if (errorCodeOf(error) !== '2013') return [];
  const { details = [] } = (error?.graphQLErrors[0]?.extensions ?? {}) as {
    details?: { path: string; message: string }[];
  };
  return details.map(({ path, message }) => `${path} ${message}`);
}
