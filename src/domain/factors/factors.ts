// The second factors that a person has set up, and their recovery codes.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import type { FactorKind } from '../../entities/enums.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { tellPerson } from '../mail/notices.ts';
import { recordOwnChange } from '../merchants/audit-log.ts';
import type { SelfActor } from '../actor.ts';
import { makeRecoveryCodes } from './recovery-codes.ts';
import type { NewPasskey } from './passkeys.ts';
import { lockPerson, requireWayIn } from './way-in.ts';

/** A factor that was set up. */
export interface Factor {
  readonly id: string;
  readonly kind: 'TOTP' | 'PASSKEY';
  readonly label: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

interface FactorRow extends Pick<Factor, 'id' | 'kind' | 'label'> {
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

const MOST_FACTORS = 10;

const COLUMNS = 'id, kind, label, created_at as "createdAt", last_used_at as "lastUsedAt"';

const toFactor = ({ createdAt, lastUsedAt, ...row }: FactorRow): Factor => ({
  ...row,
  createdAt: toDate(createdAt),
  lastUsedAt: lastUsedAt === null ? null : toDate(lastUsedAt),
});

/** A person's factors, the oldest first, and how many recovery codes they have left. */
export async function readFactors(
  { db }: Pick<Deps, 'db'>,
  personId: string,
): Promise<{ readonly factors: readonly Factor[]; readonly recoveryCodesLeft: number }> {
  const [rows, codes] = await Promise.all([
    query<FactorRow>(db.em, `select ${COLUMNS} from factor where person_id = $1 order by created_at, id`, [personId]),
    query(db.em, 'select from recovery_code where person_id = $1 and used_at is null', [personId]),
  ]);
  return { factors: rows.map(toFactor), recoveryCodesLeft: codes.length };
}

/** Which kinds of factor can answer for a person; none if they have set up none. */
export async function kindsOf(deps: Pick<Deps, 'db'>, personId: string): Promise<readonly FactorKind[]> {
  const { factors, recoveryCodesLeft } = await readFactors(deps, personId);
  const kinds = new Set<FactorKind>(factors.map(({ kind }) => kind));
  return kinds.size === 0 ? [] : [...kinds, ...(recoveryCodesLeft > 0 ? (['RECOVERY_CODE'] as const) : [])];
}

/** What a factor consists of, besides its name. */
export type FactorParts =
  | { readonly kind: 'TOTP'; readonly sealedSecret: Buffer; readonly lastStep: number }
  | ({ readonly kind: 'PASSKEY' } & NewPasskey);

/** What these operations need: how long somebody is held whose way to sign in has changed. */
export type HoldDeps = Pick<Deps, 'db' | 'clock' | 'sendsMail'> & { readonly payoutHoldMs: number };

/** A fresh id for a factor. */
export const newFactorId = (now: Date): string => newId('fct', now.getTime());

/** A factor to add. */
export interface NewFactor {
  readonly id: string;
  readonly label: string;
  readonly parts: FactorParts;
}

/**
 * Adds a factor in the current transaction, and tells the person. Errors: 2001 if there are ten, or for a passkey that
 * somebody has.
 */
export async function addFactor(
  em: EntityManager,
  deps: Pick<Deps, 'sendsMail'>,
  actor: SelfActor,
  { id, label, parts }: NewFactor,
  now: Date,
): Promise<Factor> {
  await lockPerson(em, actor.personId);
  const had = await query(em, 'select from factor where person_id = $1', [actor.personId]);
  if (had.length >= MOST_FACTORS)
    throw invalid([{ path: 'label', message: `There may be at most ${String(MOST_FACTORS)} factors` }]);
  const passkey = parts.kind === 'PASSKEY' ? parts : null;
  const totp = parts.kind === 'TOTP' ? parts : null;
  const [row] = await query<FactorRow>(
    em,
    `insert into factor (id, person_id, kind, label, created_at, sealed_secret, last_step, credential_id, public_key,
       counter, transports)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (credential_id) do nothing returning ${COLUMNS}`,
    [
      ...[id, actor.personId, parts.kind, label, now, totp?.sealedSecret ?? null, totp?.lastStep ?? null],
      passkey?.credentialId ?? null,
      passkey ? Buffer.from(passkey.publicKey) : null,
      ...[passkey?.counter ?? null, passkey?.transports ?? null],
    ],
  );
  if (!row) throw invalid([{ path: 'input.passkey', message: 'was set up before' }]);
  await recordOwnChange(em, actor, { action: 'FACTOR_ADDED', target: id, details: { kind: parts.kind, label } }, now);
  await tellFactors(em, deps, actor.personId, now);
  return toFactor(row);
}

/**
 * Removes a factor; the person is held for a while, and without any other factor their recovery codes end. `issuer` is
 * the provider of now. Errors: 2004, 2011 for their last way in.
 */
export function removeFactor(
  deps: HoldDeps,
  actor: SelfActor,
  { id, issuer }: { readonly id: string; readonly issuer: string | null },
): Promise<void> {
  if (!isId('fct', id)) throw new GatewayError('NOT_FOUND');
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    await lockPerson(em, actor.personId);
    const [removed] = await query<Pick<Factor, 'kind' | 'label'>>(
      em,
      'delete from factor where id = $1 and person_id = $2 returning kind, label',
      [id, actor.personId],
    );
    if (!removed) throw new GatewayError('NOT_FOUND');
    if (removed.kind === 'PASSKEY') await requireWayIn(em, actor.personId, issuer);
    await query(
      em,
      `delete from recovery_code where person_id = $1 and not exists (select from factor where person_id = $1)`,
      [actor.personId],
    );
    await hold(em, deps, actor.personId, now);
    await recordOwnChange(em, actor, { action: 'FACTOR_REMOVED', target: id, details: removed }, now);
    await tellFactors(em, deps, actor.personId, now);
  });
}

/** Makes new recovery codes, which are shown this once; the earlier ones end. */
export function renewRecoveryCodes(
  deps: Pick<Deps, 'db' | 'clock' | 'sendsMail'>,
  actor: SelfActor,
): Promise<string[]> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    await lockPerson(em, actor.personId);
    const codes = await makeRecoveryCodes(em, actor.personId);
    await recordOwnChange(em, actor, { action: 'RECOVERY_CODES_MADE', target: null }, now);
    await tellFactors(em, deps, actor.personId, now);
    return codes;
  });
}

/** Tells a person by mail that what they sign in with has changed, or that a copy of it was shown. */
export const tellFactors = (
  em: EntityManager,
  deps: Pick<Deps, 'sendsMail'>,
  personId: string,
  now: Date,
): Promise<void> => tellPerson(em, deps, { personId, template: 'FACTOR_CHANGED', params: {} }, now);

/** Holds a person in the current transaction: for a while they approve nothing, loosen nothing and make no owner. */
export async function hold(
  em: EntityManager,
  { payoutHoldMs }: Pick<HoldDeps, 'payoutHoldMs'>,
  personId: string,
  now: Date,
): Promise<void> {
  await query(em, 'update person set held_until = greatest(held_until, $2) where id = $1', [
    personId,
    new Date(now.getTime() + payoutHoldMs),
  ]);
}
