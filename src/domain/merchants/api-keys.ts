// Creates, lists, changes and revokes API keys. Callers need every permission that the key has or gets.

import { LockMode } from '@mikro-orm/core';
import { query, type EntityManager } from '../../database/connection.ts';
import { ApiKey } from '../../entities/api-key.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import type { MemberPermission } from '../../values/member-permission.ts';
import { inOrder, type Permission } from '../../values/permission.ts';
import { digestSecret, newKeyPair, type Secrets } from '../../values/secrets/keys.ts';
import type { Actor } from '../actor.ts';
import { nameOfActor, tellMembers } from '../mail/notices.ts';
import { recordAudit } from './audit-log.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { storeAnswer, takeKey, whileInFlight, type IdempotentResult, type IdempotencyKey } from '../idempotency.ts';

/** The caller that manages keys, with their current permissions. */
export interface KeyManager extends Actor {
  readonly permissions: ReadonlySet<MemberPermission>;
}

export interface NewKey {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly ipWhitelist?: readonly string[] | null;
}

/** What to change. Null and undefined both mean no change. */
export interface KeyChange {
  readonly name?: string | null;
  readonly permissions?: readonly Permission[] | null;
  readonly ipWhitelist?: readonly string[] | null;
}

/** A new key with its secret, which is shown once: it is null in a repeat. */
export type CreatedKey = Pick<ApiKey, 'keyId' | 'name' | 'permissions' | 'ipWhitelist' | 'createdAt'> & {
  readonly secret: string | null;
};

/** How many revoked keys are listed in addition to all active ones. */
const MOST_REVOKED_LISTED = 400;

interface KeyDeps extends Deps {
  readonly secrets: Secrets;
  /** How many active keys a merchant may have. */
  readonly keysMax: number;
}

/** Creates a key. Errors: 1004 for a permission that the caller lacks, 2001 for one key too many, 2002, 2003. */
export async function createApiKey(
  deps: KeyDeps,
  keeper: KeyManager,
  { name, permissions, ipWhitelist }: NewKey,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<CreatedKey>> {
  requireAll(keeper, permissions);
  return whileInFlight(idempotencyKey, () =>
    inTransaction(deps, async (em) => {
      const earlier = idempotencyKey && (await takeKey<CreatedKey>(em, idempotencyKey));
      if (earlier) return { result: { ...earlier, createdAt: new Date(earlier.createdAt) }, replayed: true };
      const now = deps.clock.now();
      await refuseTooMany(em, keeper.merchantId, deps.keysMax);
      const { keyId, secret } = newKeyPair(deps.environment);
      const key = em.create(ApiKey, {
        keyId,
        merchantId: keeper.merchantId,
        secretDigest: digestSecret(deps.secrets, secret),
        name,
        permissions: inOrder(permissions),
        ipWhitelist: [...new Set(ipWhitelist)],
        createdAt: now,
        lastUsedAt: null,
        revokedAt: null,
        createdBy: await makerOf(em, keeper),
      });
      await em.flush();
      const result = { ...shown(key), secret };
      if (idempotencyKey && !(await storeAnswer(em, idempotencyKey, { ...result, secret: null }, now)))
        throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
      await audit(em, keeper, 'API_KEY_CREATED', key, now);
      if (key.permissions.includes('WITHDRAW')) await tellKey(em, deps, keeper, key, now);
      return { result, replayed: false };
    }),
  );
}

/** The person behind a key: who makes it, or who made the key by which it is made. */
async function makerOf(em: EntityManager, { keyId, personId = null }: KeyManager): Promise<string | null> {
  const [key] = keyId === null ? [] : await query<{ by: string | null }>(em, MAKER, [keyId]);
  return key ? key.by : personId;
}

const MAKER = 'select created_by as by from api_key where key_id = $1';

/** Locks the merchant until the transaction ends, so that concurrent calls cannot exceed the limit together. */
async function refuseTooMany(em: EntityManager, merchantId: string, keysMax: number): Promise<void> {
  await query(em, 'select from merchant where id = $1 for no key update', [merchantId]);
  if ((await em.count(ApiKey, { merchantId, revokedAt: null })) >= keysMax)
    throw invalid([{ path: 'input', message: `There may be at most ${keysMax} keys; revoke one first` }]);
}

/** A merchant's keys, newest first: all active ones, and the newest of the revoked ones. */
export async function listApiKeys({ db }: Pick<Deps, 'db'>, merchantId: string): Promise<ApiKey[]> {
  const em = db.em.fork();
  const orderBy = { createdAt: 'desc', keyId: 'desc' } as const;
  const [kept, revoked] = [
    await em.find(ApiKey, { merchantId, revokedAt: null }, { orderBy }),
    await em.find(ApiKey, { merchantId, revokedAt: { $ne: null } }, { orderBy, limit: MOST_REVOKED_LISTED }),
  ];
  return [...kept, ...revoked].sort(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.keyId < b.keyId ? 1 : -1),
  );
}

/** Changes a key. Errors: 2004; 1004 for an old or new permission that the caller lacks. */
export async function changeApiKey(deps: Deps, keeper: KeyManager, keyId: string, change: KeyChange): Promise<ApiKey> {
  return keep(deps, keeper, keyId, async (em, key, now) => {
    requireAll(keeper, [...key.permissions, ...(change.permissions ?? [])]);
    const had = key.permissions.includes('WITHDRAW');
    if (change.name != null) key.name = change.name;
    if (change.permissions != null) key.permissions = inOrder(change.permissions);
    if (change.ipWhitelist != null) key.ipWhitelist = [...new Set(change.ipWhitelist)];
    await audit(em, keeper, 'API_KEY_CHANGED', key, now);
    const isWider = !had || change.ipWhitelist != null;
    if (isWider && key.permissions.includes('WITHDRAW')) await tellKey(em, deps, keeper, key, now);
  });
}

/** Tells the owners of a key that may withdraw, or may do so from other addresses than before. */
async function tellKey(
  em: EntityManager,
  deps: Pick<Deps, 'sendsMail'>,
  keeper: KeyManager,
  { name }: ApiKey,
  now: Date,
): Promise<void> {
  if (deps.sendsMail !== true) return;
  const { merchantId } = keeper;
  const params = { by: await nameOfActor(em, keeper), key: name };
  await tellMembers(em, deps, { owners: true }, { merchantId, template: 'KEY_WITH_WITHDRAW', params }, now);
}

/** Revokes a key; within a second its tokens and sockets end as well. Can be repeated. Errors: 2004, 1004. */
export async function revokeApiKey(deps: Deps, keeper: KeyManager, keyId: string): Promise<ApiKey> {
  return keep(deps, keeper, keyId, async (em, key, now) => {
    requireAll(keeper, key.permissions);
    if (key.revokedAt != null) return;
    key.revokedAt = now;
    await audit(em, keeper, 'API_KEY_REVOKED', key, now);
  });
}

/** Changes one of the merchant's keys under its lock. */
function keep(
  deps: Deps,
  { merchantId }: KeyManager,
  keyId: string,
  work: (em: EntityManager, key: ApiKey, now: Date) => Promise<void>,
): Promise<ApiKey> {
  if (!/^pk_(test|live)_[0-9a-z]{1,64}$/.test(keyId)) throw new GatewayError('NOT_FOUND');
  return inTransaction(deps, async (em) => {
    const key = await em.findOne(ApiKey, { keyId, merchantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!key) throw new GatewayError('NOT_FOUND');
    await work(em, key, deps.clock.now());
    await em.flush();
    return key;
  });
}

/** Throws 1004, naming the first permission in the specification's order that the caller lacks. */
function requireAll({ permissions: held }: KeyManager, needed: readonly Permission[]): void {
  const missing = inOrder(needed).find((permission) => !held.has(permission));
  if (missing) throw new GatewayError('MISSING_PERMISSION', { message: `Missing permission: ${missing}` });
}

function shown({ keyId, name, permissions, ipWhitelist, createdAt }: ApiKey): Omit<CreatedKey, 'secret'> {
  return { keyId, name, permissions, ipWhitelist, createdAt };
}

function audit(
  em: EntityManager,
  keeper: KeyManager,
  action: 'API_KEY_CREATED' | 'API_KEY_CHANGED' | 'API_KEY_REVOKED',
  { keyId, name, permissions, ipWhitelist }: ApiKey,
  now: Date,
): Promise<void> {
  return recordAudit(em, keeper, { action, target: keyId, details: { name, permissions, ipWhitelist } }, now);
}
