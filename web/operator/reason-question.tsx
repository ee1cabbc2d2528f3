// Asks why an operator does something before it is done, and to confirm that it is them.

import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Field } from '../console/components/forms/field.tsx';
import { textOf } from '../console/components/forms/operation-form.tsx';
import { Confirm } from '../console/components/overlays/confirm.tsx';

interface ReasonQuestionProps {
  readonly title: string;
  readonly action: string;
  readonly isOpen: boolean;
  readonly isDanger?: boolean;
  readonly onClose: () => void;
  readonly onConfirm: (reason: string) => Promise<{ error?: CombinedError | undefined }>;
  readonly children: ReactNode;
}

export function ReasonQuestion({ children, onConfirm, ...rest }: ReasonQuestionProps): ReactNode {
  return (
    <Confirm {...rest} refusal="Cancel" needsProof onConfirm={(form) => onConfirm(textOf(form, 'reason'))}>
      {children}
      <Field
        label="Reason"
        name="reason"
        autoComplete="off"
        maxLength={255}
        hint="Kept in the log, and in the merchant’s audit log if it concerns one."
        isRequired
        autoFocus
      />
    </Confirm>
  );
}
