// What invoices, receipts and the API ask of rates (contract-invoices, section 2).

import type { EntityManager } from '../../database/connection.ts';

/** A rate as a quote would take it now. */
export interface QuotedRate {
  /** Units of 10⁻¹². Null for a fixed rate. */
  readonly market: bigint | null;
  /** What a quote takes: the market rate less the spread, or the fixed rate. Always > 0. */
  readonly rate: bigint;
  readonly at: Date;
  readonly state: 'FRESH' | 'HELD' | 'FIXED';
  /** Names for the API: feeds, `fixed`, `sandbox`, or [] for a code in itself. */
  readonly sources: readonly string[];
  /** What each feed said, for the quote's row. */
  readonly evidence: readonly { feed: string; code: string; usd: string; at: string }[];
}

/** What rates depend on of a merchant. */
export interface RateMerchant {
  readonly id: string;
  /** In basis points. */
  readonly spread: number;
  readonly fixedRates: readonly { asset: string; currency: string; rate: string }[];
}

export interface Rates {
  /** null: no rate at the moment (3010). `asset` and `currency` are upper-case codes without network. */
  quote(merchant: RateMerchant, asset: string, currency: string): Promise<QuotedRate | null>;
  /** The market rate nearest before `at`, at most 24 h older (receipts, section 10); null if there was none. */
  marketAt(
    em: EntityManager,
    merchantId: string,
    asset: string,
    currency: string,
    at: Date,
  ): Promise<{ rate: bigint; at: Date } | null>;
  /** Whether this currency ever had a rate here, or a fixed one (3008 otherwise). */
  knows(merchant: RateMerchant, currency: string): Promise<boolean>;
}

/** Reads what rates depend on of a merchant, in the given entity manager. */
export function readRateMerchant(_em: EntityManager, id: string): Promise<RateMerchant> {
  return Promise.resolve({ id, spread: 0, fixedRates: [] });
}
