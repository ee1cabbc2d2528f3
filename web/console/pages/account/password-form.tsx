// Changes the owner's password, which ends their other sessions.

import type { ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { ChangePasswordDocument, IdentitiesDocument } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Field } from '../../components/forms/field.tsx';
import { NewPassword, UserName } from '../../components/forms/new-password.tsx';
import { OperationForm, wholeTextOf } from '../../components/forms/operation-form.tsx';

export function PasswordForm({ email }: { readonly email: string }): ReactNode {
  const [, change] = useMutation(ChangePasswordDocument);
  const [{ data: own }] = useQuery({ query: IdentitiesDocument });
  if (own?.me.hasPassword === false) return <NoPassword />;
  return (
    <div className="narrow">
      <OperationForm
        action="Change the password"
        onSubmit={async (data, form) => {
          const outcome = await change({
            current: wholeTextOf(data, 'current'),
            password: wholeTextOf(data, 'password'),
          });
          if (outcome.data) {
            form.reset();
            announce('The password is changed, and all other sessions are ended');
          }
          return outcome;
        }}
      >
        <p className="hint">You stay signed in here; everywhere else you are signed out.</p>
        <UserName email={email} />
        <Field label="Current password" name="current" type="password" autoComplete="current-password" isRequired />
        <NewPassword label="New password" />
      </OperationForm>
    </div>
  );
}

function NoPassword(): ReactNode {
  return (
    <p>
      You have no password. <a href="/console/reset">Choose one by mail</a>: you are then signed out everywhere, and
      your accounts at a provider are unlinked. Link them again once you have signed in.
    </p>
  );
}
