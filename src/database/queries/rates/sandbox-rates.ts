// Stores the prices that merchants move for themselves in the sandbox, and reads those of before. The newest are read
// with the merchant (domain/rates).

import type { Pool } from 'pg';
import { query, type EntityManager } from '../../connection.ts';

/** SQL: the prices that the merchant of this id has moved, US dollars by code, as JSON. */
export const movedPricesOf = (id: string): string => `(
  select coalesce(json_object_agg(code, usd::text), '{}') from (
    select distinct on (code) code, usd, is_default from sandbox_rate
    where merchant_id = ${id} order by code, moved_at desc) newest
  where not is_default
)`;

/** A price from a time on; undefined: the sandbox's own counts again. */
export interface SandboxRate {
  readonly merchantId: string;
  readonly code: string;
  /** US dollars, a decimal string; null for a code without a price. */
  readonly usd: string | null | undefined;
  readonly at: Date;
}

/** Stores a merchant's own price of a code; those of before stay, as what was credited is valued at its own time. */
export async function storeSandboxRate(pool: Pool, { merchantId, code, usd, at }: SandboxRate): Promise<void> {
  await pool.query(
    `insert into sandbox_rate (merchant_id, code, usd, is_default, moved_at) values ($1, $2, $3, $4, $5)
     on conflict (merchant_id, code, moved_at) do update set usd = excluded.usd, is_default = excluded.is_default`,
    [merchantId, code, usd ?? null, usd === undefined, at],
  );
}

/** A merchant's own price: US dollars, a decimal string; null for a code without a price. */
export interface MovedPrice {
  readonly usd: string | null;
}

/**
 * What merchants had moved these prices to at these times, in their order; null where the sandbox's own counted. A
 * block's time is a whole second: what moved within it counts.
 */
export async function readSandboxRatesAt(
  em: EntityManager,
  wanted: readonly Pick<SandboxRate, 'merchantId' | 'code' | 'at'>[],
): Promise<(MovedPrice | null)[]> {
  const rows = await query<{ usd: string | null; isDefault: boolean | null }>(
    em,
    `select moved.usd::text, moved.is_default as "isDefault"
     from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality as given(merchant_id, code, at, nth)
     left join lateral (
       select usd, is_default from sandbox_rate
       where merchant_id = given.merchant_id and code = given.code and moved_at < given.at + interval '1 second'
       order by moved_at desc limit 1
     ) moved on true
     order by given.nth`,
    [wanted.map(({ merchantId }) => merchantId), wanted.map(({ code }) => code), wanted.map(({ at }) => at)],
  );
  return rows.map(({ usd, isDefault }) => (isDefault === false ? { usd } : null));
}
