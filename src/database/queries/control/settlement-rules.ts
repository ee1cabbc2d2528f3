// Rules of settlement: read, stored, and looked through for those that are due.

import type { SettlementSchedule } from '../../../values/payouts/settlement.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

/** A rule; amounts in base units. */
export interface SettlementRuleRow {
  readonly id: string;
  readonly merchantId: string;
  readonly currency: string;
  readonly network: string;
  readonly addressId: string;
  readonly threshold: bigint;
  readonly keep: bigint;
  readonly schedule: SettlementSchedule;
  readonly hour: number | null;
  readonly day: number | null;
  readonly enabled: boolean;
  readonly runs: number;
  readonly lastPeriod: string | null;
  readonly skippedAt: Date | null;
  /** The state of its last payout, and since when; null without one. */
  readonly lastStatus: string | null;
  readonly lastAt: Date | null;
}

const COLUMNS = `r.id, r.merchant_id as "merchantId", r.currency, r.network, r.address_id as "addressId",
  r.threshold::text, r.keep::text, r.schedule, r.hour, r.day, r.enabled, r.runs, r.last_period as "lastPeriod",
  r.skipped_at as "skippedAt", (select status from payout where id = r.last_payout_id) as "lastStatus",
  (select updated_at from payout where id = r.last_payout_id) as "lastAt"`;

type Row = Omit<SettlementRuleRow, 'threshold' | 'keep' | 'lastAt' | 'skippedAt'> &
  Readonly<Record<'threshold' | 'keep', string> & Record<'lastAt' | 'skippedAt', string | null>>;

const toRule = ({ threshold, keep, lastAt, skippedAt, ...row }: Row): SettlementRuleRow => ({
  ...row,
  ...{ threshold: BigInt(threshold), keep: BigInt(keep), lastAt: toDate(lastAt), skippedAt: toDate(skippedAt) },
});

/** A merchant's rules, by asset. */
export async function readRules(em: EntityManager, merchantId: string): Promise<SettlementRuleRow[]> {
  const text = `select ${COLUMNS} from settlement_rule r where r.merchant_id = $1 and r.removed_at is null
    order by r.currency, r.network`;
  return (await query<Row>(em, text, [merchantId])).map(toRule);
}

/** What a rule says; what it has done is kept beside it. */
export type StoredRule = Omit<SettlementRuleRow, 'runs' | 'lastPeriod' | 'skippedAt' | 'lastStatus' | 'lastAt'>;

/** Stores the rule of an asset, in place of the one that it has; returns the id that it has. */
export async function storeRule(
  em: EntityManager,
  { id, merchantId, currency, network, addressId, threshold, keep, schedule, hour, day, enabled }: StoredRule,
  { by, at }: { readonly by: string; readonly at: Date },
): Promise<string> {
  const [row] = await query<{ id: string }>(
    em,
    `insert into settlement_rule (id, merchant_id, currency, network, address_id, threshold, keep, schedule, hour, day,
       enabled, updated_by, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
     on conflict (merchant_id, currency, network) where removed_at is null do update set
       address_id = excluded.address_id, threshold = excluded.threshold, keep = excluded.keep,
       schedule = excluded.schedule, hour = excluded.hour, day = excluded.day, enabled = excluded.enabled,
       updated_by = excluded.updated_by, updated_at = excluded.updated_at, skipped_at = null, skip_reason = null
     returning id`,
    [id, merchantId, currency, network, addressId, threshold, keep, schedule, hour, day, enabled, by, at],
  );
  return row?.id ?? id;
}

/** Removes a rule; null if there is none of that id. */
export async function removeRule(
  em: EntityManager,
  merchantId: string,
  id: string,
  at: Date,
): Promise<{ readonly currency: string; readonly network: string } | null> {
  const [row] = await query<{ currency: string; network: string }>(
    em,
    `update settlement_rule set removed_at = $3 where id = $1 and merchant_id = $2 and removed_at is null
     returning currency, network`,
    [id, merchantId, at],
  );
  return row ?? null;
}

/** When rules are looked through: the hour, weekday and day of the month in UTC, and the periods that these are in. */
export interface RuleTime {
  readonly hour: number;
  readonly weekday: number;
  readonly day: number;
  readonly periods: readonly [daily: string, weekly: string, monthly: string];
}

/** Rules of this hour that have not been looked at in their period, after an id, in the order of their ids. */
export async function findDueByHour(
  em: EntityManager,
  { hour, weekday, day, periods }: RuleTime,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select id from settlement_rule
     where enabled and removed_at is null and coalesce(hour, -1) = $1 and id > $2
       and (schedule = 'DAILY' or (schedule = 'WEEKLY' and day = $3) or (schedule = 'MONTHLY' and day = $4))
       and last_period is distinct from case schedule when 'DAILY' then $5 when 'WEEKLY' then $6 else $7 end
     order by id limit $8`,
    [hour, after, weekday, day, ...periods, limit],
  );
  return rows.map(({ id }) => id);
}

/** Rules without an hour whose balance has reached their threshold, after an id, in the order of their ids. */
export async function findDueByThreshold(em: EntityManager, after: string, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select r.id from settlement_rule r
     where r.enabled and r.removed_at is null and coalesce(r.hour, -1) = -1 and r.id > $1
       and exists (select from ledger_account a
         where (a.owner, a.purpose, a.currency, a.network) = (r.merchant_id, 'available', r.currency, r.network)
           and a.balance > 0 and a.balance >= r.threshold)
     order by r.id limit $2`,
    [after, limit],
  );
  return rows.map(({ id }) => id);
}

/** Reads a rule that is in use; null if it is not, or not any more. */
export async function readRule(em: EntityManager, id: string): Promise<SettlementRuleRow | null> {
  const [row] = await query<Row>(em, `select ${COLUMNS} from settlement_rule r where ${IN_USE}`, [id]);
  return row ? toRule(row) : null;
}

/** The same, and locks it; null as well if another process works on it. */
export async function lockRule(em: EntityManager, id: string): Promise<SettlementRuleRow | null> {
  const text = `select ${COLUMNS} from settlement_rule r where ${IN_USE} for update of r skip locked`;
  const [row] = await query<Row>(em, text, [id]);
  return row ? toRule(row) : null;
}

const IN_USE = 'r.id = $1 and r.enabled and r.removed_at is null';

/** Whether a merchant's payouts have a reference already. */
export async function hasReference(em: EntityManager, merchantId: string, reference: string): Promise<boolean> {
  const rows = await query(em, 'select from payout where merchant_id = $1 and reference = $2', [merchantId, reference]);
  return rows.length > 0;
}

/** Notes that a rule has paid for a period; null for one without an hour, whose payouts are counted alone. */
export async function recordRun(
  em: EntityManager,
  id: string,
  { period, payoutId }: { readonly period: string | null; readonly payoutId: string },
): Promise<void> {
  await query(
    em,
    `update settlement_rule set last_period = coalesce($2, last_period), runs = runs + 1, last_payout_id = $3,
       skipped_at = null, skip_reason = null where id = $1`,
    [id, period, payoutId],
  );
}

/**
 * Notes that a rule has been looked at for a period and pays nothing: `reason` says why, or null below the threshold.
 */
export async function recordSkip(
  em: EntityManager,
  id: string,
  { period, reason, at }: { readonly period: string | null; readonly reason: string | null; readonly at: Date },
): Promise<void> {
  await query(
    em,
    `update settlement_rule set last_period = coalesce($2, last_period), skip_reason = $3,
       skipped_at = case when $3::text is null then skipped_at else $4::timestamptz end where id = $1`,
    [id, period, reason, at],
  );
}
