// Brings to the hot wallet what a payout needs: swept from deposit addresses, largest first and only as many as needed,
// with gas from the gas wallet. Nothing is moved ahead of a payout.

import { maxCostOf, TransactionRefused } from '../chain/adapter.ts';
import { findHolders, type Holder } from '../database/queries/due-payouts.ts';
import type { AccountContext as Context, Funding, Unmined } from './context.ts';
import { payerOf, readPurse, signTransfer } from './sign-transfer.ts';
import type { Wallet } from './wallets.ts';

/** Deposit addresses looked at for one payout. */
const HOLDERS = 200;
/** A top-up for one sweep, in percent of what it may cost: three replacements by a higher offer fit in. */
const SWEEP_MARGIN_PERCENT = 150n;
/** The hot wallet gets gas for so many payouts at once. */
const PAYOUTS_PER_TOP_UP = 20n;
/** Working capital that the faucet gives at a time, at least: one coin. */
const SANDBOX_FILL = 10n ** 18n;

/** Sees to it that the hot wallet gets `missing` base units more of a currency. */
export async function acquire(ctx: Context, currency: string, missing: bigint, unmined: Unmined): Promise<Funding> {
  const { hot } = ctx.wallets;
  const onItsWay = unmined.filter((row) => row.recipientKey === hot.key && row.currency === currency);
  let rest = onItsWay.reduce((left, row) => left - row.amount, missing);
  let outcome: Funding = 'coming';
  for (const { holder, units } of rest > 0n ? await readHolders(ctx, currency, unmined) : []) {
    if (rest <= 0n) break;
    const swept = await sweep(ctx, holder, { currency, units }, unmined);
    if (swept.outcome === 'lacking') return 'lacking';
    if (swept.outcome === 'signed') outcome = 'signed';
    rest -= swept.units;
  }
  if (rest <= 0n) return outcome;
  // Sweeping costs coin, so that the last payout of all needs a little of our own.
  if (currency === ctx.coin.currency) return topUp(ctx, hot, rest, unmined);
  if (outcome === 'signed') return outcome;
  const fields = { currency, missing: rest.toString() };
  ctx.warn(`lacking ${currency}`, fields, 'payouts wait: the wallets hold less than they have to pay');
  return 'lacking';
}

/** Sees to it that the hot wallet can pay gas: `missing` now, and more for the payouts to come. */
export function acquireGas(ctx: Context, missing: bigint, cost: bigint, unmined: Unmined) {
  return topUp(ctx, ctx.wallets.hot, missing + cost * PAYOUTS_PER_TOP_UP, unmined);
}

/** Sees to it that the gas wallet can pay for another's transfer, and is kept; null when it can. */
export async function payFromGasWallet(ctx: Context, cost: bigint): Promise<Funding | null> {
  const { coin } = await readPurse(ctx, ctx.wallets.gas, ctx.coin.currency);
  const wanted = cost + ctx.chain.adapter.reserve;
  return coin < wanted ? fillGasWallet(ctx, wanted - coin) : null;
}

/** Gives the sender of a transaction that the node refuses for want of money what it lacks. */
export async function cover(ctx: Context, senderKey: string, currency: string, unmined: Unmined): Promise<Funding> {
  const { hot, gas } = ctx.wallets;
  const { adapter } = ctx.chain;
  const path = unmined.find((row) => row.senderKey === senderKey)?.senderPath ?? '';
  const known = [hot, gas].find(({ key }) => key === senderKey);
  const wallet = known ?? { key: senderKey, address: senderKey, path, role: 'DEPOSIT' as const };
  const purse = await readPurse(ctx, wallet, currency);
  if (adapter.feePayer === 'GAS_WALLET' && purse.units >= 0n) {
    const held = (await readPurse(ctx, gas, ctx.coin.currency)).coin;
    return held < 0n ? fillGasWallet(ctx, -held) : 'coming';
  }
  if (wallet.role === 'GAS') return purse.coin < 0n ? fillGasWallet(ctx, -purse.coin) : 'coming';
  if (wallet.role === 'HOT' && purse.units < 0n) return acquire(ctx, currency, -purse.units, unmined);
  // What a swept address lacks of the asset itself is gone with the deposit; only gas can be helped.
  const ownMoney = wallet.role === 'DEPOSIT' && currency === ctx.coin.currency;
  return purse.coin < 0n && !ownMoney ? topUp(ctx, wallet, -purse.coin, unmined) : 'coming';
}

interface Holding {
  readonly holder: Holder;
  readonly units: bigint;
}

/** What deposit addresses really hold, largest first; those that send something already are left alone. */
async function readHolders({ chain, deps }: Context, currency: string, unmined: Unmined): Promise<Holding[]> {
  const { adapter } = chain;
  const busy = new Set(unmined.map(({ senderKey }) => senderKey));
  const found = await findHolders(deps.db.em, adapter.network, currency, HOLDERS);
  const holders = found.filter(({ addressKey }) => !busy.has(addressKey));
  const balances = await adapter.balances(
    holders.map(({ addressKey }) => addressKey),
    currency,
  );
  return holders
    .map((holder) => ({ holder, units: balances.get(holder.addressKey) ?? 0n }))
    .filter(({ units }) => units > 0n)
    .sort((a, b) => (a.units === b.units ? 0 : a.units > b.units ? -1 : 1));
}

/** Sweeps one address, or gives it the gas for it first. `units` is what will come of it. */
async function sweep(
  ctx: Context,
  { addressKey, index }: Holder,
  { currency, units }: { currency: string; units: bigint },
  unmined: Unmined,
): Promise<{ outcome: Funding; units: bigint }> {
  const { wallets, coin, chain } = ctx;
  const wallet = await wallets.deposit(index, addressKey);
  const to = wallets.hot.address;
  const isCoin = currency === coin.currency;
  const isSponsored = chain.adapter.feePayer === 'GAS_WALLET';
  const purse = await readPurse(ctx, wallet, currency);
  const request = { ...payerOf(ctx), from: wallet.key, to, currency, amount: isCoin && !isSponsored ? 1n : units };
  const quote = await readQuote(ctx, request);
  if (quote === null) return { outcome: 'coming', units: 0n };
  const cost = maxCostOf(quote);
  const amount = isCoin && !isSponsored ? purse.units - cost : purse.units;
  // A sweep of the coin that costs more than it brings is left for a day of lower prices.
  if (amount <= 0n || (isCoin && amount < cost)) return { outcome: 'coming', units: 0n };
  if (isSponsored) {
    const funded = await payFromGasWallet(ctx, cost);
    if (funded !== null) return { outcome: funded, units: amount };
  } else if (!isCoin && purse.coin < cost) {
    const lacking = (cost * SWEEP_MARGIN_PERCENT) / 100n - purse.coin;
    return { outcome: await topUp(ctx, wallet, lacking, unmined), units: amount };
  }
  const signed = await signTransfer(ctx, { purpose: 'SWEEP', payoutId: null, purse, to, amount, quote });
  return { outcome: signed ? 'signed' : 'coming', units: amount };
}

/** Gas for an address that cannot be swept (a token that refuses) is not known; it is passed over, with a word about it. */
async function readQuote(ctx: Context, request: Parameters<Context['chain']['adapter']['quote']>[0]) {
  try {
    return await ctx.chain.adapter.quote(request);
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
    ctx.warn(`sweep ${request.from}`, { err: error, address: request.from }, 'an address cannot be swept');
    return null;
  }
}

/** Sends coin from the gas wallet, unless some is on its way there. */
async function topUp(ctx: Context, to: Wallet, lacking: bigint, unmined: Unmined): Promise<Funding> {
  const { wallets, coin, chain } = ctx;
  const { reserve } = chain.adapter;
  const amount = lacking > reserve ? lacking : reserve + 1n;
  if (unmined.some((row) => row.purpose === 'GAS' && row.recipientKey === to.key)) return 'coming';
  const purse = await readPurse(ctx, wallets.gas, coin.currency);
  if (purse.coin <= amount + reserve) return fillGasWallet(ctx, amount + reserve - purse.coin);
  // As little as the chain carries to an account that may be new.
  const request = { from: wallets.gas.key, to: to.address, currency: coin.currency, amount: reserve + 1n };
  const quote = await chain.adapter.quote(request);
  const cost = maxCostOf(quote);
  const wanted = amount + cost + reserve;
  if (purse.coin < wanted) return fillGasWallet(ctx, wanted - purse.coin);
  const order = { purpose: 'GAS', payoutId: null, purse, to: to.address, amount, quote } as const;
  return (await signTransfer(ctx, order)) ? 'signed' : 'coming';
}

/** The sandbox's faucet fills it; in live the operator does, and until then payouts wait. */
async function fillGasWallet({ devChain, wallets, coin, warn }: Context, missing: bigint): Promise<Funding> {
  const { address } = wallets.gas;
  if (!devChain) {
    const fields = { address, missing: missing.toString(), currency: coin.currency };
    warn('gas wallet', fields, 'payouts wait: the gas wallet is empty; send coin to its address');
    return 'lacking';
  }
  const amount = missing * 2n > SANDBOX_FILL ? missing * 2n : SANDBOX_FILL;
  await devChain.deposit({ address, currency: coin.currency, amount, confirmations: 0 });
  return 'signed';
}
