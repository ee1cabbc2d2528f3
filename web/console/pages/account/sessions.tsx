// The person's sessions, each with a button that ends it.

import { useCallback, useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import {
  EndOtherSessionsDocument,
  EndSessionDocument,
  SessionsDocument,
  type SessionsQuery,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Loading, Problem } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';

type Session = SessionsQuery['sessions'][number];

export function Sessions(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: SessionsDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const [ending, setEnding] = useState<Session | null>(null);
  const [, end] = useMutation(EndSessionDocument);
  const [others, endOthers] = useMutation(EndOtherSessionsDocument);
  const leaveOthers = async () => {
    if ((await endOthers({})).data) announce('All your other sessions are ended');
    refresh();
  };
  return (
    <Sheet title="Active sessions">
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading />}
      {data && (
        <Table
          label="Sessions"
          rows={data.sessions}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Device',
              cell: ({ ip, userAgent, isCurrent }) => (
                <span>
                  <code className="whole">{ip}</code> {isCurrent && <Badge tone="good">This device</Badge>}
                  {userAgent != null && <span className="quietly below long">{userAgent}</span>}
                </span>
              ),
            },
            { title: 'Signed in', cell: ({ createdAt }) => <Time value={createdAt} /> },
            {
              title: 'Last used',
              cell: ({ lastSeenAt }) =>
                lastSeenAt == null ? <span className="quietly">unknown</span> : <Time value={lastSeenAt} />,
            },
            { title: 'Expires', cell: ({ expiresAt }) => <Time value={expiresAt} /> },
            {
              title: 'Actions',
              isUntitled: true,
              cell: (session) =>
                !session.isCurrent && (
                  <Button
                    look="link"
                    aria-label={`End the session from ${session.ip}`}
                    onPress={() => setEnding(session)}
                  >
                    End
                  </Button>
                ),
            },
          ]}
        />
      )}
      {data && data.sessions.length > 1 && (
        <div className="actions">
          <Button look="quiet" isPending={others.fetching} onPress={() => void leaveOthers()}>
            End all other sessions
          </Button>
        </div>
      )}
      <Confirm
        title="End this session?"
        action="End session"
        refusal="Cancel"
        isDanger
        isOpen={ending !== null}
        onClose={() => setEnding(null)}
        onConfirm={async () => {
          const outcome = await end({ id: ending?.id ?? '' });
          if (outcome.data) {
            refresh();
            announce('The session is ended');
          }
          return outcome;
        }}
      >
        <p>
          Anyone signed in from <code>{ending?.ip}</code> is signed out at once. If it was not you, change your password
          too.
        </p>
      </Confirm>
    </Sheet>
  );
}
