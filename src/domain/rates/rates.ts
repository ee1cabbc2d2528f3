// What invoices and the API ask of rates (contract-invoices, section 2), and what they depend on of a merchant.

import { query, type EntityManager } from '../../database/connection.ts';
import { movedPricesOf } from '../../database/queries/rates/sandbox-rates.ts';
import type { FixedRate } from '../../entities/merchant.ts';
import { GatewayError } from '../../values/errors.ts';

/** A rate as a quote would take it now. */
export interface QuotedRate {
  /** Units of 10⁻¹². Null for a fixed rate. */
  readonly market: bigint | null;
  /** What a quote takes: the market rate less the spread, or the fixed rate. Always > 0. */
  readonly rate: bigint;
  readonly at: Date;
  readonly state: 'FRESH' | 'HELD' | 'FIXED';
  /** Names for the API: of feeds, `sandbox`, `fixed`, or [] for a code in itself. */
  readonly sources: readonly string[];
  /** What each source said, for the quote's row. */
  readonly evidence: readonly RateEvidence[];
}

/** What a source said of a code: US dollars for one unit, as a decimal string, and when (ISO 8601). */
export interface RateEvidence {
  readonly feed: string;
  readonly code: string;
  readonly usd: string;
  readonly at: string;
}

/** What rates depend on of a merchant. */
export interface RateMerchant {
  readonly id: string;
  /** In basis points. */
  readonly spread: number;
  readonly fixedRates: readonly FixedRate[];
  /**
   * The prices that they moved in the sandbox: US dollars by code, decimal strings; null for a code without a price.
   */
  readonly movedPrices: Readonly<Record<string, string | null>>;
}

/** What the market said of a pair: units of 10⁻¹², and when. */
export interface MarketRate {
  readonly rate: bigint;
  readonly at: Date;
}

/** What a merchant's books ask of the market: a pair at a time. */
export interface MarketQuestion {
  readonly merchantId: string;
  readonly asset: string;
  readonly currency: string;
  readonly at: Date;
}

/** Quotes are read from memory: neither the database nor a feed is waited for. */
export interface Rates {
  /** null: no rate at the moment (3010). `asset` and `currency` are upper-case codes without network. */
  quote(merchant: RateMerchant, asset: string, currency: string): QuotedRate | null;
  /**
   * The market rates nearest before the times of the questions, in their order; at most 24 hours older, without spread
   * and fixed rates, and null where there was none. These are read from the database, all by one or two statements.
   */
  marketsAt(em: EntityManager, questions: readonly MarketQuestion[]): Promise<(MarketRate | null)[]>;
  /** Whether this currency ever had a rate here, or a fixed one (3008 otherwise). */
  knows(merchant: RateMerchant, currency: string): boolean;
}

/** Reads what rates depend on of a merchant, in the given entity manager. */
export async function readRateMerchant(em: EntityManager, id: string): Promise<RateMerchant> {
  const merchant = (await readRateMerchants(em, [id])).get(id);
  if (!merchant) throw new GatewayError('INVALID_TOKEN');
  return merchant;
}

/** The same of several merchants, by their ids. */
export async function readRateMerchants(em: EntityManager, ids: readonly string[]): Promise<Map<string, RateMerchant>> {
  const rows = await query<RateMerchant>(
    em,
    `select id, rate_spread as spread, coalesce(fixed_rates, '[]') as "fixedRates",
       ${movedPricesOf('m.id')} as "movedPrices" from merchant m where id = any ($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}
