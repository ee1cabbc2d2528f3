// The secret that signs webhooks, and its rotation without a gap.

import { useState, type ReactNode } from 'react';
import { RotateSecretDocument, type RotateSecretMutation } from '../../generated/operations.ts';
import { Button } from '../../components/forms/button.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { Time } from '../../components/time.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';

type Rotated = RotateSecretMutation['rotateWebhookSecret'];

const OVERLAPS = [
  ['0', 'No: it was leaked'],
  ['1', 'For an hour'],
  ['24', 'For a day'],
  ['72', 'For three days'],
  ['168', 'For a week'],
] as const;

export function SigningSecret(): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const [rotated, setRotated] = useState<Rotated | null>(null);
  const [, rotate] = useConfirmedMutation(RotateSecretDocument);
  return (
    <Sheet
      title="Signing secret"
      actions={
        <Button look="quiet" onPress={() => setAsking(true)}>
          Change the secret
        </Button>
      }
    >
      <p>
        Every webhook carries a signature made with your secret, so that your server knows that it comes from here. One
        secret signs for all endpoints.
      </p>
      <Popup title="Change the secret" isOpen={isAsking} onClose={() => setAsking(false)}>
        <OperationForm
          action="Create a new secret"
          onCancel={() => setAsking(false)}
          onSubmit={async (data) => {
            const outcome = await rotate({ overlapHours: Number(textOf(data, 'overlapHours')) });
            if (outcome.data) {
              setAsking(false);
              setRotated(outcome.data.rotateWebhookSecret);
            }
            return outcome;
          }}
        >
          <p>
            Webhooks are signed with a new secret at once. Until the old secret expires, they are signed with both, so
            you can update your servers one at a time.
          </p>
          <Select label="Keep the old secret valid" name="overlapHours" options={OVERLAPS} defaultValue="24" />
        </OperationForm>
      </Popup>
      <ShownOnce
        title="Your new webhook secret"
        isOpen={rotated !== null}
        onClose={() => setRotated(null)}
        values={[['Webhook secret', rotated?.secret ?? '']]}
      >
        {rotated && (
          <>
            The previous secret also signs until <Time value={rotated.previousExpiresAt} />. Update your servers before
            then.
          </>
        )}
      </ShownOnce>
    </Sheet>
  );
}
