// The signed-in owner, for every page of the console.

import { createContext, useContext } from 'react';

export interface Session {
  readonly companyName: string;
  /** To be called after signing out: closes the connection and drops all cached data. */
  readonly onSessionChange: () => void;
}

export const SessionContext = createContext<Session | null>(null);

/** The session of a signed-in page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Only pages of the console have a session');
  return session;
}
