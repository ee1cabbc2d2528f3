// A lost password: the request for a mail, and the page that its link leads to, where another password is chosen.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { errorCodeOf } from '../../client.ts';
import { useLinkSecret } from '../../link-secret.ts';
import { isSandbox } from '../../networks.ts';
import { RequestPasswordResetDocument, ResetPasswordDocument } from '../../generated/operations.ts';
import { Brand } from '../../components/frame/brand.tsx';
import { Field } from '../../components/forms/field.tsx';
import { NewPassword } from '../../components/forms/new-password.tsx';
import { OperationForm, textOf, wholeTextOf } from '../../components/forms/operation-form.tsx';

interface ResetProps {
  /** Called once the new password holds; every session of the person has ended. */
  readonly onReset: () => void;
}

export function ResetPage({ onReset }: ResetProps): ReactNode {
  const secret = useLinkSecret();
  const [ended, setEnded] = useState<string | null>(null);
  const isChoosing = secret !== null && secret !== ended;
  return (
    <main className="alone">
      <Brand />
      <h1>{isChoosing ? 'Choose a new password' : 'Forgot your password?'}</h1>
      {isChoosing ? (
        <Choose key={secret} secret={secret} onReset={onReset} onEnded={() => setEnded(secret)} />
      ) : (
        <AskForMail isAgain={secret !== null} />
      )}
      <p>
        <a href="/console">Back to signing in</a>
      </p>
    </main>
  );
}

/** Answers the same whether or not there is such an account. */
function AskForMail({ isAgain }: { readonly isAgain: boolean }): ReactNode {
  const [{ data }, request] = useMutation(RequestPasswordResetDocument);
  if (data)
    return (
      <div role="status">
        <p>If there is an account with this address, a mail is on its way. Its link works for 30 minutes.</p>
        {isSandbox && (
          <p>
            The sandbox sends no mail: <a href="/sandbox/mailbox">look into its mailbox</a>.
          </p>
        )}
      </div>
    );
  return (
    <>
      {isAgain && (
        <p className="notice" role="alert">
          This link was already used, or has expired. Ask for a new one here.
        </p>
      )}
      <p>We will mail you a link to set a new one.</p>
      <OperationForm action="Send me a link" onSubmit={(data) => request({ email: textOf(data, 'email') })}>
        <Field label="E-mail" name="email" type="email" autoComplete="username" isRequired autoFocus />
      </OperationForm>
    </>
  );
}

interface ChooseProps extends ResetProps {
  readonly secret: string;
  /** Called if the link opens nothing any more. */
  readonly onEnded: () => void;
}

function Choose({ secret, onReset, onEnded }: ChooseProps): ReactNode {
  const [, reset] = useMutation(ResetPasswordDocument);
  return (
    <OperationForm
      action="Set the password"
      onSubmit={async (data) => {
        const outcome = await reset({ token: secret, password: wholeTextOf(data, 'password') });
        if (outcome.data) onReset();
        else if (errorCodeOf(outcome.error) === '2004') onEnded();
        return outcome;
      }}
    >
      <p className="hint">You will be signed out everywhere and sign in with the new one.</p>
      <NewPassword label="New password" autoFocus />
    </OperationForm>
  );
}
