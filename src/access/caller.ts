// Authenticates a bearer token or API secret as a Caller. HTTP, web sockets and event streams all use it.

import DataLoader from 'dataloader';
import { query, type EntityManager } from '../database/connection.ts';
import type { Clock } from '../database/clock.ts';
import { refuseForeignBearer } from '../values/cells/bearer-cell.ts';
import { createAnswerBudget, type AnswerBudget } from '../values/answer-budget.ts';
import { GatewayError } from '../values/errors.ts';
import { matchesAny, parseIpRange, type IpRange } from '../values/internet/ip-range.ts';
import { permissionsOf, type MemberPermission, type Role } from '../values/member-permission.ts';
import { inOrder } from '../values/permission.ts';
import { digestSecret, isOfOtherEnvironment, type Environment, type Secrets } from '../values/secrets/keys.ts';
import { ownCopy } from '../values/formats/text.ts';
import type { OperatorCaller } from './operators.ts';
import { verifyToken, type TokenClaims } from './tokens.ts';

/** An authenticated caller: an API key, or a person who signed in. */
export interface Caller {
  readonly merchantId: string;
  /** Null for a person. */
  readonly keyId: string | null;
  /** The person's session; null for a key. */
  readonly sessionId: string | null;
  /** Null for a key. */
  readonly personId: string | null;
  /** Of a key, its own; of a person, those of their role at the merchant. */
  readonly permissions: ReadonlySet<MemberPermission>;
  /** Whether the operator has suspended the merchant: nothing of theirs can be changed (1012). */
  readonly isSuspended: boolean;
  readonly expiresAt: Date | null;
}

/** The context of one operation, whether by REST, GraphQL over HTTP or a web socket. */
export interface OperationContext {
  readonly requestId: string;
  readonly ip: string;
  /** What the client calls itself; null if it does not say. */
  readonly userAgent: string | null;
  /** Null without a token of a merchant. */
  readonly caller: Caller | null;
  /** The operator in a session of theirs, for whom `caller` is null: what is of merchants sees none there. */
  readonly operator?: OperatorCaller | null;
  /** As sent, well-formed or not; null if none was sent. */
  readonly idempotencyKey: string | null;
  /** Set by the operation if its answer repeats that of an earlier request with the same key. */
  replayed: boolean;
  /** For the API log, if the call is logged: the operation and its error. Shared by copies of the context. */
  readonly call?: { operation: string; errorCode: string | null };
  /** The console's session cookie, if the request came with it or asks for one. */
  readonly cookie?: {
    /** Whether it is the operator's, which only their sessions are kept in. */
    readonly isOperators: boolean;
    keep(token: { readonly accessToken: string; readonly expiresIn: number }): void;
    /** The secret by which the browser was known before, in a form that it may have; null without one. */
    readonly device: string | null;
    /** Has the browser keep a secret by which it is known for a year. Sockets cannot. */
    keepDevice?(secret: string): void;
    /** The secret of the browser's visits to a provider of identities; null without one, and for sockets. */
    readonly visit?: string | null;
    keepVisit?(secret: string): void;
    drop(): void;
  };
  /**
   * For a GraphQL operation: what it counts as, and how large its answer may become. Shared by copies of the context.
   */
  readonly load?: OperationLoad;
  /** Counts this many more calls, in addition to the one counted on arrival; throws 9001. */
  charge?(more: number): Promise<void>;
  /** Counts an attempt to register or sign in from this address; throws 9001 if there were too many. */
  throttle(): Promise<void>;
  /** Counts what a payer without a token makes from this address: a choice, a link's submission. Throws 9001. */
  throttlePayer(): Promise<void>;
}

/** What a GraphQL operation uses of the gateway. */
export interface OperationLoad {
  /** Calls that it counts as; null until it is weighed and counted. */
  calls: number | null;
  /** Calls counted for it so far: one on arrival. */
  counted: number;
  /** Whether its caller has hung up. */
  isOver: boolean;
  readonly budget: AnswerBudget;
  /** For a subscription: the cost of each item, and the bytes of all items so far. */
  itemCost: number;
  streamed: number;
  /** Moves it to the limited places for operations that count as several calls; throws 9503. */
  readonly enterLarge: (() => Promise<void>) | null;
}

export function createLoad(enterLarge: OperationLoad['enterLarge'] = null): OperationLoad {
  return { calls: null, counted: 1, isOver: false, budget: createAnswerBudget(), itemCost: 0, streamed: 0, enterLarge };
}

export interface Access {
  /**
   * Authenticates a bearer. Throws 1002, 1006, 1007, 9421. With `acceptSecret`, an `sk_…` secret is accepted like a
   * token.
   */
  authenticate(bearer: string, options?: { acceptSecret?: boolean }): Promise<Caller>;
  /** Throws 1003 if the caller's key may not be used from this address. */
  checkAddress(caller: Caller, ip: string): Promise<void>;
  /** Authenticates an earlier caller again: token not expired, key not revoked, address still allowed. */
  recheck(bearer: string, ip: string): Promise<Caller>;
}

interface AccessDeps {
  em: EntityManager;
  clock: Clock;
  secrets: Secrets;
  environment: Environment;
  /** Called for each call with a key. */
  onKeyUse?: (keyId: string) => void;
  /** Called for each call in a session. */
  onSessionUse?: (sessionId: string) => void;
}

interface KeyState {
  readonly permissions: ReadonlySet<string>;
  readonly ranges: readonly IpRange[];
  readonly revoked: boolean;
  readonly isSuspended: boolean;
}

/** A verified token, and its caller as of the last read of its key. */
interface VerifiedToken {
  readonly claims: TokenClaims;
  last: { readonly key: KeyState; readonly caller: Caller } | null;
}

/**
 * How long a key's state is cached: a revocation takes effect everywhere within a second, and within half a second on
 * an idle machine, including the 150 ms between checks of open sockets and the read itself.
 */
const FRESH_MS = 250;
const MOST_KEPT = 20_000;
const MOST_AT_ONCE = 1_000;

/** Creates the access check of this process. Verified tokens are cached until they expire, key states only briefly. */
export function createAccess(deps: AccessDeps): Access {
  const tokens = new Map<string, VerifiedToken>();
  const readKey = createFreshReads((keyIds) => readKeyStates(deps.em, keyIds));
  const readSeat = createFreshReads((seats) => readSeats(deps.em, seats));

  /** A cached verified token; undefined for any other. Throws 1002 once it has expired. */
  function keptToken(token: string): VerifiedToken | undefined {
    const kept = tokens.get(token);
    if (!kept || kept.claims.expiresAt > deps.clock.now()) return kept;
    tokens.delete(token);
    throw new GatewayError('INVALID_TOKEN');
  }

  async function verifiedToken(token: string): Promise<VerifiedToken> {
    refuseForeignBearer(token);
    const verified: VerifiedToken = { claims: await verifyToken(deps, token, deps.clock.now()), last: null };
    if (tokens.size >= MOST_KEPT) tokens.clear();
    tokens.set(ownCopy(token), verified);
    return verified;
  }

  async function callerOfToken(token: string): Promise<Caller> {
    const verified = keptToken(token) ?? (await verifiedToken(token));
    const { merchantId, keyId, sessionId, permissions, expiresAt } = verified.claims;
    if (keyId === null) {
      const seat = sessionId === null ? undefined : await readSeat(`${sessionId} ${merchantId}`);
      if (seat === undefined) throw new GatewayError('INVALID_TOKEN');
      return { merchantId, keyId, sessionId, ...seat, expiresAt };
    }
    const key = await readKey(keyId);
    if (key === undefined) throw new GatewayError('INVALID_TOKEN');
    if (key.revoked) throw new GatewayError('KEY_REVOKED');
    if (verified.last?.key === key) return verified.last.caller;
    const held = permissions.filter((permission) => key.permissions.has(permission));
    const { isSuspended } = key;
    const caller = { merchantId, keyId, sessionId, personId: null, permissions: new Set(held), isSuspended, expiresAt };
    verified.last = { key, caller };
    return caller;
  }

  async function checkAddress(caller: Caller, ip: string): Promise<void> {
    if (caller.keyId === null) return;
    const key = await readKey(caller.keyId);
    if (key && key.ranges.length > 0 && !matchesAny(ip, key.ranges)) throw new GatewayError('ADDRESS_NOT_ALLOWED');
  }

  const callerOf: Access['authenticate'] = (bearer, { acceptSecret = false } = {}) =>
    acceptSecret && bearer.startsWith('sk_') ? callerOfSecret(deps, bearer) : callerOfToken(bearer);

  return {
    async authenticate(bearer, options) {
      const caller = await callerOf(bearer, options);
      if (caller.keyId !== null) deps.onKeyUse?.(caller.keyId);
      else if (caller.sessionId !== null) deps.onSessionUse?.(caller.sessionId);
      return caller;
    },
    checkAddress,
    async recheck(bearer, ip) {
      const caller = await callerOf(bearer);
      await checkAddress(caller, ip);
      return caller;
    },
  };
}

async function callerOfSecret(deps: AccessDeps, secret: string): Promise<Caller> {
  if (isOfOtherEnvironment(secret, deps.environment)) throw new GatewayError('OTHER_ENVIRONMENT');
  refuseForeignBearer(secret);
  const key = await findKeyByDigest(deps.em, digestSecret(deps.secrets, secret));
  if (!key) throw new GatewayError('INVALID_TOKEN');
  if (key.revoked) throw new GatewayError('KEY_REVOKED');
  return {
    merchantId: key.merchantId,
    keyId: key.keyId,
    sessionId: null,
    personId: null,
    permissions: new Set(inOrder(key.permissions)),
    isSuspended: key.isSuspended,
    expiresAt: null,
  };
}

/**
 * Reads states by id, each at most once in `FRESH_MS` however many calls need it. Ids requested in one turn, for
 * example by all open sockets, are read by one statement; missing ids give undefined.
 */
function createFreshReads<State>(
  read: (ids: readonly string[]) => Promise<ReadonlyMap<string, State>>,
): (id: string) => Promise<State | undefined> {
  const kept = new Map<string, { state: Promise<State | undefined>; readAtMs: number }>();
  const loader = new DataLoader<string, State | undefined>(
    async (ids) => {
      const found = await read(ids);
      return ids.map((id) => found.get(id));
    },
    { cache: false, maxBatchSize: MOST_AT_ONCE },
  );
  return (id) => {
    const entry = kept.get(id);
    if (entry && performance.now() - entry.readAtMs < FRESH_MS) return entry.state;
    if (kept.size >= MOST_KEPT) kept.clear();
    const state = loader.load(id);
    kept.set(id, { state, readAtMs: performance.now() });
    state.catch(() => kept.delete(id));
    return state;
  };
}

/** A person at a merchant, by an open session of theirs. */
interface Seat {
  readonly personId: string;
  readonly permissions: ReadonlySet<MemberPermission>;
  readonly isSuspended: boolean;
}

/**
 * Reads seats by session and merchant, which a space separates. There is none once the session has ended, or the person
 * is no member of the merchant any more.
 */
async function readSeats(em: EntityManager, seats: readonly string[]): Promise<ReadonlyMap<string, Seat>> {
  const rows = await query<{ seat: string; role: Role; custom: string[] | null } & Omit<Seat, 'permissions'>>(
    em,
    `select asked.seat, m.person_id as "personId", m.role, r.permissions as custom,
       c.suspended_at is not null as "isSuspended"
     from unnest($1::text[]) as asked(seat)
     join owner_session s on s.id = split_part(asked.seat, ' ', 1) and s.ended_at is null and not s.operator
     join membership m on m.merchant_id = split_part(asked.seat, ' ', 2) and m.person_id = s.person_id
     join merchant c on c.id = m.merchant_id
     left join custom_role r on r.id = m.role_id`,
    [seats],
  );
  return new Map(
    rows.map(({ seat, personId, isSuspended, ...role }) => [
      seat,
      { personId, isSuspended, permissions: new Set(permissionsOf(role)) },
    ]),
  );
}

interface KeyRow {
  keyId: string;
  permissions: string[];
  ranges: string[];
  revoked: boolean;
  isSuspended: boolean;
}

async function readKeyStates(em: EntityManager, ids: readonly string[]): Promise<ReadonlyMap<string, KeyState>> {
  const rows = await query<KeyRow>(
    em,
    `select k.key_id as "keyId", k.permissions, k.ip_whitelist as ranges, k.revoked_at is not null as revoked,
       m.suspended_at is not null as "isSuspended"
     from api_key k join merchant m on m.id = k.merchant_id where k.key_id = any($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.keyId, stateOf(row)]));
}

function stateOf({ permissions, ranges: texts, revoked, isSuspended }: KeyRow): KeyState {
  const ranges = texts.map((text) => parseIpRange(text)).filter((range) => range !== null);
  return { permissions: new Set(permissions), ranges, revoked, isSuspended };
}

async function findKeyByDigest(em: EntityManager, digest: Buffer) {
  const [row] = await query<Omit<KeyRow, 'ranges'> & { merchantId: string }>(
    em,
    `select k.key_id as "keyId", k.merchant_id as "merchantId", k.permissions, k.revoked_at is not null as revoked,
       m.suspended_at is not null as "isSuspended"
     from api_key k join merchant m on m.id = k.merchant_id where k.secret_digest = $1`,
    [digest],
  );
  return row;
}
