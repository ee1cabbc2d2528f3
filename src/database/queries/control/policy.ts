// A merchant's payout policy as its row has it.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** Rules as JSON: amounts are decimal texts in base units. */
export type RulesJson = Readonly<Record<string, unknown>>;

export interface PolicyRow {
  readonly version: number;
  readonly rules: RulesJson;
  readonly pending: RulesJson | null;
  readonly pendingFrom: Date | null;
}

const SELECT = `select version, rules, pending, pending_from as "pendingFrom" from payout_policy where merchant_id = $1`;

type Row = Omit<PolicyRow, 'pendingFrom'> & { readonly pendingFrom: string | null };
const toPolicy = (row: Row | undefined): PolicyRow | null =>
  row ? { ...row, pendingFrom: toDate(row.pendingFrom) } : null;

/** The policy; null if the merchant never made one. */
export async function readPolicyRow(em: EntityManager, merchantId: string): Promise<PolicyRow | null> {
  return toPolicy((await query<Row>(em, SELECT, [merchantId]))[0]);
}

/**
 * The policy, which does not change before the transaction ends; nor is one made where there is none. Both locks are
 * shared by any number of requests.
 */
export async function holdPolicyRow(em: EntityManager, merchantId: string): Promise<PolicyRow | null> {
  await query(em, 'select from merchant where id = $1 for key share', [merchantId]);
  return toPolicy((await query<Row>(em, `${SELECT} for share`, [merchantId]))[0]);
}

/** Locks a merchant's policy for a change, after the requests that hold it; null if they never made one. */
export async function lockPolicyRow(em: EntityManager, merchantId: string): Promise<PolicyRow | null> {
  await query(em, 'select from merchant where id = $1 for update', [merchantId]);
  return toPolicy((await query<Row>(em, `${SELECT} for update`, [merchantId]))[0]);
}

/** Stores a locked policy. */
export async function storePolicyRow(
  em: EntityManager,
  merchantId: string,
  { version, rules, pending, pendingFrom }: PolicyRow,
  { by, at }: { readonly by: string; readonly at: Date },
): Promise<void> {
  await query(
    em,
    `insert into payout_policy (merchant_id, version, rules, pending, pending_from, updated_by, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (merchant_id) do update set version = excluded.version, rules = excluded.rules,
       pending = excluded.pending, pending_from = excluded.pending_from, updated_by = excluded.updated_by,
       updated_at = excluded.updated_at`,
    [merchantId, version, JSON.stringify(rules), pending && JSON.stringify(pending), pendingFrom, by, at],
  );
}

/** How many members may approve payouts by their roles, now or once they have waited. */
export async function countApprovers(em: EntityManager, merchantId: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    em,
    'select count(*)::int as count from membership where merchant_id = $1 and approves_from is not null',
    [merchantId],
  );
  return row?.count ?? 0;
}

/** Whether somebody who signs in has a second factor. */
export async function hasSecondFactor(em: EntityManager, personId: string): Promise<boolean> {
  const rows = await query(em, 'select from factor where person_id = $1 limit 1', [personId]);
  return rows.length > 0;
}
