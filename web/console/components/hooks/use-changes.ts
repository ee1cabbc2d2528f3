// Follows a subscription without drawing anything: urql's own hook would draw its component anew for each message,
// and a list with it.

import { useEffect, useRef } from 'react';
import { useClient, type AnyVariables, type TypedDocumentNode } from 'urql';

/** Calls `onChange` with each message, as long as it is not paused. */
export function useChanges<Data, Variables extends AnyVariables>(
  query: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  onChange: (data: Data) => void,
  isPaused = false,
): void {
  const client = useClient();
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  const key = JSON.stringify(variables);
  useEffect(() => {
    if (isPaused) return;
    const following = client
      .subscription<Data, Variables>(query, JSON.parse(key) as Variables)
      .subscribe(({ data }) => {
        if (data) latest.current(data);
      });
    return () => following.unsubscribe();
  }, [client, query, key, isPaused]);
}
