// Invites somebody by mail.

import type { ReactNode } from 'react';
import { InviteMemberDocument, type CustomRoleRowFragment } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { isSandbox } from '../../networks.ts';
import { RoleChoice, roleIn } from './role-choice.tsx';

interface InviteFormProps {
  readonly customRoles: readonly CustomRoleRowFragment[];
  readonly onCancel: () => void;
  readonly onInvited: () => void;
}

export function InviteForm({ customRoles, onCancel, onInvited }: InviteFormProps): ReactNode {
  const [, invite] = useConfirmedMutation(InviteMemberDocument);
  return (
    <OperationForm
      action="Invite"
      onCancel={onCancel}
      onSubmit={async (data) => {
        const email = textOf(data, 'email');
        const outcome = await invite({ input: { email, ...roleIn(textOf(data, 'role')) } });
        if (outcome.data) {
          onInvited();
          announce(`${email} is invited`);
        }
        return outcome;
      }}
    >
      <Field label="E-mail" name="email" type="email" autoComplete="off" isRequired autoFocus />
      <RoleChoice customRoles={customRoles} />
      <p className="hint">
        They get a mail with a link that works for seven days.
        {isSandbox && (
          <>
            {' '}
            The sandbox sends none: <a href="/sandbox/mailbox">look into its mailbox</a>.
          </>
        )}
      </p>
    </OperationForm>
  );
}
