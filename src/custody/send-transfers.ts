// Sends payouts: reserved money becomes a signed transaction, stored before it is broadcast, and followed to the end.
// The stored transaction is the truth. A process that dies anywhere leaves it, and the next one sends it as it is.

import { maxCostOf, TransactionRefused } from '../chain/adapter.ts';
import { findDuePayouts, hasLiveTransfer, type DuePayout } from '../database/queries/due-payouts.ts';
import { addSender } from '../database/queries/senders.ts';
import { findOpenTransfers } from '../database/queries/transfers.ts';
import { inTransaction, type Deps } from '../domain/deps.ts';
import { failPayout, lockPayout } from '../domain/payout-steps.ts';
import type { Worker } from '../loop.ts';
import { createContext, type Context, type SenderOptions, type Unmined } from './context.ts';
import { followTransfers, type Followed } from './follow-transfers.ts';
import { acquire, acquireGas, cover, payFromGasWallet, type Funding } from './fund-payouts.ts';
import { payerOf, readPurse, signTransfer } from './sign-transfer.ts';
import { openWallets } from './wallets.ts';

export type { SenderOptions, TestChain } from './context.ts';

/** Payouts looked at in one round. */
const BATCH = 50;
/** Blocks are mined so often for one set of transactions; a node that holds them back is not mined into the ground. */
const MINE_AT_MOST = 5;
/** After so many transactions that were mined and moved nothing, there will be none that does. */
const MAX_FAILURES = 3;

/**
 * Makes the sender of one network. One round follows what was sent and signs what can be paid; several processes may
 * run it at once. Throws `ChainUnavailable` when the node does not answer: nothing is decided then.
 */
export function createTransferSender(deps: Deps, options: SenderOptions): Worker {
  let opened: Promise<Context> | null = null;
  const open = () => {
    opened ??= openContext(deps, options).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
  const mine = createMiner();

  return {
    name: `send-transfers ${options.chain.adapter.network}`,
    async processNext() {
      const ctx = await open();
      const before = await followTransfers(ctx);
      const helped = await helpShort(ctx, before);
      const signed = await payDue(ctx, before.unmined);
      // What was just signed is sent at once.
      const after = signed ? await followTransfers(ctx) : before;
      const mined = await mine(ctx, after);
      return [before.progressed, after.progressed, helped, signed, mined].some(Boolean);
    },
  };
}

/** Makes the hot and the gas wallet known, so that the watcher books what is sent to them. */
async function openContext(deps: Deps, options: SenderOptions): Promise<Context> {
  const { adapter } = options.chain;
  const wallets = await openWallets(options.signer, options.chain);
  const { hot, gas } = wallets;
  const nonces = await adapter.nonces([hot.key, gas.key]);
  for (const { key, role } of [hot, gas])
    await addSender(deps.db.em, adapter.network, { key, role, nonce: nonces.get(key) ?? 0 });
  return createContext(deps, options, wallets);
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
  if (purse.units < amount) return acquire(ctx, currency, amount - purse.units, unmined);
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

/** Fails a payout that cannot be carried out; nothing of it is under way, which is looked at once more under its lock. */
async function giveUp({ deps }: Context, payout: DuePayout, reason: string): Promise<Funding> {
  const failed = await inTransaction(deps, async (em) => {
    const { payout: locked } = await lockPayout(em, payout.id);
    // One that was COMPLETED before a reorganisation is booked as paid: it stays owed, for its operator to look at.
    if (locked.completedAt != null || (await hasLiveTransfer(em, payout.id))) return false;
    await failPayout(deps, em, payout.id, reason, { reverted: payout.failures > 0 });
    return true;
  });
  deps.log.warn(
    { payoutId: payout.id, reason },
    failed ? 'a payout failed and is released' : 'a payout cannot be sent',
  );
  deps.signals.events();
  return failed ? 'signed' : 'coming';
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

/** Mines the sandbox's chain until what the node has is final. */
function createMiner() {
  let last = '';
  let times = 0;
  return async ({ devChain, chain, deps }: Context, { unmined, blocksWanted }: Followed): Promise<boolean> => {
    if (!devChain) return false;
    if (blocksWanted === 0) {
      last = '';
      return false;
    }
    const name = `${unmined.map(({ txHash }) => txHash).join()}/${String(blocksWanted)}`;
    times = name === last ? times + 1 : 0;
    last = name;
    if (times >= MINE_AT_MOST) return false;
    await devChain.mine(blocksWanted);
    deps.signals.chain(chain.adapter.network);
    return true;
  };
}
