// A quote: the rate of one asset that an invoice's payment was made with.

import { defineEntity, p } from '@mikro-orm/core';
import { RateType } from './rate-type.ts';
import { UnitsType } from './units-type.ts';

/** What a feed said. `usd` and `at` are texts, as in the answer of the rates. */
export interface QuoteSource {
  readonly feed: string;
  readonly code: string;
  readonly usd: string;
  readonly at: string;
}

const QuoteSchema = defineEntity({
  name: 'Quote',
  tableName: 'quote',
  properties: {
    paymentId: p.text().primary(),
    invoiceId: p.text(),
    /** The price's currency. */
    currency: p.text(),
    /** What was due, as a value in 10⁻³⁰. */
    due: p.type(UnitsType).$type<bigint>(),
    rate: p.type(RateType).$type<bigint>(),
    /** Null for a fixed rate. */
    marketRate: p.type(RateType).$type<bigint>().nullable(),
    /** In basis points. */
    spread: p.integer(),
    sources: p.json<QuoteSources>(),
    quotedAt: p.datetime(),
    endsAt: p.datetime(),
    /** Whether it was chosen by a payer, without a token. */
    withoutToken: p.boolean(),
  },
});

/** The names for the API, and the figures of the feeds. */
export interface QuoteSources {
  readonly names: readonly string[];
  readonly evidence: readonly QuoteSource[];
}

export class Quote extends QuoteSchema.class {}
QuoteSchema.setClass(Quote);
export { QuoteSchema };
