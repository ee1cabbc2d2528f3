// Sign-in and, where registration is open, the registration of a company.

import { useState, type ReactNode } from 'react';
import { useMutation, type CombinedError } from 'urql';
import { Form } from 'react-aria-components';
import { faultsOf, messageOf } from '../../errors.ts';
import { LoginDocument, RegisterDocument } from '../../generated/operations.ts';
import { Button } from '../../components/forms/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { NewPassword } from '../../components/forms/new-password.tsx';
import { textOf, wholeTextOf } from '../../components/forms/operation-form.tsx';
import { isRegistrationOpen } from '../../registration.ts';

interface EntryProps {
  readonly onSignedIn: () => void;
}

interface EntryPageProps extends EntryProps {
  /** What has just happened, in a sentence; empty for nothing. */
  readonly notice: string;
}

/** Sign-in and registration on one page; the URL says which is shown, so that both can be linked to. */
export function EntryPage({ onSignedIn, notice }: EntryPageProps): ReactNode {
  const [isNew, setNew] = useState(() => isRegistrationOpen && location.hash === '#register');
  const turn = (next: boolean) => {
    history.replaceState(null, '', next ? '#register' : '#sign-in');
    setNew(next);
  };
  return (
    <main className="alone">
      <p className="brand">Turnpike</p>
      <h1>{isNew ? 'Create your account' : 'Sign in'}</h1>
      {notice !== '' && (
        <p className="notice" role="status">
          {notice}
        </p>
      )}
      {isNew ? <RegisterForm onSignedIn={onSignedIn} /> : <SignInForm onSignedIn={onSignedIn} />}
      {!isNew && (
        <p>
          <a href="/console/reset">Lost your password?</a>
        </p>
      )}
      {isRegistrationOpen ? (
        <p>
          {isNew ? 'Already have an account? ' : 'New here? '}
          <Button look="link" onPress={() => turn(!isNew)}>
            {isNew ? 'Sign in' : 'Create an account'}
          </Button>
        </p>
      ) : (
        <p>New here? Ask the operator of this gateway for an account.</p>
      )}
    </main>
  );
}

function SignInForm({ onSignedIn }: EntryProps): ReactNode {
  const [{ fetching, error }, login] = useMutation(LoginDocument);
  const submit = async (data: FormData) => {
    const { data: done } = await login({ email: textOf(data, 'email'), password: wholeTextOf(data, 'password') });
    if (done) onSignedIn();
  };
  return (
    <EntryForm error={error} isBusy={fetching} action="Sign in" onSubmit={submit}>
      <Field label="E-mail" name="email" type="email" autoComplete="username" isRequired autoFocus />
      <Field label="Password" name="password" type="password" autoComplete="current-password" isRequired />
    </EntryForm>
  );
}

function RegisterForm({ onSignedIn }: EntryProps): ReactNode {
  const [{ fetching, error }, register] = useMutation(RegisterDocument);
  const [{ fetching: isSigningIn }, login] = useMutation(LoginDocument);
  const submit = async (data: FormData) => {
    const email = textOf(data, 'email');
    const password = wholeTextOf(data, 'password');
    const { data: registered } = await register({
      input: { email, password, companyName: textOf(data, 'companyName') },
    });
    if (registered && (await login({ email, password })).data) onSignedIn();
  };
  return (
    <EntryForm error={error} isBusy={fetching || isSigningIn} action="Create account" onSubmit={submit}>
      <Field label="Company name" name="companyName" hint="Your customers see it when they pay." isRequired autoFocus />
      <Field label="E-mail" name="email" type="email" autoComplete="username" isRequired />
      <NewPassword />
    </EntryForm>
  );
}

interface EntryFormProps {
  readonly error: CombinedError | undefined;
  readonly isBusy: boolean;
  readonly action: string;
  readonly onSubmit: (data: FormData) => Promise<void>;
  readonly children: ReactNode;
}

function EntryForm({ error, isBusy, action, onSubmit, children }: EntryFormProps): ReactNode {
  const faults = faultsOf(error);
  return (
    <Form
      className="form"
      validationErrors={faults}
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
      {error && Object.keys(faults).length === 0 && (
        <p className="fault" role="alert">
          {messageOf(error)}
        </p>
      )}
      <Button type="submit" isPending={isBusy}>
        {action}
      </Button>
    </Form>
  );
}
