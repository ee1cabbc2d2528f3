// The field for a password that is to be: with what it has to be, and known as new to password managers.

import type { ReactNode } from 'react';
import { Field } from './field.tsx';

interface NewPasswordProps {
  readonly label?: string;
  readonly autoFocus?: boolean;
}

export function NewPassword({ label = 'Password', autoFocus = false }: NewPasswordProps): ReactNode {
  return (
    <Field
      label={label}
      name="password"
      type="password"
      autoComplete="new-password"
      hint="At least 8 characters; a few words are best."
      minLength={8}
      maxLength={128}
      isRequired
      autoFocus={autoFocus}
    />
  );
}

/** For password managers, which look for the name that belongs to a new password. */
export function UserName({ email }: { readonly email: string }): ReactNode {
  return (
    <input className="unseen" type="text" autoComplete="username" value={email} readOnly tabIndex={-1} aria-hidden />
  );
}
