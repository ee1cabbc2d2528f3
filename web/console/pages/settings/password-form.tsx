// Changes the owner's password, which ends their other sessions.

import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { ChangePasswordDocument } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm } from '../../components/forms/operation-form.tsx';

export function PasswordForm({ email }: { readonly email: string }): ReactNode {
  const [, change] = useMutation(ChangePasswordDocument);
  return (
    <div className="narrow">
      <OperationForm
        action="Change the password"
        onSubmit={async (data, form) => {
          const outcome = await change({ current: whole(data, 'current'), password: whole(data, 'password') });
          if (outcome.data) {
            form.reset();
            announce('The password is changed, and all other sessions are ended');
          }
          return outcome;
        }}
      >
        <p className="hint">You stay signed in here; everywhere else you are signed out.</p>
        {/* Password managers look for the username. */}
        <input
          className="unseen"
          type="text"
          autoComplete="username"
          value={email}
          readOnly
          tabIndex={-1}
          aria-hidden
        />
        <Field label="Current password" name="current" type="password" autoComplete="current-password" isRequired />
        <Field
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          hint="At least 8 characters; a few words are best."
          minLength={8}
          maxLength={128}
          isRequired
        />
      </OperationForm>
    </div>
  );
}

/** The password exactly as typed, including white space. */
function whole(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}
