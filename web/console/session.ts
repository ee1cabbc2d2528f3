// Who is signed in and at which merchant, for every page of the console: their pages and buttons depend on their role.

import { createContext, useContext } from 'react';
import type { HeldRole } from '../../src/values/member-permission.ts';
import type { MemberPermission, MeQuery } from './generated/operations.ts';

type Person = MeQuery['me'];

export interface Session {
  readonly person: Pick<Person, 'id' | 'email' | 'name' | 'locale'>;
  readonly merchant: MeQuery['merchant'];
  /** All the merchants that the person belongs to, this one too. */
  readonly merchants: readonly MeQuery['merchant'][];
  /** What the person is at this merchant. */
  readonly role: HeldRole;
  /** Whether the person may do something at this merchant. */
  readonly may: (permission: MemberPermission) => boolean;
  /** To be called after signing out or going to another merchant: closes the connection and drops all cached data. */
  readonly onSessionChange: () => void;
}

/** The session that the gateway describes. Somebody who is no member any more may do nothing. */
export function sessionOf({ me, merchant }: MeQuery, onSessionChange: () => void): Session {
  const { memberships, ...person } = me;
  const here = memberships.find((membership) => membership.merchant.id === merchant.id);
  const held = new Set(here?.permissions);
  return {
    person,
    merchant,
    merchants: memberships.map((membership) => membership.merchant),
    role: { role: here?.role ?? 'CUSTOM', custom: here?.customRole?.permissions ?? null },
    may: (permission) => held.has(permission),
    onSessionChange,
  };
}

export const SessionContext = createContext<Session | null>(null);

/** The session of a signed-in page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('Only pages of the console have a session');
  return session;
}
