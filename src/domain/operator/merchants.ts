// The operator sees the merchants, suspends one, and restores them.

import { query, toDate, type EntityManager } from '../../database/connection.ts';
import { insertFreeze, liftFreeze, markFrozen } from '../../database/queries/payouts/freezes.ts';
import { lockForFreezing } from '../../database/queries/payouts/obstacles.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import { inTransaction } from '../deps.ts';
import { readBalancesOfAll, type Balance } from '../ledger/ledger.ts';
import { reasonOf, recordForMerchant, recordLook, recordOperation, type Operator } from './log.ts';

/** A merchant as operators see them. `email` is that of the owner of longest standing. */
export interface OperatorMerchant {
  readonly id: string;
  readonly companyName: string;
  readonly email: string;
  readonly createdAt: Date;
  readonly suspendedAt: Date | null;
  readonly suspendReason: string | null;
  readonly balances: readonly Balance[];
}

type Row = Omit<OperatorMerchant, 'createdAt' | 'suspendedAt' | 'balances'> & {
  readonly createdAt: string;
  readonly suspendedAt: string | null;
};

const MERCHANTS = `select m.id, m.company_name as "companyName", coalesce(o.email, m.email) as email,
    m.created_at as "createdAt", m.suspended_at as "suspendedAt", m.suspend_reason as "suspendReason"
  from merchant m left join lateral (
    select p.email from membership s join person p on p.id = s.person_id
    where s.merchant_id = m.id and s.role = 'OWNER' order by s.created_at, s.person_id limit 1) o on true`;
/** Few operators search now and then: no index is kept for it. */
const MATCHES = `($1::text is null or m.id = $1 or position(lower($1) in lower(m.company_name)) > 0
  or position(lower($1) in m.email) > 0 or position(lower($1) in o.email) > 0)`;

/** Which merchants to list: those whose id is, or name or e-mail address has, what is searched for. */
export interface MerchantSearch {
  readonly search: string | null;
  readonly limit: number;
  /** Only older ones than this id; null from the newest on. */
  readonly before: string | null;
}

/** A page of merchants with their balances, newest first. */
export async function listMerchants(
  operator: Operator,
  { search, limit, before }: MerchantSearch,
): Promise<{ readonly nodes: OperatorMerchant[]; readonly hasMore: boolean }> {
  return inTransaction(operator.deps, async (em) => {
    await recordLook(em, operator, { action: 'MERCHANTS_READ', details: { search } });
    const rows = await query<Row>(
      em,
      `${MERCHANTS} where ${MATCHES} and ($2::text is null or m.id < $2) order by m.id desc limit $3`,
      [search, before, limit + 1],
    );
    return { nodes: await withBalances(em, rows.slice(0, limit)), hasMore: rows.length > limit };
  });
}

async function withBalances(em: EntityManager, rows: readonly Row[]): Promise<OperatorMerchant[]> {
  const balances = await readBalancesOfAll(
    em,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...row,
    createdAt: toDate(row.createdAt),
    suspendedAt: toDate(row.suspendedAt),
    balances: balances.get(row.id) ?? [],
  }));
}

/**
 * Suspends a merchant. Once this resolves none of their payouts is signed; that they change and make nothing, and that
 * their pages are closed, holds within a second. Errors: 2001, 2004, 4008 if they are suspended.
 */
export async function suspendMerchant(operator: Operator, id: string, text: string): Promise<OperatorMerchant> {
  const { deps, name } = operator;
  const reason = reasonOf(text);
  await inTransaction(deps, async (em) => {
    await lockForFreezing(em);
    const now = deps.clock.now();
    const freeze = newId('frz', now.getTime());
    const suspended = await query(
      em,
      `update merchant set suspended_at = $2, suspend_reason = $3, suspend_freeze = $4
       where id = $1 and suspended_at is null returning 1`,
      [requireId(id), now, reason, freeze],
    );
    if (suspended.length === 0) throw await refusalOf(em, id, 'is suspended already');
    const scope = { payoutId: null, merchantId: id, network: null, currency: null };
    await insertFreeze(em, { id: freeze, ...scope, reason, createdBy: name, createdAt: now });
    await record(em, operator, { action: 'MERCHANT_SUSPENDED', target: id, details: { reason } });
  });
  await inTransaction(deps, (em) => markFrozen(em, deps.clock.now()));
  return readOne(operator, id);
}

/**
 * Ends a merchant's suspension; payouts that nothing else holds continue. Errors: 2004, 4008 if they are not suspended.
 */
export async function restoreMerchant(operator: Operator, id: string): Promise<OperatorMerchant> {
  const { deps, name } = operator;
  await inTransaction(deps, async (em) => {
    await lockForFreezing(em);
    const [was] = await query<{ freeze: string }>(
      em,
      'select suspend_freeze as freeze from merchant where id = $1 and suspended_at is not null for update',
      [requireId(id)],
    );
    if (!was) throw await refusalOf(em, id, 'is not suspended');
    await liftFreeze(em, was.freeze, name, deps.clock.now());
    await query(
      em,
      'update merchant set suspended_at = null, suspend_reason = null, suspend_freeze = null where id = $1',
      [id],
    );
    await record(em, operator, { action: 'MERCHANT_RESTORED', target: id, details: {} });
  });
  await inTransaction(deps, (em) => markFrozen(em, deps.clock.now()));
  return readOne(operator, id);
}

/** An id that PostgreSQL can compare. Errors: 2004. */
function requireId(id: string): string {
  if (!isId('mer', id)) throw new GatewayError('NOT_FOUND', { message: `There is no merchant ${id}` });
  return id;
}

async function refusalOf(em: EntityManager, id: string, why: string): Promise<GatewayError> {
  const found = await query(em, 'select from merchant where id = $1', [id]);
  return found.length === 0
    ? new GatewayError('NOT_FOUND', { message: `There is no merchant ${id}` })
    : new GatewayError('ALREADY_DECIDED', { message: `The merchant ${id} ${why}` });
}

interface Change {
  readonly action: 'MERCHANT_SUSPENDED' | 'MERCHANT_RESTORED';
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
}

async function record(em: EntityManager, operator: Operator, change: Change): Promise<void> {
  await recordOperation(em, operator, change);
  await recordForMerchant(em, operator, change.target, change);
}

async function readOne({ deps: { db } }: Operator, id: string): Promise<OperatorMerchant> {
  const [merchant] = await withBalances(db.em, await query<Row>(db.em, `${MERCHANTS} where m.id = $1`, [id]));
  if (!merchant) throw new GatewayError('NOT_FOUND');
  return merchant;
}
