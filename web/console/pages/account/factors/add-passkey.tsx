// Adds a passkey: the browser makes it.

import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { useState, type ReactNode } from 'react';
import { FinishPasskeyDocument, StartPasskeyDocument } from '../../../generated/operations.ts';
import { useConfirmedMutation } from '../../../components/forms/confirmation-question.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { OperationForm, textOf, type Outcome } from '../../../components/forms/operation-form.tsx';

interface AddProps {
  readonly onCancel: () => void;
  readonly onAdded: () => void;
}

export function AddPasskey({ onCancel, onAdded }: AddProps): ReactNode {
  const [, start] = useConfirmedMutation(StartPasskeyDocument);
  const [, finish] = useConfirmedMutation(FinishPasskeyDocument);
  const [fault, setFault] = useState<string | null>(null);
  const add = async (label: string): Promise<Outcome> => {
    setFault(null);
    const started = await start({});
    if (!started.data) return started;
    const { id: challengeId, passkey: options } = started.data.startPasskey;
    const passkey = await make(options ?? {});
    if (typeof passkey === 'string') {
      setFault(passkey);
      return {};
    }
    const outcome = await finish({ input: { challengeId, passkey }, label });
    if (outcome.data) onAdded();
    return outcome;
  };
  return (
    <OperationForm action="Add it" onCancel={onCancel} onSubmit={(form) => add(textOf(form, 'label'))}>
      <p>Your browser asks where to keep it: on this device, on your phone or on a security key.</p>
      <Field label="Name" name="label" defaultValue="Passkey" maxLength={100} isRequired autoFocus />
      {fault !== null && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
    </OperationForm>
  );
}

/** The passkey that the browser makes, or why it made none. */
async function make(options: Record<string, unknown>): Promise<Record<string, unknown> | string> {
  try {
    const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
    return { ...(await startRegistration({ optionsJSON })) };
  } catch (error) {
    const isKnown = error instanceof Error && error.name === 'InvalidStateError';
    return isKnown ? 'You have added this passkey already.' : 'The passkey was not created. Please try again.';
  }
}
