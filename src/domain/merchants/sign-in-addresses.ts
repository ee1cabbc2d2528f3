// Where owners have been: addresses that strangers' wrong passwords do not count for.

import { query, toDate } from '../../database/connection.ts';
import type { Deps } from '../deps.ts';

/** Who tries: an e-mail address as it was given, whether or not somebody has it, and where from. */
export interface SignIn {
  readonly email: string;
  readonly ip: string;
}

/** The digests of an account, and of it at an address. */
interface AddressKeys {
  readonly account: Buffer;
  readonly known: Buffer;
}

/** An address is known for so long after a sign-in from it, and an account knows so many of them. */
export const KNOWN_FOR_MS = 90 * 24 * 3_600_000;
const MOST_KNOWN = 50;

/** Remembers that the owner was at an address then. */
export async function rememberAddress({ db }: Pick<Deps, 'db'>, keys: AddressKeys, at: Date): Promise<void> {
  await query(
    db.em,
    `with seen as (
       insert into sign_in_address as a (account, address, seen_at) values ($1, $2, $3)
       on conflict (account, address) do update set seen_at = greatest(a.seen_at, excluded.seen_at)
     )
     delete from sign_in_address where account = $1 and address in (
       select address from sign_in_address where account = $1 and address <> $2 order by seen_at desc offset $4)`,
    [keys.account, keys.known, at, MOST_KNOWN - 1],
  );
}

const SESSIONS_AT_ONCE = 200;

/** Remembers where sessions are from, a batch of them after one; answers the last of them, null where there are no more. */
export async function rememberSessions(
  deps: Pick<Deps, 'db' | 'clock'>,
  keysOf: (who: SignIn) => AddressKeys,
  after: string,
): Promise<string | null> {
  const sessions = await query<SignIn & { readonly id: string; readonly createdAt: string }>(
    deps.db.em,
    `select s.id, s.ip, s.created_at as "createdAt", m.email from owner_session s join merchant m on m.id = s.merchant_id
     where s.id > $1 and s.ended_at is null and s.expires_at > $2 order by s.id limit $3`,
    [after, deps.clock.now(), SESSIONS_AT_ONCE],
  );
  for (const session of sessions) await rememberAddress(deps, keysOf(session), toDate(session.createdAt));
  return sessions.length < SESSIONS_AT_ONCE ? null : (sessions.at(-1)?.id ?? null);
}
