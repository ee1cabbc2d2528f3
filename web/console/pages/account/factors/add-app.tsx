// Adds an authenticator app: shows it the secret, and asks for a code that proves it has it.

import { useEffect, type ReactNode } from 'react';
import { FinishTotpDocument, StartTotpDocument } from '../../../generated/operations.ts';
import { Copy } from '../../../components/copy.tsx';
import { useConfirmedMutation } from '../../../components/forms/confirmation-question.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../../components/forms/operation-form.tsx';
import { QrDrawing } from '../../../components/qr-drawing.tsx';
import { Loading } from '../../../components/states.tsx';
import { messageOf } from '../../../errors.ts';

interface AddProps {
  readonly onCancel: () => void;
  readonly onAdded: () => void;
}

export function AddApp({ onCancel, onAdded }: AddProps): ReactNode {
  const [{ data, error }, start] = useConfirmedMutation(StartTotpDocument);
  const [, finish] = useConfirmedMutation(FinishTotpDocument);
  useEffect(() => void start({}), [start]);
  if (error && !data)
    return (
      <p className="fault" role="alert">
        {messageOf(error)}
      </p>
    );
  if (!data) return <Loading lines={5} />;
  const { id, secret, uri } = data.startTotp;
  return (
    <OperationForm
      action="Add it"
      onCancel={onCancel}
      onSubmit={async (form) => {
        const code = textOf(form, 'code').replaceAll(' ', '');
        const outcome = await finish({ id, code, label: textOf(form, 'label') });
        if (outcome.data) onAdded();
        return outcome;
      }}
    >
      <p>Scan this with your authenticator app, or type the key.</p>
      <div className="qr-code">
        <QrDrawing text={uri} label="QR code for your authenticator app" />
        <Copy value={secret} label="key" />
      </div>
      <Field label="Name" name="label" defaultValue="Authenticator app" maxLength={100} isRequired />
      <Field
        label="Code that the app shows"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        isRequired
        autoFocus
      />
    </OperationForm>
  );
}
