// Pays where money belongs to accounts: a payout is a transaction from the hot wallet, ordered by its nonce.

import { maxCostOf, TransactionRefused } from '../chain/adapter.ts';
import { findDuePayouts, type DuePayout } from '../database/queries/due-payouts.ts';
import { addSender } from '../database/queries/senders.ts';
import { findOpenTransfers, markExpired, type TransferRow } from '../database/queries/transfers.ts';
import type { AccountContext as Context, Followed, Funding, Payer, Unmined } from './context.ts';
import { acquire, acquireGas, cover, payFromGasWallet } from './fund-payouts.ts';
import { giveUp } from './give-up.ts';
import { payerOf, readPurse, signFiller, signReplacement, signTransfer } from './sign-transfer.ts';

/** Payouts looked at in one round. */
const BATCH = 50;
/** After so many transactions that were mined and moved nothing, there will be none that does. */
const MAX_FAILURES = 3;

export function createAccountPayer(ctx: Context): Payer {
  const { adapter } = ctx.chain;
  return {
    open: () => makeWalletsKnown(ctx),
    payDue: (unmined) => payDue(ctx, unmined),
    helpShort: (followed) => helpShort(ctx, followed),
    isDead: ({ txHash, validUntil }) =>
      validUntil === null ? Promise.resolve(false) : adapter.isDead({ txHash, validUntil }),
    replace: (row) => replace(ctx, row),
    retire: async (em, row) => {
      if (adapter.replaceable) await signFiller(ctx, em, row);
      else await markExpired(em, row.id);
    },
  };
}

async function makeWalletsKnown({ chain, wallets, deps }: Context): Promise<void> {
  const { hot, gas } = wallets;
  const { adapter } = chain;
  const nonces = await adapter.nonces([hot.key, gas.key]);
  for (const { key, role } of [hot, gas])
    await addSender(deps.db.em, adapter.network, { key, role, nonce: nonces.get(key) ?? 0 });
}

/** Signs a transaction for each payout that can be paid, oldest first; within a currency none overtakes another. */
async function payDue(ctx: Context, unmined: Unmined): Promise<boolean> {
  const { network } = ctx.chain.adapter;
  const waiting = new Set<string>();
  let progressed = false;
  for (const payout of await findDuePayouts(ctx.deps.db.em, network, BATCH)) {
    if (waiting.has(payout.currency)) continue;
    // Those signed in this round are on their way too.
    const outcome = await pay(ctx, payout, progressed ? await unminedNow(ctx, unmined) : unmined);
    if (outcome === 'signed') progressed = true;
    else waiting.add(payout.currency);
  }
  return progressed;
}

async function unminedNow({ deps, chain }: Context, unmined: Unmined): Promise<Unmined> {
  const open = await findOpenTransfers(deps.db.em, chain.adapter.network);
  const known = new Set(unmined.map(({ id }) => id));
  return open.filter(({ id, status }) => known.has(id) || status === 'SIGNED');
}

async function pay(ctx: Context, payout: DuePayout, unmined: Unmined): Promise<Funding> {
  const { chain, wallets, coin } = ctx;
  const { adapter } = chain;
  const { currency, amount } = payout;
  if (payout.failures >= MAX_FAILURES) return giveUp(ctx, payout, 'its transactions were mined and moved nothing');
  const purse = await readPurse(ctx, wallets.hot, currency);
  const wanted = amount + keptOf(ctx, currency, purse.units - amount);
  if (purse.units < wanted) return acquire(ctx, currency, wanted - purse.units, unmined);
  const request = { ...payerOf(ctx), from: wallets.hot.key, to: payout.address, currency, amount };
  const quote = await adapter.quote(request).catch((error: unknown) => {
    if (error instanceof TransactionRefused && error.reason === 'REVERTED') return null;
    throw error;
  });
  if (quote === null) return giveUp(ctx, payout, 'the recipient or the token refuses the transfer');
  const cost = maxCostOf(quote);
  if (adapter.feePayer === 'GAS_WALLET') {
    const funded = await payFromGasWallet(ctx, cost);
    if (funded !== null) return funded;
  } else {
    if (currency === coin.currency && purse.coin < amount + cost)
      return acquire(ctx, currency, amount + cost - purse.coin, unmined);
    if (purse.coin < cost) return acquireGas(ctx, cost - purse.coin, cost, unmined);
  }
  const order = { purpose: 'PAYOUT', payoutId: payout.id, purse, to: payout.address, amount, quote } as const;
  return (await signTransfer(ctx, order)) ? 'signed' : 'coming';
}

/** What must stay beside a payment, given what would be left: nothing at all may be. */
function keptOf({ chain, coin }: Context, currency: string, left: bigint): bigint {
  return currency === coin.currency && left !== 0n ? chain.adapter.reserve : 0n;
}

/** Offers more, if it is its sender's turn. */
async function replace(ctx: Context, row: TransferRow): Promise<boolean> {
  const { adapter } = ctx.chain;
  if (!adapter.replaceable) return false;
  if ((await adapter.nonces([row.senderKey])).get(row.senderKey) !== row.nonce) return false;
  const { maxPerGas, tipPerGas } = row;
  return signReplacement(ctx, row, await adapter.fees({ maxPerGas, tipPerGas }));
}

/** A reorganisation can take the money from under transactions that were signed already: their senders are helped out. */
async function helpShort(ctx: Context, { short, unmined }: Followed): Promise<boolean> {
  let helped = false;
  const seen = new Set<string>();
  for (const { senderKey, currency } of short) {
    const name = `${senderKey}/${currency}`;
    if (seen.has(name)) continue;
    seen.add(name);
    helped = (await cover(ctx, senderKey, currency, unmined)) === 'signed' || helped;
  }
  return helped;
}
