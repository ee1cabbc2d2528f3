// What a merchant has: balances, payouts, rates and reports.

import type { CallOptions } from '../options.ts';
import type { Listing } from '../paging.ts';
import type { BodyOf, DataOf, ItemOf, QueryOf } from '../types.ts';
import { Resource, type Filter } from './resource.ts';

/** Balances, and what leaves. */
export class Wallet extends Resource {
  async balances(options?: CallOptions): Promise<DataOf<'walletBalances'>['balances']> {
    return (await this.client.call('walletBalances', {}, options)).balances;
  }

  /** The book of payout addresses. */
  async addresses(options?: CallOptions): Promise<ItemOf<'payoutAddresses'>[]> {
    return (await this.client.call('payoutAddresses', {}, options)).items;
  }

  policy(options?: CallOptions): Promise<DataOf<'payoutPolicy'>> {
    return this.client.call('payoutPolicy', {}, options);
  }

  /** Pays out; `amount: 'max'` for all that is available. */
  withdraw(input: BodyOf<'withdraw'>, options?: CallOptions): Promise<DataOf<'withdraw'>> {
    return this.client.call('withdraw', { body: input }, options);
  }

  withdrawal(id: string, options?: CallOptions): Promise<DataOf<'withdrawal'>> {
    return this.client.call('withdrawal', { path: { id } }, options);
  }

  /** Newest first. */
  withdrawals(filter: Filter<'withdrawals'> = {}, options?: CallOptions): Listing<ItemOf<'withdrawals'>> {
    return this.listing('withdrawals', filter, options);
  }

  /** Up to a thousand withdrawals: all of them or none. */
  createBatch(input: BodyOf<'createPayoutBatch'>, options?: CallOptions): Promise<DataOf<'createPayoutBatch'>> {
    return this.client.call('createPayoutBatch', { body: input }, options);
  }

  batch(id: string, options?: CallOptions): Promise<DataOf<'payoutBatch'>> {
    return this.client.call('payoutBatch', { path: { id } }, options);
  }

  /** Newest first. */
  batches(filter: Filter<'payoutBatches'> = {}, options?: CallOptions): Listing<ItemOf<'payoutBatches'>> {
    return this.listing('payoutBatches', filter, options);
  }
}

/** What coins are worth at this moment. */
export class Rates extends Resource {
  async list(query: QueryOf<'rates'>, options?: CallOptions): Promise<ItemOf<'rates'>[]> {
    return (await this.client.call('rates', { query }, options)).items;
  }
}

/** For the books. */
export class Reports extends Resource {
  /** Totals, and a row for each period and coin. */
  totals(query: QueryOf<'report'> = {}, options?: CallOptions): Promise<DataOf<'report'>> {
    return this.client.call('report', { query }, options);
  }

  /** What was credited. */
  receipts(filter: Filter<'receipts'> = {}, options?: CallOptions): Listing<ItemOf<'receipts'>> {
    return this.listing('receipts', filter, options);
  }

  /** Every posting that touches the merchant. */
  movements(filter: Filter<'movements'> = {}, options?: CallOptions): Listing<ItemOf<'movements'>> {
    return this.listing('movements', filter, options);
  }

  /** A report as the text of a CSV file. */
  csv<N extends 'report' | 'receipts' | 'movements'>(
    name: N,
    query?: Omit<QueryOf<N>, 'format'>,
    options?: CallOptions,
  ): Promise<string> {
    return this.client.text(name, { query: { ...query, format: 'csv' } as QueryOf<N> }, options);
  }
}
