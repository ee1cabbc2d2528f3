// The rate at which a deposit counts for its invoice (contract-invoices, section 3). In time it is the quote's; late,
// the lower of that and what a quote would get, so that a late payer holds no free option.

import { readQuoted, type QuotedReceiver } from '../../database/queries/invoices/read-quotes.ts';
import type { EntityManager } from '../../database/connection.ts';
import type { Deps } from '../deps.ts';
import { readRateMerchant } from '../rates/rates.ts';

/** The rates of one payment's deposits. */
export interface DepositRates extends Pick<QuotedReceiver, 'currency' | 'network' | 'endsAt'> {
  /** Of what arrives by the quote's end. */
  readonly quoted: bigint;
  /** Of what arrives later, and is recorded now. */
  readonly late: bigint;
}

/** The rates of what is recorded now for these payments of invoices, by payment; without ids, costs no statement. */
export async function readDepositRates(
  deps: Deps,
  em: EntityManager,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, DepositRates>> {
  if (paymentIds.length === 0) return new Map();
  const rates = new Map<string, DepositRates>();
  for (const receiver of await readQuoted(em, paymentIds)) {
    const { paymentId, currency, network, endsAt, rate: quoted } = receiver;
    const isOver = deps.clock.now() > endsAt;
    const late = isOver ? await lateRate(deps, em, receiver) : quoted;
    rates.set(paymentId, { currency, network, endsAt, quoted, late });
  }
  return rates;
}

async function lateRate(deps: Deps, em: EntityManager, receiver: QuotedReceiver): Promise<bigint> {
  const { merchantId, spread, currency, priceCurrency, rate: quoted } = receiver;
  const merchant = { ...(await readRateMerchant(em, merchantId)), spread };
  const now = deps.rates?.quote(merchant, currency, priceCurrency);
  return now && now.rate < quoted ? now.rate : quoted;
}

/** The rate of a new deposit; null for one that is not in the payment's own asset. */
export function rateOfNew(
  rates: DepositRates | undefined,
  asset: { readonly currency: string; readonly network: string },
  arrivedAt: Date,
): bigint | null {
  if (!rates || rates.currency !== asset.currency || rates.network !== asset.network) return null;
  return arrivedAt <= rates.endsAt ? rates.quoted : rates.late;
}

/** The rate of a deposit once its block is known, whose time may show that it was in time. */
export function rateOfMined(rates: DepositRates | undefined, valueRate: bigint | null, minedAt: Date): bigint | null {
  return rates && valueRate !== null && minedAt <= rates.endsAt ? rates.quoted : valueRate;
}
