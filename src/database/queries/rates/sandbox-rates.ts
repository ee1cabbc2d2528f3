// Stores the prices that merchants move for themselves in the sandbox; they are read with the merchant (domain/rates).

import type { Pool } from 'pg';

/** A price to store; undefined removes it, so that the sandbox's own counts again. */
export interface SandboxRate {
  readonly merchantId: string;
  readonly code: string;
  /** US dollars, a decimal string; null for a code without a price. */
  readonly usd: string | null | undefined;
}

/** Stores a merchant's own price of a code. */
export async function storeSandboxRate(pool: Pool, { merchantId, code, usd }: SandboxRate): Promise<void> {
  if (usd === undefined)
    await pool.query('delete from sandbox_rate where merchant_id = $1 and code = $2', [merchantId, code]);
  else
    await pool.query(
      `insert into sandbox_rate (merchant_id, code, usd) values ($1, $2, $3)
       on conflict (merchant_id, code) do update set usd = excluded.usd`,
      [merchantId, code, usd],
    );
}
