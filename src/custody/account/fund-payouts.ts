// Brings the money of a payout to the hot wallet: sweeps deposit addresses, largest first and no more than needed, with
// gas from the gas wallet. Nothing is moved before a payout needs it.

import { maxCostOf } from '../../chain/transactions.ts';
import { findHolders, type Holder } from '../../database/queries/ledger/holdings.ts';
import { countOpenFor } from '../../database/queries/payouts/transactions.ts';
import { isStalled, type AccountContext as Context, type Funding, type Unmined } from '../context.ts';
import { boundsOf, isAffordable } from '../payout-cost.ts';
import { payerOf, readPurse, signTransaction, type Purse } from '../transactions/sign.ts';
import { findIdleSweeps, replaceSweepOf } from '../sweeps/replace-sweeps.ts';
import { estimateSweeps, quoteOrNull, type Holding } from '../sweeps/estimate.ts';
import type { Wallet } from '../keys/wallets.ts';

/** Deposit addresses considered for one payout. */
const HOLDERS = 200;
/** A top-up for one sweep, in percent of its maximum cost: leaves room for three replacements by a higher offer. */
const SWEEP_MARGIN_PERCENT = 150n;
/** Nonces of the gas wallet that one payout may hold at a time. */
const TOP_UPS_AT_ONCE = 5;
/** The hot wallet gets gas for this many payouts at once. */
const PAYOUTS_PER_TOP_UP = 20n;
/** The least that the faucet gives at a time: one coin. */
const SANDBOX_FILL = 10n ** 18n;

/** What money is moved for. */
export interface Need {
  /** The payout whose cost this counts towards; null if none. */
  readonly payoutId: string | null;
  readonly unmined: Unmined;
  /**
   * The payout's own share of what is missing; the rest, which comes first, is what others wait for. Default: all of
   * it.
   */
  readonly own?: bigint;
}

/**
 * Brings `missing` more base units of a currency to the hot wallet. For a token, sweeps nothing unless all addresses
 * together cover the amount.
 */
export async function fundHotWallet(ctx: Context, currency: string, missing: bigint, need: Need): Promise<Funding> {
  const { hot } = ctx.wallets;
  const { unmined } = need;
  const isCoin = currency === ctx.coin.currency;
  const idle = await findIdleSweeps(ctx, unmined);
  const active = unmined.filter(({ id }) => !idle.has(id));
  const onItsWay = active.filter((row) => isOnItsWay(row, hot) && row.currency === currency);
  let rest = onItsWay.reduce((left, row) => left - row.amount, missing);
  const holders = rest > 0n ? await readHolders(ctx, currency, active) : [];
  const held = holders.reduce((sum, { units }) => sum + units, 0n);
  const holdings = isCoin || held >= rest ? holders : [];
  if (!(await maySweep(ctx, { currency, missing: rest, holdings }, need))) return 'TOO_EXPENSIVE';
  let outcome: Funding = 'coming';
  for (const { holder, units } of holdings) {
    if (rest <= 0n) break;
    const stuck = unmined.find(({ id, senderKey }) => idle.has(id) && senderKey === holder.addressKey);
    const swept = await (stuck
      ? replaceSweep(ctx, holder, { currency, units, stuck }, need)
      : sweep(ctx, holder, { currency, units }, need));
    if (swept.outcome === 'MISSING_GAS') return 'MISSING_GAS';
    if (swept.outcome === 'signed') outcome = 'signed';
    rest -= swept.units;
  }
  if (rest <= 0n) return outcome;
  // Sweeping the coin costs coin, so paying out the very last of it needs a little of our own.
  const funded = isCoin ? await topUp(ctx, hot, rest, need) : outcome;
  if (funded === 'signed' || (isCoin && funded === 'coming')) return funded;
  const fields = { currency, missing: rest.toString() };
  ctx.warn(`lacking ${currency}`, fields, 'payouts wait: the wallets hold less than they have to pay');
  return 'MISSING_FUNDS';
}

/** Whether a payout's bound covers the sweeps made for it and the payout itself; asked before the first sweep. */
async function maySweep(
  ctx: Context,
  { currency, missing, holdings }: { currency: string; missing: bigint; holdings: readonly Holding[] },
  { payoutId, unmined, own = missing }: Need,
): Promise<boolean> {
  if (payoutId === null || holdings.length === 0) return true;
  const forOthers = missing > own ? missing - own : 0n;
  const cost = await estimateSweeps(ctx, { currency, missing, forOthers, holdings, unmined });
  return isAffordable(ctx, { payoutId, cost });
}

/** Whether a transaction brings money to a wallet; one to its own sender only uses up a nonce. */
const isOnItsWay = ({ recipientKey, senderKey }: Unmined[number], { key }: Wallet): boolean =>
  recipientKey === key && senderKey !== key;

/** Brings gas to the hot wallet: `missing` now, and more for the payouts to come. */
export function fundHotWalletGas(ctx: Context, missing: bigint, cost: bigint, need: Need) {
  return topUp(ctx, ctx.wallets.hot, missing + cost * PAYOUTS_PER_TOP_UP, need);
}

/**
 * Makes sure that the gas wallet can pay for another wallet's transfer and keep its reserve; null if it already can.
 */
export async function ensureGasWallet(ctx: Context, cost: bigint): Promise<Funding | null> {
  const { coin } = await readPurse(ctx, ctx.wallets.gas, ctx.coin.currency);
  const wanted = cost + ctx.chain.adapter.reserve;
  return coin < wanted ? fillGasWallet(ctx, wanted - coin) : null;
}

/** Funds the sender of a transaction that the node refuses for lack of money. */
export async function fundSender(ctx: Context, senderKey: string, currency: string, need: Need): Promise<Funding> {
  const { hot, gas } = ctx.wallets;
  const { adapter } = ctx.chain;
  const path = need.unmined.find((row) => row.senderKey === senderKey)?.senderPath ?? '';
  const known = [hot, gas].find(({ key }) => key === senderKey);
  const wallet = known ?? { key: senderKey, address: senderKey, path, role: 'DEPOSIT' as const };
  const purse = await readPurse(ctx, wallet, currency);
  if (adapter.feePayer === 'GAS_WALLET' && purse.units >= 0n) {
    const held = (await readPurse(ctx, gas, ctx.coin.currency)).coin;
    return held < 0n ? fillGasWallet(ctx, -held) : 'coming';
  }
  if (wallet.role === 'GAS') return purse.coin < 0n ? fillGasWallet(ctx, -purse.coin) : 'coming';
  if (wallet.role === 'HOT' && purse.units < 0n) return fundHotWallet(ctx, currency, -purse.units, need);
  // If a swept address lacks the asset itself, the deposit is gone; only missing gas can be supplied.
  const isGone = wallet.role === 'DEPOSIT' && (currency === ctx.coin.currency || purse.units < 0n);
  return purse.coin < 0n && !isGone ? topUp(ctx, wallet, -purse.coin, need) : 'coming';
}

/**
 * The balances of deposit addresses on the chain, largest first. Leaves out those that already send something, and
 * those that hold less than sweeping is worth.
 */
async function readHolders({ chain, deps }: Context, currency: string, unmined: Unmined): Promise<Holding[]> {
  const { adapter } = chain;
  const least = boundsOf({ chain }).sweepMin.get(currency) ?? 0n;
  const busy = new Set(unmined.map(({ senderKey }) => senderKey));
  const found = await findHolders(deps.db.em, adapter.network, currency, HOLDERS);
  const holders = found.filter(({ addressKey }) => !busy.has(addressKey));
  const balances = await adapter.balances(
    holders.map(({ addressKey }) => addressKey),
    currency,
  );
  return holders
    .map((holder) => ({ holder, units: balances.get(holder.addressKey) ?? 0n }))
    .filter(({ units }) => units > 0n && units >= least)
    .sort((a, b) => (a.units === b.units ? 0 : a.units > b.units ? -1 : 1));
}

/** Sweeps one address, or gives it the gas first. `units` is what the sweep will bring. */
async function sweep(
  ctx: Context,
  { addressKey, index }: Holder,
  { currency, units }: { currency: string; units: bigint },
  need: Need,
): Promise<{ outcome: Funding; units: bigint }> {
  const { wallets, coin, chain } = ctx;
  const wallet = await wallets.deposit(index, addressKey);
  const to = wallets.hot.address;
  const isCoin = currency === coin.currency;
  const isSponsored = chain.adapter.feePayer === 'GAS_WALLET';
  const purse = await readPurse(ctx, wallet, currency);
  // Its nonce is in doubt, so nothing would be signed for it.
  if (purse.chainNonce > purse.nextNonce) return { outcome: 'coming', units: 0n };
  const request = { ...payerOf(ctx), from: wallet.key, to, currency, amount: isCoin && !isSponsored ? 1n : units };
  const quote = await quoteOrNull(ctx, request);
  if (quote === null) return { outcome: 'coming', units: 0n };
  const cost = maxCostOf(quote);
  const amount = isCoin && !isSponsored ? purse.units - cost : purse.units;
  // A sweep of the coin that costs more than it brings waits for lower prices.
  if (amount <= 0n || (isCoin && amount < cost)) return { outcome: 'coming', units: 0n };
  if (isSponsored) {
    const funded = await ensureGasWallet(ctx, cost);
    if (funded !== null) return { outcome: funded, units: amount };
  } else if (!isCoin && purse.coin < cost) {
    const lacking = (cost * SWEEP_MARGIN_PERCENT) / 100n - purse.coin;
    return { outcome: await topUp(ctx, wallet, lacking, need), units: amount };
  }
  const { payoutId: forPayoutId } = need;
  const signed = await signTransaction(ctx, {
    purpose: 'SWEEP',
    payoutId: null,
    forPayoutId,
    purse,
    to,
    amount,
    quote,
  });
  return { outcome: signed ? 'signed' : 'coming', units: amount };
}

/** Replaces an idle sweep of an address, or gives it the gas first. */
async function replaceSweep(
  ctx: Context,
  holder: Holder,
  held: { currency: string; units: bigint; stuck: Unmined[number] },
  need: Need,
): Promise<{ outcome: Funding; units: bigint }> {
  const { lacking = 0n, ...swept } = await replaceSweepOf(ctx, holder, { ...held, payoutId: need.payoutId });
  if (lacking === 0n) return { outcome: swept.outcome, units: swept.units };
  const wallet = await ctx.wallets.deposit(holder.index, holder.addressKey);
  return { outcome: await topUp(ctx, wallet, (lacking * SWEEP_MARGIN_PERCENT) / 100n, need), units: swept.units };
}

/**
 * Sends coin from the gas wallet, unless some is already on its way. A payout may have only a few top-ups under way: if
 * prices rise beyond its bound, each holds a nonce that is freed at the gateway's expense.
 */
async function topUp(ctx: Context, to: Wallet, lacking: bigint, need: Need): Promise<Funding> {
  const { wallets, coin, chain } = ctx;
  const { reserve } = chain.adapter;
  const amount = lacking > reserve ? lacking : reserve + 1n;
  const isComing = (row: Unmined[number]) => row.purpose === 'GAS' && isOnItsWay(row, to) && !isStalled(ctx, row);
  if (need.unmined.some(isComing)) return 'coming';
  const purse = await readPurse(ctx, wallets.gas, coin.currency);
  if (!(await mayTopUpAgain(ctx, need.payoutId, purse))) return 'coming';
  if (purse.coin <= amount + reserve) return fillGasWallet(ctx, amount + reserve - purse.coin);
  // The least that the chain transfers to an account that may be new.
  const request = { from: wallets.gas.key, to: to.address, currency: coin.currency, amount: reserve + 1n };
  const quote = await chain.adapter.quote(request);
  const cost = maxCostOf(quote);
  const wanted = amount + cost + reserve;
  if (purse.coin < wanted) return fillGasWallet(ctx, wanted - purse.coin);
  const { payoutId: forPayoutId } = need;
  const order = { purpose: 'GAS', payoutId: null, forPayoutId, purse, to: to.address, amount, quote } as const;
  return (await signTransaction(ctx, order)) ? 'signed' : 'coming';
}

async function mayTopUpAgain({ chain, deps }: Context, payoutId: string | null, purse: Purse): Promise<boolean> {
  const { replaceable, network } = chain.adapter;
  if (!replaceable || payoutId === null) return true;
  const from = { senderKey: purse.wallet.key, nonce: purse.chainNonce };
  return (await countOpenFor(deps.db.em, network, payoutId, from)) < TOP_UPS_AT_ONCE;
}

/** In the sandbox the faucet fills it. In live the operator does, and payouts wait until then. */
async function fillGasWallet({ devChain, wallets, coin, warn }: Context, missing: bigint): Promise<Funding> {
  const { address } = wallets.gas;
  if (!devChain) {
    const fields = { address, missing: missing.toString(), currency: coin.currency };
    warn('gas wallet', fields, 'payouts wait: the gas wallet is empty; send coin to its address');
    return 'MISSING_GAS';
  }
  const amount = missing * 2n > SANDBOX_FILL ? missing * 2n : SANDBOX_FILL;
  await devChain.deposit({ address, currency: coin.currency, amount, confirmations: 0 });
  return 'signed';
}
