// What the links of two mails lead to: one confirms an e-mail address, the other takes the change of one back.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { errorCodeOf } from '../../client.ts';
import { Brand } from '../../components/frame/brand.tsx';
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
      <p>Someone, most likely you, entered it as a sign-in address.</p>
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
      title="Undo the change?"
      action="Restore my address"
      lasts="seven days"
      run={(token) => revert({ token })}
      onDone={onReverted}
    >
      <p>The e-mail address of your account was changed. If that was not you, restore the old one:</p>
      <ul>
        <li>You sign in with it again.</li>
        <li>All sessions of your account are ended.</li>
        <li>Links mailed to the new address stop working.</li>
      </ul>
      <p>Then change your password: someone else may know it.</p>
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
      <Door title="This link no longer works">
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
      <Brand />
      <h1>{title}</h1>
      {children}
      <p>
        <a href="/console">Go to the console</a>
      </p>
    </main>
  );
}
