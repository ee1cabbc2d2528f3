// Sign-in, with a second factor or a passkey, and, where registration is open, the registration of a company.

import { useState, type ReactNode } from 'react';
import { useMutation, type CombinedError } from 'urql';
import { Form } from 'react-aria-components';
import { errorCodeOf } from '../../client.ts';
import { faultsOf, messageOf, otherCellOf } from '../../errors.ts';
import {
  FinishSignInDocument,
  RegisterDocument,
  SignInDocument,
  StartPasskeySignInDocument,
  type AnswerInput,
  type ChallengeFragment,
} from '../../generated/operations.ts';
import { Brand } from '../../components/frame/brand.tsx';
import { Button } from '../../components/forms/button.tsx';
import { answerTo, FactorFields, hasPasskeys, PasskeyNotUsed } from '../../components/forms/factor-fields.tsx';
import { Field } from '../../components/forms/field.tsx';
import { NewPassword, UserName } from '../../components/forms/new-password.tsx';
import { textOf, wholeTextOf } from '../../components/forms/operation-form.tsx';
import { isRegistrationOpen } from '../../registration.ts';
import { ByProvider } from './by-provider.tsx';

interface EntryProps {
  readonly onSignedIn: () => void;
}

interface EntryPageProps extends EntryProps {
  /** What has just happened, in a sentence; empty for nothing. */
  readonly notice: string;
  /** The question to begin with, after the provider was the first step; null without one. */
  readonly asked: ChallengeFragment | null;
}

/** Sign-in and registration on one page; the URL says which is shown, so that both can be linked to. */
export function EntryPage({ onSignedIn, notice, asked }: EntryPageProps): ReactNode {
  const [isNew, setNew] = useState(() => isRegistrationOpen && location.hash === '#register');
  const turn = (next: boolean) => {
    history.replaceState(null, '', next ? '#register' : '#sign-in');
    setNew(next);
  };
  return (
    <main className="alone">
      <Brand />
      <h1>{isNew ? 'Create your account' : 'Sign in'}</h1>
      {notice !== '' && (
        <p className="notice" role="status">
          {notice}
        </p>
      )}
      {isNew ? <RegisterForm onSignedIn={onSignedIn} /> : <SignInForm onSignedIn={onSignedIn} asked={asked} />}
      {!isNew && <ByProvider />}
      {!isNew && (
        <p>
          <a href="/console/reset">Forgot your password?</a>
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

interface SignInFormProps extends EntryProps {
  /** Whether one signs in as an operator, who has sessions of their own. */
  readonly isOperator?: boolean;
  /** As the page has it. */
  readonly asked?: ChallengeFragment | null;
}

/** The password, then a second factor for those who have one; or a passkey alone. */
export function SignInForm({ onSignedIn, isOperator = false, asked = null }: SignInFormProps): ReactNode {
  const [{ fetching, error }, signIn] = useMutation(SignInDocument);
  const [challenge, setChallenge] = useState(asked);
  if (challenge) return <SecondStep challenge={challenge} onSignedIn={onSignedIn} onBack={() => setChallenge(null)} />;
  const submit = async (data: FormData) => {
    const who = { email: textOf(data, 'email'), password: wholeTextOf(data, 'password') };
    const { data: done } = await signIn({ ...who, operator: isOperator });
    if (done?.signIn.challenge) setChallenge(done.signIn.challenge);
    else if (done) onSignedIn();
  };
  return (
    <>
      <EntryForm
        error={error}
        isBusy={fetching}
        action="Sign in"
        pages={isOperator ? '/operator' : '/console'}
        onSubmit={submit}
      >
        <Field label="E-mail" name="email" type="email" autoComplete="username" isRequired autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" isRequired />
      </EntryForm>
      {hasPasskeys && <ByPasskey onSignedIn={onSignedIn} isOperator={isOperator} />}
    </>
  );
}

interface SecondStepProps extends EntryProps {
  readonly challenge: ChallengeFragment;
  readonly onBack: () => void;
}

function SecondStep({ challenge, onSignedIn, onBack }: SecondStepProps): ReactNode {
  const [{ fetching }, finish] = useMutation(FinishSignInDocument);
  const [fault, setFault] = useState<string | null>(null);
  const [isMailShown, setMailShown] = useState(false);
  const submit = async (data: FormData) => {
    setFault(null);
    const outcome = await answered(finish, () => answerTo(challenge, data));
    if (outcome === null) onSignedIn();
    else if (outcome === NOW_OWN_FACTOR) setMailShown(true);
    else setFault(outcome);
  };
  return (
    <>
      {challenge.factors.includes('MAIL_CODE') && (
        <p>
          {isMailShown
            ? 'Enter a code from your authenticator app, or a recovery code. If you only have a passkey, go back and sign in with it.'
            : 'Many wrong passwords were tried for this account, so we ask for more on devices that we do not know.'}
        </p>
      )}
      <Form
        key={String(isMailShown)}
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!fetching) void submit(new FormData(event.currentTarget));
        }}
      >
        <FactorFields factors={isMailShown ? ['TOTP', 'RECOVERY_CODE'] : challenge.factors} />
        <Fault>{fault}</Fault>
        <div className="actions">
          <Button type="submit" isPending={fetching}>
            Continue
          </Button>
        </div>
      </Form>
      <p>
        <Button look="link" onPress={onBack}>
          Use another account
        </Button>
      </p>
    </>
  );
}

function ByPasskey({ onSignedIn, isOperator = false }: SignInFormProps): ReactNode {
  const [{ fetching }, start] = useMutation(StartPasskeySignInDocument);
  const [, finish] = useMutation(FinishSignInDocument);
  const [fault, setFault] = useState<string | null>(null);
  const enter = async () => {
    setFault(null);
    const { data, error } = await start({ operator: isOperator });
    if (!data) return setFault(error ? messageOf(error) : null);
    const outcome = await answered(finish, () => answerTo(data.startPasskeySignIn, new FormData()));
    if (outcome === null) onSignedIn();
    else if (outcome !== NOW_OWN_FACTOR) setFault(outcome);
  };
  return (
    <p>
      <Button look="quiet" isPending={fetching} onPress={() => void enter()}>
        Sign in with a passkey
      </Button>
      <Fault>{fault}</Fault>
    </p>
  );
}

function Fault({ children }: { readonly children: string | null }): ReactNode {
  return (
    children !== null && (
      <span className="fault" role="alert">
        {children}
      </span>
    )
  );
}

/** Instead of what was wrong: the mailed code was right, and a factor of their own is asked for next. */
const NOW_OWN_FACTOR = Symbol('own factor');

/** Finishes a sign-in; resolves to what was wrong, null if nothing was. */
async function answered(
  finish: (variables: { readonly input: AnswerInput }) => Promise<{ error?: CombinedError | undefined }>,
  answer: () => Promise<AnswerInput>,
): Promise<string | typeof NOW_OWN_FACTOR | null> {
  try {
    const { error } = await finish({ input: await answer() });
    const code = errorCodeOf(error);
    if (code === '1005') return 'That is wrong, or was used before.';
    if (code === '1009') return NOW_OWN_FACTOR;
    if (code === '2004') return 'That took too long, or too many tries. Please sign in again.';
    return error ? messageOf(error) : null;
  } catch (problem) {
    if (problem instanceof PasskeyNotUsed) return 'Your passkey was not used. Please try again.';
    throw problem;
  }
}

interface RegisterFormProps extends EntryProps {
  /** The invitation by which they register, with the address that it is for. */
  readonly invited?: { readonly email: string; readonly token: string };
}

export function RegisterForm({ onSignedIn, invited }: RegisterFormProps): ReactNode {
  const [{ fetching, error }, register] = useMutation(RegisterDocument);
  const [{ fetching: isSigningIn }, signIn] = useMutation(SignInDocument);
  const submit = async (data: FormData) => {
    const email = invited?.email ?? textOf(data, 'email');
    const password = wholeTextOf(data, 'password');
    const { data: registered } = await register({
      input: {
        ...{ email, password, companyName: textOf(data, 'companyName') },
        ...(invited && { invitation: invited.token }),
      },
    });
    if (registered && (await signIn({ email, password })).data) onSignedIn();
  };
  return (
    <EntryForm error={error} isBusy={fetching || isSigningIn} action="Create account" onSubmit={submit}>
      <Field label="Company name" name="companyName" hint="Your customers see it when they pay." isRequired autoFocus />
      {invited ? (
        <UserName email={invited.email} />
      ) : (
        <Field label="E-mail" name="email" type="email" autoComplete="username" isRequired />
      )}
      <NewPassword />
    </EntryForm>
  );
}

interface EntryFormProps {
  readonly error: CombinedError | undefined;
  readonly isBusy: boolean;
  readonly action: string;
  /** Where these pages are in every cell. */
  readonly pages?: string;
  readonly onSubmit: (data: FormData) => Promise<void>;
  readonly children: ReactNode;
}

function EntryForm({ error, isBusy, action, pages = '/console', onSubmit, children }: EntryFormProps): ReactNode {
  const faults = faultsOf(error);
  const elsewhere = otherCellOf(error);
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
          {elsewhere === null ? (
            messageOf(error)
          ) : (
            <>
              Sign in with this address at <a href={elsewhere + pages}>{elsewhere.replace(/^https?:\/\//, '')}</a>.
            </>
          )}
        </p>
      )}
      <Button type="submit" isPending={isBusy}>
        {action}
      </Button>
    </Form>
  );
}
