// Who is behind a request for a payout.

import { query, type EntityManager } from '../../database/connection.ts';

/** What asks for payouts: a person, a rule of settlement or an API key. */
export function requesterKind(requestedBy: string): 'PERSON' | 'RULE' | 'KEY' {
  if (requestedBy.startsWith('usr_')) return 'PERSON';
  return requestedBy.startsWith('stl_') ? 'RULE' : 'KEY';
}

/**
 * The person behind a request: the one who asked, who made the key that did, or who last changed the rule that did;
 * null if that is unknown.
 */
export async function personBehind(em: EntityManager, requestedBy: string | null): Promise<string | null> {
  if (requestedBy === null) return null;
  const kind = requesterKind(requestedBy);
  if (kind === 'PERSON') return requestedBy;
  const ofRule = 'select updated_by as by from settlement_rule where id = $1';
  const ofKey = 'select created_by as by from api_key where key_id = $1';
  const [row] = await query<{ by: string | null }>(em, kind === 'RULE' ? ofRule : ofKey, [requestedBy]);
  return row?.by ?? null;
}
