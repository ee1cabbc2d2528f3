// The root of the operator's pages: the sign-in page without a session, otherwise the pages.

import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { Provider, useQuery } from 'urql';
import { connect } from '../console/client.ts';
import { Brand } from '../console/components/frame/brand.tsx';
import { Problem } from '../console/components/states.tsx';
import { SignInForm } from '../console/pages/entry/sign-in.tsx';
import { OperatorDocument } from './generated/operations.ts';
import { Operate } from './operate.tsx';

/** All pages. Each sign-in or sign-out creates a new connection. */
export function App(): ReactNode {
  const [turn, setTurn] = useState(0);
  const renew = useCallback(() => setTurn((now) => now + 1), []);
  return <Connected key={turn} onSessionChange={renew} />;
}

function Connected({ onSessionChange }: { readonly onSessionChange: () => void }): ReactNode {
  const [isSignedOut, setSignedOut] = useState(false);
  const connection = useMemo(() => connect({ onSignedOut: () => setSignedOut(true) }), []);
  const change = () => {
    connection.close();
    onSessionChange();
  };
  return (
    <Provider value={connection.client}>
      {isSignedOut ? <Entry onSignedIn={change} /> : <WhoAmI onSignedOut={change} />}
    </Provider>
  );
}

function Entry({ onSignedIn }: { readonly onSignedIn: () => void }): ReactNode {
  return (
    <main className="alone">
      <Brand />
      <h1>Sign in as an operator</h1>
      <SignInForm isOperator onSignedIn={onSignedIn} />
      <p>
        Merchants sign in to <a href="/console">the console</a>.
      </p>
    </main>
  );
}

function WhoAmI({ onSignedOut }: { readonly onSignedOut: () => void }): ReactNode {
  const [{ data, error }, retry] = useQuery({ query: OperatorDocument });
  if (data) return <Operate person={data.me} onSignedOut={onSignedOut} />;
  if (error)
    return (
      <main className="alone">
        <h1>The gateway does not answer</h1>
        <Problem error={error} onRetry={() => retry({ requestPolicy: 'network-only' })} />
      </main>
    );
  return (
    <p className="unseen" role="status">
      Loading
    </p>
  );
}
