// Limits on wrong passwords. Attempts are counted by account and address, by address, and by account, in rows shared by
// all processes. No count locks an account: in a browser that is known, and in a session, a person is limited by their
// own attempts there alone, at a known address by those from it. While an account is attacked, all others are asked for
// a mailed code as well; where no mails leave, they share a limit.

import { query, toDate } from '../../database/connection.ts';
import { addressBucket } from '../../values/internet/address-bucket.ts';
import { isStorable } from '../../values/checks.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Deps } from '../deps.ts';
import {
  ADDRESS_KNOWN_FOR_MS,
  addressKeysOf,
  DEVICE_KNOWN_FOR_MS,
  rememberAddress,
  rememberSessions,
  signInDigest,
  type SignIn,
  type SignInSecrets,
} from './sign-in-addresses.ts';
import { createTurns } from '../turns.ts';

/** The most failures in a window that begins with the first of them. */
interface Limit {
  readonly most: number;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;

export const SIGN_IN_LIMITS = {
  /** For one account from one address (an IPv6 /64). Always applies. */
  pair: { most: 10, windowMs: 15 * MINUTE_MS },
  /** From one address, for all accounts. */
  address: { most: 100, windowMs: 15 * MINUTE_MS },
  /** For one account. Once reached, it is attacked for as long again. */
  account: { most: 100, windowMs: 24 * 60 * MINUTE_MS },
  /** For one account from all unknown addresses, while it is attacked and no mails leave. */
  strangers: { most: 10, windowMs: 15 * MINUTE_MS },
  /** In one known browser, or in one session; then no other limit applies. */
  own: { most: 10, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, Limit>;
type Counter = keyof typeof SIGN_IN_LIMITS;

/** The most failure rows kept. Beyond that, those with the fewest failures go first, since attacks cause the most. */
const MOST_KEPT = 100_000;

/** Of a sign-in in steps, which one an attempt is. */
export interface Steps<Found> {
  /** Whether another step has to follow: until that one succeeds, the attempt counts as wrong. */
  readonly isFirst?: (found: Found) => boolean;
  /** How many steps came before, whose counting ends with this one's. */
  readonly earlier?: number;
}

/** An attempt, and what shows besides the password that it is not a stranger's. */
export interface Attempt extends SignIn {
  /** The digest of the secret that a browser shows, known or not; null without one. */
  readonly device?: Buffer | null;
  /** What was shown already and has a count of its own, such as the id of a session. */
  readonly own?: string;
}

export interface SignInAttempts {
  readonly name: string;
  /**
   * Runs `verify`, which returns null for a wrong password, unless a limit is reached. It is told whether the attempt
   * is suspect: a stranger's, at an account that is attacked. One that does not finish counts as wrong. Errors: 1005,
   * 9001, and those of `verify`.
   */
  attempt<Found>(
    who: Attempt,
    verify: (isSuspect: boolean) => Promise<Found | null>,
    steps?: Steps<Found>,
  ): Promise<Found>;
  /** Marks an address as known for an account without a sign-in: it was registered there, or the operator names it. */
  rememberAddress(who: SignIn): Promise<void>;
  /** First marks the addresses of existing sessions as known, once; then prunes old rows. */
  processNext(): Promise<boolean>;
}

interface Options {
  /** Whether the limit by address alone applies. */
  readonly byAddress: boolean;
  /** Whether strangers can be asked for a mailed code while an account is attacked. */
  readonly asksMail: boolean;
}

/** Where an attempt comes from: something that has a count of its own, a known address, or neither. */
type Place = 'OWN' | 'KNOWN' | 'STRANGE';

type AttemptDeps = Pick<Deps, 'db' | 'clock'> & { readonly secrets: SignInSecrets };

interface Count {
  readonly failures: number;
  readonly until: Date;
}

interface Begun {
  readonly counted: readonly Counter[];
  readonly isSuspect: boolean;
}

/** The digests under which an attempt is counted. */
type Keys = Readonly<Record<Counter | 'known', Buffer>>;

/** Creates the counting for this process; a loop runs the pruning. */
export function createSignInAttempts(deps: AttemptDeps, { byAddress, asksMail }: Options): SignInAttempts {
  // One attempt at a time for an account and address: parallel ones would all pass before the first has failed.
  const inTurn = createTurns();
  // After an upgrade, open sessions may be older than the record of addresses.
  let after: string | null = '';

  /** Counts an attempt as failed in advance; returns the counters used. Throws 9001 if a limit is reached. */
  async function begin(who: Attempt, keys: Keys): Promise<Begun> {
    const { place, counts } = await read(deps, who, keys);
    const limited = limitsOf(place, counts);
    refuse(deps, limited, counts);
    const counted: Counter[] = place === 'OWN' ? limited : [...limited, 'account'];
    // Includes concurrent attempts, which the read above did not see.
    const after = await add(deps, keys, counted);
    refuse(deps, limited, after, 1);
    const isSuspect = place === 'STRANGE' && isAttacked(after, 1);
    const isTooLate = isSuspect && !asksMail && !limited.includes('strangers');
    if (isTooLate) throw new GatewayError('RATE_LIMITED', { retryAfterSeconds: 1 });
    return { counted, isSuspect: isSuspect && asksMail };
  }

  function limitsOf(place: Place, counts: ReadonlyMap<Counter, Count>): Counter[] {
    if (place === 'OWN') return ['own'];
    if (place === 'KNOWN') return ['pair'];
    const strangers = isAttacked(counts) && !asksMail ? (['strangers'] as const) : [];
    return ['pair', ...(byAddress ? (['address'] as const) : []), ...strangers];
  }

  return {
    name: 'sign-in-attempts',
    attempt(who, verify, { isFirst = () => false, earlier = 0 } = {}) {
      const keys = keysOf(deps.secrets, who);
      // Nobody at the same address makes a known browser wait.
      const turn = who.own === undefined && !who.device ? keys.pair : keys.own;
      return inTurn(turn.toString('hex'), async () => {
        const { counted, isSuspect } = await begin(who, keys);
        const found = await verify(isSuspect);
        if (found === null) throw new GatewayError('WRONG_CREDENTIALS');
        if (!isFirst(found)) await succeed(deps, keys, { counters: counted, attempts: earlier + 1 });
        return found;
      });
    },
    async rememberAddress(who) {
      await rememberAddress(deps.db.em, addressKeysOf(deps.secrets, who), deps.clock.now());
    },
    async processNext() {
      if (after === null) return prune(deps);
      after = await rememberSessions(deps, (who) => keysOf(deps.secrets, who), after);
      return true;
    },
  };
}

/** Whether the account has so many failures that a password alone signs no stranger in. */
function isAttacked(counts: ReadonlyMap<Counter, Count>, own: 0 | 1 = 0): boolean {
  return (counts.get('account')?.failures ?? 0) - own >= SIGN_IN_LIMITS.account.most;
}

function keysOf(secrets: SignInSecrets, who: Attempt): Keys {
  const [account, address] = [who.email.toLowerCase(), addressBucket(who.ip)];
  return {
    pair: signInDigest(secrets, 'pair', account, address),
    address: signInDigest(secrets, 'address', address),
    strangers: signInDigest(secrets, 'strangers', account),
    own: signInDigest(secrets, 'own', account, who.own ?? who.device?.toString('hex') ?? ''),
    ...addressKeysOf(secrets, who),
  };
}

const COUNTERS = Object.keys(SIGN_IN_LIMITS) as Counter[];

interface CountRow {
  key: Buffer;
  failures: number;
  until: string;
}

/** The counts by counter, without those whose window is over. */
function countsOf(keys: Keys, rows: readonly CountRow[]): Map<Counter, Count> {
  const byKey = new Map(rows.map((row) => [row.key.toString('hex'), row]));
  return new Map(
    COUNTERS.flatMap((counter) => {
      const row = byKey.get(keys[counter].toString('hex'));
      return row ? [[counter, { failures: row.failures, until: toDate(row.until) }] as const] : [];
    }),
  );
}

async function read({ db, clock }: AttemptDeps, { email, device = null, own }: Attempt, keys: Keys) {
  const now = clock.now();
  const since = (ms: number) => new Date(now.getTime() - ms);
  const [rows, known, devices] = await Promise.all([
    query<CountRow>(
      db.em,
      'select key, failures, counted_until as until from sign_in_failure where key = any($1) and counted_until > $2',
      [COUNTERS.map((counter) => keys[counter]), now],
    ),
    query(db.em, 'select from sign_in_address where account = $1 and address = $2 and seen_at > $3', [
      keys.account,
      keys.known,
      since(ADDRESS_KNOWN_FOR_MS),
    ]),
    device === null || !isStorable(email)
      ? []
      : query(
          db.em,
          `select from person_device d join person p on p.id = d.person_id
           where d.digest = $1 and p.email = $2 and d.last_seen_at > $3`,
          [device, email.toLowerCase(), since(DEVICE_KNOWN_FOR_MS)],
        ),
  ]);
  const isOwn = own !== undefined || devices.length > 0;
  const place: Place = isOwn ? 'OWN' : known.length > 0 ? 'KNOWN' : 'STRANGE';
  return { place, counts: countsOf(keys, rows) };
}

/** Throws 9001 if a limit is reached. `own` is how many of the counted failures are this attempt. */
function refuse(
  { clock }: AttemptDeps,
  limited: readonly Counter[],
  counts: ReadonlyMap<Counter, Count>,
  own: 0 | 1 = 0,
): void {
  const reached = limited.flatMap((counter) => {
    const count = counts.get(counter);
    return count && count.failures - own >= SIGN_IN_LIMITS[counter].most ? [count.until.getTime()] : [];
  });
  if (reached.length === 0) return;
  const waitMs = Math.max(...reached) - clock.now().getTime();
  throw new GatewayError('RATE_LIMITED', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) });
}

/**
 * Adds a failure to each counter and returns the counts. A window that is over starts anew, and so does that of an
 * account when it reaches its limit.
 */
async function add({ db, clock }: AttemptDeps, keys: Keys, counters: readonly Counter[]) {
  const now = clock.now();
  const rows = await query<CountRow>(
    db.em,
    `insert into sign_in_failure as f (key, failures, counted_until)
     select key, 1, until from unnest($1::bytea[], $2::timestamptz[]) as u(key, until)
     order by key -- the same order everywhere, so that no two attempts deadlock
     on conflict (key) do update set
       failures = case when f.counted_until > $3 then f.failures + 1 else 1 end,
       counted_until = case when f.counted_until > $3 and not (f.key = $4 and f.failures + 1 = $5)
         then f.counted_until else excluded.counted_until end
     returning key, failures, counted_until as until`,
    [
      counters.map((counter) => keys[counter]),
      counters.map((counter) => new Date(now.getTime() + SIGN_IN_LIMITS[counter].windowMs)),
      ...[now, keys.account, SIGN_IN_LIMITS.account.most],
    ],
  );
  return countsOf(keys, rows);
}

/** Undoes the counting of so many attempts. The session that is opened then remembers the address. */
async function succeed(
  deps: AttemptDeps,
  keys: Keys,
  { counters, attempts }: { readonly counters: readonly Counter[]; readonly attempts: number },
): Promise<void> {
  await query(
    deps.db.em,
    `with held as (select key from sign_in_failure where key = any($1) order by key for update)
     update sign_in_failure f set failures = greatest(f.failures - $2, 0) from held where f.key = held.key`,
    [counters.map((counter) => keys[counter]), attempts],
  );
}

const BATCH = 10_000;

/** Deletes old and surplus rows; returns whether there may be more. */
async function prune({ db, clock }: AttemptDeps): Promise<boolean> {
  const now = clock.now();
  const over = await query(
    db.em,
    `with old as (
       select key from sign_in_failure where counted_until <= $1 or failures = 0 limit $2 for update skip locked
     )
     delete from sign_in_failure f using old where f.key = old.key returning 1`,
    [now, BATCH],
  );
  const surplus = await query(
    db.em,
    `with surplus as (
       select key from sign_in_failure order by failures, counted_until
       limit least($1, greatest(0, (select count(*) from sign_in_failure) - $2)) for update skip locked
     )
     delete from sign_in_failure f using surplus where f.key = surplus.key returning 1`,
    [BATCH, MOST_KEPT],
  );
  const forgotten = await query(
    db.em,
    `with old as (select account, address from sign_in_address where seen_at <= $1 limit $2 for update skip locked)
     delete from sign_in_address a using old where (a.account, a.address) = (old.account, old.address) returning 1`,
    [new Date(now.getTime() - ADDRESS_KNOWN_FOR_MS), BATCH],
  );
  return [over, surplus, forgotten].some((rows) => rows.length === BATCH);
}
