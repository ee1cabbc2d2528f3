// The console's root: the sign-in page without a session, otherwise the console.

import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { Provider, useQuery } from 'urql';
import { connect } from './client.ts';
import { MeDocument } from './generated/operations.ts';
import { EntryPage } from './pages/sign-in.tsx';
import { Console } from './console.tsx';
import { SessionContext } from './session.ts';

/** The whole console. Each sign-in or sign-out creates a new connection. */
export function App(): ReactNode {
  const [turn, setTurn] = useState(0);
  const renew = useCallback(() => setTurn((now) => now + 1), []);
  return <Connected key={turn} onSessionChange={renew} />;
}

function Connected({ onSessionChange }: { onSessionChange: () => void }): ReactNode {
  const [isSignedOut, setSignedOut] = useState(false);
  const connection = useMemo(() => connect({ onSignedOut: () => setSignedOut(true) }), []);
  return (
    <Provider value={connection.client}>
      {isSignedOut ? (
        <EntryPage onSignedIn={onSessionChange} />
      ) : (
        <WhoAmI
          onSessionChange={() => {
            connection.close();
            onSessionChange();
          }}
        />
      )}
    </Provider>
  );
}

function WhoAmI({ onSessionChange }: { onSessionChange: () => void }): ReactNode {
  const [{ data, error }, retry] = useQuery({ query: MeDocument });
  if (data) {
    const session = { companyName: data.settings.companyName, onSessionChange };
    return (
      <SessionContext value={session}>
        <Console />
      </SessionContext>
    );
  }
  if (error)
    return (
      <main className="alone">
        <h1>The gateway does not answer</h1>
        <p>{error.message}</p>
        <button type="button" className="button" onClick={() => retry({ requestPolicy: 'network-only' })}>
          Try again
        </button>
      </main>
    );
  return (
    <p className="unseen" role="status">
      Loading
    </p>
  );
}
