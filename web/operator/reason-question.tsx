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
    <Confirm {...rest} refusal="Leave it" needsProof onConfirm={(form) => onConfirm(textOf(form, 'reason'))}>
      {children}
      <Field
        label="Why"
        name="reason"
        autoComplete="off"
        maxLength={255}
        hint="The log keeps it, and what touches a merchant is in their audit log too."
        isRequired
        autoFocus
      />
    </Confirm>
  );
}
