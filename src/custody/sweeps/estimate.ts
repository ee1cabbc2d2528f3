// Estimates what it costs to sweep deposit addresses for a payout, before the first of them is swept.

import { TransactionRefused } from '../../chain/errors.ts';
import { maxCostOf, type Quote, type TransactionRequest } from '../../chain/transactions.ts';
import type { Holder } from '../../database/queries/ledger/holdings.ts';
import type { AccountContext as Context, Unmined } from '../context.ts';
import { payerOf } from '../transactions/sign.ts';

/** A deposit address and its balance of the wanted currency. */
export interface Holding {
  readonly holder: Holder;
  readonly units: bigint;
}

interface Wanted {
  readonly currency: string;
  /** Base units that the hot wallet lacks. */
  readonly missing: bigint;
  /** Of that, what other payouts wait for. The first sweeps bring it, and their cost is not counted. */
  readonly forOthers: bigint;
  /** In the order of sweeping. */
  readonly holdings: readonly Holding[];
  readonly unmined: Unmined;
}

/**
 * The maximum cost of the sweeps needed, of the gas they are given first, and of the payout itself, which is assumed to
 * cost as much as a sweep. In base units of the coin; 0 if none can be swept.
 */
export async function estimateSweeps(
  ctx: Context,
  { currency, missing, forOthers, holdings, unmined }: Wanted,
): Promise<bigint> {
  const { coin, chain, wallets } = ctx;
  const quote = await quoteFirst(ctx, currency, holdings);
  if (quote === null) return 0n;
  const cost = maxCostOf(quote);
  const brings = ({ units }: Holding) => (isOwnCoin(ctx, currency) ? units - cost : units);
  const swept: Holding[] = [];
  let rest = missing;
  for (const holding of holdings) {
    if (rest <= 0n) break;
    if (brings(holding) <= 0n) continue;
    rest -= brings(holding);
    if (missing - rest > forOthers) swept.push(holding);
  }
  const sweeps = cost * BigInt(swept.length + 1);
  if (chain.adapter.feePayer === 'GAS_WALLET' || currency === coin.currency) return sweeps;
  const keys = swept.map(({ holder }) => holder.addressKey);
  const onItsWay = new Set(unmined.filter(({ purpose }) => purpose === 'GAS').map(({ recipientKey }) => recipientKey));
  const coins = await chain.adapter.balances(keys, coin.currency);
  const without = keys.filter((key) => (coins.get(key) ?? 0n) < cost && !onItsWay.has(key));
  if (without[0] === undefined) return sweeps;
  const { reserve } = chain.adapter;
  const topUp = { from: wallets.gas.key, to: without[0], currency: coin.currency, amount: reserve + 1n };
  return sweeps + maxCostOf(await chain.adapter.quote(topUp)) * BigInt(without.length);
}

/** Whether a sweep pays its cost out of the coin that it moves. */
const isOwnCoin = ({ chain, coin }: Context, currency: string): boolean =>
  currency === coin.currency && chain.adapter.feePayer === 'SENDER';

/** A quote for the first address that can be swept. */
async function quoteFirst(ctx: Context, currency: string, holdings: readonly Holding[]): Promise<Quote | null> {
  const { wallets } = ctx;
  for (const { holder, units } of holdings) {
    const amount = isOwnCoin(ctx, currency) ? 1n : units;
    const request = { ...payerOf(ctx), from: holder.addressKey, to: wallets.hot.address, currency, amount };
    const quote = await quoteOrNull(ctx, request);
    if (quote !== null) return quote;
  }
  return null;
}

/**
 * Null, with a warning, for an address that cannot be swept because the token refuses it. A zero transfer between our
 * own wallets shows whether the address is at fault.
 */
export async function quoteOrNull(ctx: Context, request: TransactionRequest): Promise<Quote | null> {
  const { hot, gas } = ctx.wallets;
  try {
    return await ctx.chain.adapter.quote(request, { ...request, from: hot.key, to: gas.address, amount: 0n });
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
    ctx.warn(`sweep ${request.from}`, { err: error, address: request.from }, 'an address cannot be swept');
    return null;
  }
}
