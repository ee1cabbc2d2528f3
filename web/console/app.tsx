// The console's root: the sign-in page without a session, otherwise the console.

import { Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import { Provider, useQuery } from 'urql';
import { connect } from './client.ts';
import { MeDocument } from './generated/operations.ts';
import { useDrawn } from './components/hooks/use-drawn.ts';
import { page, PageBoundary } from './components/frame/page-boundary.tsx';
import { askedFactor } from './pages/entry/question.ts';
import { Console } from './console.tsx';
import { sessionOf, SessionContext } from './session.ts';

// Those who are signed in need none of them.
const EntryPage = page(() => import('./pages/entry/sign-in.tsx').then((part) => ({ default: part.EntryPage })));
const AcceptPage = page(() => import('./pages/entry/accept.tsx').then((part) => ({ default: part.AcceptPage })));
const ResetPage = page(() => import('./pages/entry/reset.tsx').then((part) => ({ default: part.ResetPage })));
const VerifyPage = page(() => import('./pages/entry/email.tsx').then((part) => ({ default: part.VerifyPage })));
const RevertPage = page(() => import('./pages/entry/email.tsx').then((part) => ({ default: part.RevertPage })));

/** Pages that the links of mails lead to, which need no session. */
type Door = 'accept' | 'reset' | 'verify' | 'revert';

const doorOf = (path: string): Door | null =>
  (/^\/console\/(accept|reset|verify|revert)\/?$/.exec(path)?.[1] as Door | undefined) ?? null;

/** The whole console. Each sign-in or sign-out creates a new connection. */
export function App(): ReactNode {
  const [turn, setTurn] = useState(0);
  const [door, setDoor] = useState(() => doorOf(location.pathname));
  const [notice, setNotice] = useState('');
  const renew = useCallback((words = '') => {
    if (doorOf(location.pathname) !== null) history.replaceState(null, '', '/console');
    setDoor(null);
    setNotice(words);
    setTurn((now) => now + 1);
  }, []);
  return <Connected key={turn} door={door} isFirst={turn === 0} notice={notice} onSessionChange={renew} />;
}

interface ConnectedProps {
  readonly door: Door | null;
  /** Whether nobody has signed in or out since the page was opened. */
  readonly isFirst: boolean;
  /** What the sign-in page says first; empty for nothing. */
  readonly notice: string;
  readonly onSessionChange: (notice?: string) => void;
}

function Connected({ door, isFirst, notice, onSessionChange }: ConnectedProps): ReactNode {
  const asked = isFirst ? askedFactor : null;
  const [isSignedOut, setSignedOut] = useState(asked !== null);
  const connection = useMemo(() => connect({ onSignedOut: () => setSignedOut(true) }), []);
  const change = (words = '') => {
    connection.close();
    onSessionChange(words);
  };
  return (
    <Provider value={connection.client}>
      <PageBoundary>
        <Suspense fallback={LOADING}>{content()}</Suspense>
      </PageBoundary>
    </Provider>
  );

  function content(): ReactNode {
    if (door === 'reset')
      return <ResetPage onReset={() => change('Your password is changed. Sign in with the new one.')} />;
    if (door === 'verify') return <VerifyPage />;
    if (door === 'revert')
      return (
        <RevertPage onReverted={() => change('Your old address is back. Sign in with it, or set a new password.')} />
      );
    if (door === 'accept')
      return (
        <AcceptPage
          isSignedOut={isSignedOut}
          onAccepted={change}
          onSignedOut={() => setSignedOut(true)}
          onSignedIn={() => setSignedOut(false)}
        />
      );
    if (isSignedOut) return <EntryPage notice={notice} asked={asked} onSignedIn={onSessionChange} />;
    return <WhoAmI onSessionChange={change} />;
  }
}

function WhoAmI({ onSessionChange }: { onSessionChange: () => void }): ReactNode {
  const [{ data, error }, retry] = useQuery({ query: MeDocument });
  const me = useDrawn(data);
  if (me) {
    const session = sessionOf(me, onSessionChange);
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
  return LOADING;
}

const LOADING = (
  <p className="unseen" role="status">
    Loading
  </p>
);
