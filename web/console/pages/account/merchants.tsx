// The merchants that the person belongs to: the one whose console this is, the others to go to, and a new one.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { AddMerchantDocument, SwitchMerchantDocument } from '../../generated/operations.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Problem } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { isRegistrationOpen } from '../../registration.ts';
import { useSession } from '../../session.ts';

export function Merchants(): ReactNode {
  const { merchant, merchants, onSessionChange } = useSession();
  const [{ fetching, error }, go] = useMutation(SwitchMerchantDocument);
  const [isAdding, setAdding] = useState(false);
  const goTo = async (merchantId: string) => {
    if ((await go({ merchantId })).data) onSessionChange();
  };
  return (
    <Sheet
      title="Your merchants"
      actions={
        isRegistrationOpen && (
          <Button look="quiet" onPress={() => setAdding(true)}>
            Add a merchant
          </Button>
        )
      }
    >
      {error && <Problem error={error} />}
      <Table
        label="Merchants"
        rows={merchants}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Company',
            cell: ({ id, companyName }) => (
              <span className="long">
                {companyName} {id === merchant.id && <Badge tone="good">Current</Badge>}
              </span>
            ),
          },
          {
            title: 'Actions',
            isUntitled: true,
            cell: ({ id, companyName }) =>
              id !== merchant.id && (
                <Button
                  look="link"
                  isDisabled={fetching}
                  aria-label={`Switch to ${companyName}`}
                  onPress={() => void goTo(id)}
                >
                  Switch
                </Button>
              ),
          },
        ]}
      />
      <Popup title="Add a merchant" isOpen={isAdding} onClose={() => setAdding(false)}>
        <AddMerchant onCancel={() => setAdding(false)} onAdded={(id) => void goTo(id)} />
      </Popup>
    </Sheet>
  );
}

interface AddMerchantProps {
  readonly onCancel: () => void;
  readonly onAdded: (id: string) => void;
}

function AddMerchant({ onCancel, onAdded }: AddMerchantProps): ReactNode {
  const [, add] = useMutation(AddMerchantDocument);
  return (
    <OperationForm
      action="Add it"
      onCancel={onCancel}
      onSubmit={async (data) => {
        const outcome = await add({ companyName: textOf(data, 'companyName') });
        if (outcome.data) onAdded(outcome.data.addMerchant.id);
        return outcome;
      }}
    >
      <p>It has its own payments, balances, keys and team. You become its owner.</p>
      <Field label="Company name" name="companyName" hint="Your customers see it when they pay." isRequired autoFocus />
    </OperationForm>
  );
}
