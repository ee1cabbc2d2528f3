// Pays where money belongs to accounts: a payout is a transaction from the hot wallet, ordered by its nonce.

import { ChainUnavailable, TransactionRefused } from '../../chain/errors.ts';
import { maxCostOf } from '../../chain/transactions.ts';
import type { DuePayout } from '../../database/queries/payouts/due-payouts.ts';
import { addSender, readSender } from '../../database/queries/payouts/nonces.ts';
import { findOpenTransactions, markExpired } from '../../database/queries/payouts/transactions.ts';
import {
  isStalled,
  type AccountContext as Context,
  type Followed,
  type Funding,
  type Look,
  type Payer,
  type Unmined,
} from '../context.ts';
import { acquire, acquireGas, cover, payFromGasWallet } from './fund-payouts.ts';
import { giveUp } from '../fail-payout.ts';
import { keepHoldings } from '../sweeps/keep-holdings.ts';
import { lookAtPayouts } from '../look-at-payouts.ts';
import { isAffordable, judgeRecipient, servedBy } from '../payout-cost.ts';
import { isDead, replace } from '../transactions/replace.ts';
import { signFiller } from '../transactions/sign-again.ts';
import { newestOfEach, payerOf, readFirstNonce, readPurse, signTransfer } from '../transactions/sign.ts';

/** One more is tried after a transaction that was mined and reverted for good; after so many there will be none. */
const MAX_FAILURES = 2;
/** Money is brought for so many payouts of a currency at once. */
const WAITING_AT_ONCE = 5;

export function createAccountPayer(ctx: Context): Payer {
  const { adapter } = ctx.chain;
  return {
    open: () => makeWalletsKnown(ctx),
    payDue: (unmined) => payDue(ctx, unmined),
    tidyUp: () => Promise.resolve(false),
    helpShort: (followed) => helpShort(ctx, followed),
    isDead: (row) => isDead(ctx, row),
    replace: (row) => replace(ctx, row),
    retire: async (em, row) => {
      if (adapter.replaceable) await signFiller(ctx, em, row);
      else await markExpired(em, row.id);
    },
    settled: (em, row, end) => keepHoldings(ctx, em, row, end),
    unsettled: (em, row, end) => keepHoldings(ctx, em, row, end, -1n),
  };
}

async function makeWalletsKnown({ chain, wallets, deps }: Context): Promise<void> {
  const { hot, gas } = wallets;
  const { adapter } = chain;
  const { em } = deps.db;
  for (const { key, role } of [hot, gas])
    if ((await readSender(em, adapter.network, key)) === null)
      await addSender(em, adapter.network, { key, role, nonce: await readFirstNonce(adapter, { key, role }) });
}

interface Claim {
  readonly count: number;
  readonly units: bigint;
}

/** What the payouts of one round share. */
interface Round {
  readonly unmined: Unmined;
  /** By currency: how many wait for money on its way, and what they will take of it, in base units. */
  readonly claims: Map<string, Claim>;
  /** By currency: the least amount that was found not to be had. */
  readonly beyond: Map<string, bigint>;
}

/** Signs a transaction for each payout that can be paid. One that waits does not keep smaller ones behind it waiting. */
async function payDue(ctx: Context, followed: Unmined): Promise<boolean> {
  // What was replaced in this round is under way.
  const unmined = followed.some((row) => isStalled(ctx, row)) ? await unminedNow(ctx, followed) : followed;
  const shared = { claims: new Map<string, Claim>(), beyond: new Map<string, bigint>() };
  return lookAtPayouts(ctx, async (payout, progressed) => {
    const { currency, amount } = payout;
    const beyond = shared.beyond.get(currency);
    if (beyond !== undefined && amount >= beyond) return 'MISSING_FUNDS';
    // Those signed in this round are on their way too.
    const look = await pay(ctx, payout, { ...shared, unmined: progressed ? await unminedNow(ctx, unmined) : unmined });
    if (look === 'MISSING_FUNDS') shared.beyond.set(currency, amount);
    return look;
  });
}

async function unminedNow({ deps, chain }: Context, unmined: Unmined): Promise<Unmined> {
  const open = await findOpenTransactions(deps.db.em, chain.adapter.network);
  const known = new Set(unmined.map(({ id }) => id));
  return newestOfEach(open.filter(({ id, status }) => known.has(id) || status === 'SIGNED'));
}

async function pay(ctx: Context, payout: DuePayout, round: Round): Promise<Look> {
  const { chain, wallets, coin } = ctx;
  const { adapter } = chain;
  const { currency, amount } = payout;
  if (payout.failures >= MAX_FAILURES) return giveUp(ctx, payout, 'its transactions were mined and reverted');
  const purse = await readPurse(ctx, wallets.hot, currency);
  const wanted = amount + keptOf(ctx, currency, purse.units - amount);
  if (purse.units < wanted) return fund(ctx, payout, { wanted, held: purse.units }, round);
  const request = { ...payerOf(ctx), from: wallets.hot.key, to: payout.address, currency, amount };
  const quote = await adapter.quote(request, { ...request, to: wallets.gas.address });
  await judgeRecipient(ctx, payout, request, quote);
  const cost = maxCostOf(quote);
  if (!(await isAffordable(ctx, { payoutId: payout.id, cost }))) return 'TOO_EXPENSIVE';
  if (adapter.feePayer === 'GAS_WALLET') {
    const funded = await payFromGasWallet(ctx, cost);
    if (funded !== null) return waits(funded);
  } else {
    if (currency === coin.currency && purse.coin < amount + cost)
      return fund(ctx, payout, { wanted: amount + cost, held: purse.coin }, round);
    const need = { payoutId: payout.id, unmined: round.unmined };
    if (purse.coin < cost) return waits(await acquireGas(ctx, cost - purse.coin, cost, need));
  }
  const order = { purpose: 'PAYOUT', payoutId: payout.id, purse, to: payout.address, amount, quote } as const;
  return (await signTransfer(ctx, order)) ? 'over' : 'coming';
}

const waits = (funding: Funding): Look => (funding === 'signed' ? 'acted' : funding);

/**
 * Has the hot wallet filled with what a payout lacks, besides what others of the round wait for already. Where many wait
 * for the same, the rest have their turn when some of it has come.
 */
async function fund(
  ctx: Context,
  { id: payoutId, currency }: DuePayout,
  { wanted, held }: { wanted: bigint; held: bigint },
  { claims, unmined }: Round,
): Promise<Look> {
  const { count, units } = claims.get(currency) ?? { count: 0, units: 0n };
  if (count === WAITING_AT_ONCE) return 'coming';
  const look = waits(await acquire(ctx, currency, wanted + units - held, { payoutId, unmined, own: wanted }));
  if (look === 'acted' || look === 'coming') claims.set(currency, { count: count + 1, units: units + wanted });
  return look;
}

/** What must stay beside a payment, given what would be left: nothing at all may be. */
function keptOf({ chain, coin }: Context, currency: string, left: bigint): bigint {
  return currency === coin.currency && left !== 0n ? chain.adapter.reserve : 0n;
}

/** A reorganisation can take the money from under transactions that were signed already: their senders are helped out. */
async function helpShort(ctx: Context, { short, unmined }: Followed): Promise<boolean> {
  let helped = false;
  const seen = new Set<string>();
  for (const row of short) {
    const { senderKey, currency } = row;
    const name = `${senderKey}/${currency}`;
    if (seen.has(name)) continue;
    seen.add(name);
    try {
      helped = (await cover(ctx, senderKey, currency, { payoutId: servedBy(row), unmined })) === 'signed' || helped;
    } catch (error) {
      // A token that answers nothing is no matter of those who wait for another.
      if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
      ctx.warn(`help ${name}`, { err: error, address: senderKey, currency }, 'a sender that is short cannot be helped');
    }
  }
  return helped;
}
