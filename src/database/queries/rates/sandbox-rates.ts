// Stores the prices that merchants move for themselves in the sandbox; they are read with the merchant (domain/rates).

import type { Pool } from 'pg';

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
