// What the links of two mails lead to: one confirms an e-mail address, the other takes the change of one back.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { errorCodeOf } from '../../client.ts';
import { OperationForm, type Outcome } from '../../components/forms/operation-form.tsx';
import { RevertEmailDocument, VerifyEmailDocument } from '../../generated/operations.ts';
import { useLinkSecret } from '../../link-secret.ts';

export function VerifyPage(): ReactNode {
  const [, verify] = useMutation(VerifyEmailDocument);
  const [isDone, setDone] = useState(false);
  if (isDone)
    return (
      <Door title="Your e-mail address is confirmed">
        <p role="status">There is nothing else to do.</p>
      </Door>
    );
  return (
    <LinkPage
      title="Confirm your e-mail address"
      action="Confirm the address"
      lasts="24 hours"
      run={(token) => verify({ token })}
      onDone={() => setDone(true)}
    >
      <p>Somebody, most likely you, gave it as the address to sign in with.</p>
    </LinkPage>
  );
}

interface RevertPageProps {
  /** Called once the old address is back; every session of the person has ended. */
  readonly onReverted: () => void;
}

export function RevertPage({ onReverted }: RevertPageProps): ReactNode {
  const [, revert] = useMutation(RevertEmailDocument);
  return (
    <LinkPage
      title="Take the change back?"
      action="Bring my address back"
      lasts="seven days"
      run={(token) => revert({ token })}
      onDone={onReverted}
    >
      <p>The e-mail address of your account was changed. If that was not you, bring the one of before back:</p>
      <ul>
        <li>You sign in with it again.</li>
        <li>Everybody who is signed in to your account is signed out.</li>
        <li>Links that were mailed to the other address end.</li>
      </ul>
      <p>Then set another password: somebody else may know yours.</p>
    </LinkPage>
  );
}

interface LinkPageProps {
  readonly title: string;
  readonly action: string;
  /** How long the link works, in words. */
  readonly lasts: string;
  readonly run: (token: string) => Promise<Outcome>;
  readonly onDone: () => void;
  readonly children: ReactNode;
}

/** Asks before the link is used: programs that only look into mails open links too, and each works once. */
function LinkPage({ title, action, lasts, run, onDone, children }: LinkPageProps): ReactNode {
  const secret = useLinkSecret();
  const [ended, setEnded] = useState<string | null>(null);
  if (secret === null || secret === ended)
    return (
      <Door title="This link has ended">
        <p>It was used already, or its {lasts} are over.</p>
      </Door>
    );
  return (
    <Door title={title}>
      {children}
      <OperationForm
        key={secret}
        action={action}
        onSubmit={async () => {
          const outcome = await run(secret);
          if (!outcome.error) onDone();
          else if (errorCodeOf(outcome.error) === '2004') setEnded(secret);
          return outcome;
        }}
      />
    </Door>
  );
}

function Door({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <main className="alone">
      <p className="brand">Turnpike</p>
      <h1>{title}</h1>
      {children}
      <p>
        <a href="/console">To the console</a>
      </p>
    </main>
  );
}
