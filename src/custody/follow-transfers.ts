// Follows our signed transactions to the end: sent until a block has them, settled once they are final, taken up again
// when their block leaves the chain. What the node does not say stays as it is, to be asked again.

import { ChainUnavailable, TransactionRefused, type BlockRef, type Receipt } from '../chain/adapter.ts';
import {
  findDoubtful,
  findOpenTransfers,
  markExpired,
  markSent,
  markSettled,
  reopen,
  type TransferRow,
} from '../database/queries/transfers.ts';
import { hasLiveTransfer } from '../database/queries/due-payouts.ts';
import type { EntityManager } from '../database/connection.ts';
import { inTransaction } from '../domain/deps.ts';
import { bookCost, reverseCost } from '../domain/payout-ledger.ts';
import { completePayout, lockPayout, markBroadcast } from '../domain/payout-steps.ts';
import type { Context, Followed, Payer } from './context.ts';
import { newestOfEach } from './sign-transfer.ts';

const STUCK_AFTER_MS = 10 * 60_000;

/** One round over all open transactions. Throws `ChainUnavailable` when the node cannot be asked at all. */
export async function followTransfers(ctx: Context, payer: Payer): Promise<Followed> {
  const { adapter, requiredConfirmations } = ctx.chain;
  const em = ctx.deps.db.em;
  let progressed = await takeUpLost(ctx, payer);
  const open = await findOpenTransfers(em, adapter.network);
  if (open.length === 0) return { progressed, unmined: [], short: [], blocksWanted: 0 };
  const tip = await adapter.tip();
  const mined = new Set<string>();
  let blocksWanted = 0;
  for (const row of open) {
    const receipt = await adapter.receipt(row.txHash);
    if (!receipt) continue;
    mined.add(nonceOf(row));
    const missing = requiredConfirmations - (tip.height - receipt.block.height + 1);
    if (missing > 0) blocksWanted = Math.max(blocksWanted, missing);
    else if (await isFinal(ctx, receipt.block)) progressed = (await settle(ctx, row, receipt)) || progressed;
  }
  const unmined = newestOfEach(open).filter((row) => !mined.has(nonceOf(row)));
  const short: TransferRow[] = [];
  for (const row of unmined) {
    if (await expire(ctx, payer, row)) {
      progressed = true;
      continue;
    }
    const answer = await send(ctx, row);
    if (answer === 'held') blocksWanted = Math.max(blocksWanted, requiredConfirmations);
    if (answer === 'short') short.push(row);
    progressed = (await replaceIfStuck(ctx, payer, row)) || progressed;
  }
  return { progressed, unmined, short, blocksWanted };
}

const nonceOf = ({ senderKey, nonce }: TransferRow): string => `${senderKey}/${String(nonce)}`;

/** A receipt is the word of the node at one moment; the block's hash at its height is what counts. */
async function isFinal({ chain }: Context, block: BlockRef): Promise<boolean> {
  return chain.adapter.isCanonical(block);
}

/** Settles a mined transaction, once: its cost is booked, its rivals are replaced, and its payout is completed. */
async function settle(ctx: Context, row: TransferRow, receipt: Receipt): Promise<boolean> {
  const { deps, chain, coin } = ctx;
  const { block, cost } = receipt;
  const status = hasMoved(ctx, row, receipt) ? 'CONFIRMED' : 'FAILED';
  const settled = await inTransaction(deps, async (em) => {
    // The payout first, as everybody who takes both does.
    if (row.payoutId !== null) await lockPayout(em, row.payoutId);
    const turn = await markSettled(em, chain.adapter.network, row, { status, block, cost });
    if (turn === null) return false;
    await bookCost(em, { txHash: row.txHash, coin, amount: cost, turn }, deps.clock.now());
    if (row.payoutId !== null && status === 'CONFIRMED') await completePayout(deps, em, row.payoutId, row.txHash);
    return true;
  });
  if (!settled) return false;
  deps.signals.events();
  const fields = { transferId: row.id, purpose: row.purpose, payoutId: row.payoutId, txHash: row.txHash, block };
  if (status === 'CONFIRMED') deps.log.info({ network: chain.adapter.network, ...fields }, 'transfer confirmed');
  else ctx.warn(row.id, fields, 'a transfer was mined and moved nothing');
  return true;
}

/** Some tokens fail without reverting, so a token's own log decides. */
function hasMoved({ coin }: Context, row: TransferRow, { succeeded, paid }: Receipt): boolean {
  if (!succeeded || row.currency === coin.currency) return succeeded;
  const { recipientKey, currency, amount } = row;
  return paid.some(
    (transfer) => transfer.addressKey === recipientKey && transfer.currency === currency && transfer.amount === amount,
  );
}

/** `held` when the node has it, `short` when the sender cannot pay for it, `unknown` otherwise. */
async function send(ctx: Context, row: TransferRow): Promise<'held' | 'short' | 'unknown'> {
  const { adapter } = ctx.chain;
  try {
    const isNew = row.status === 'SIGNED' || row.broadcastAt === null;
    if (isNew || (await adapter.txState(row.txHash)).kind === 'unknown') await hand(ctx, row);
    if (isNew) await markSent(ctx.deps.db.em, row.id, ctx.deps.clock.now());
    return 'held';
  } catch (error) {
    if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
    const fields = { err: error, transferId: row.id, purpose: row.purpose, txHash: row.txHash };
    ctx.warn(`send ${row.id}`, fields, 'a transfer could not be sent; it will be tried again as it is');
    // The development chain's own refusals come without a reason; looking at the purse does no harm.
    const isShort = error instanceof TransactionRefused ? error.reason === 'FUNDS' : ctx.devChain !== undefined;
    return isShort ? 'short' : 'unknown';
  }
}

async function hand({ chain, devChain }: Context, { raw }: TransferRow): Promise<void> {
  if (devChain) await devChain.sendRaw(raw);
  else await chain.adapter.broadcast(raw);
}

/**
 * Gives up a transaction that no block can take any more: what it was to pay is due again. Whoever took its money to be
 * spent finds it again, because it does not count as waiting from now on.
 */
async function expire({ chain, deps }: Context, payer: Payer, row: TransferRow): Promise<boolean> {
  const { adapter } = chain;
  const { id, payoutId, txHash } = row;
  if (!(await payer.isDead(row))) return false;
  const expired = await inTransaction(deps, async (em) => {
    if (payoutId !== null) await lockPayout(em, payoutId);
    return markExpired(em, id);
  });
  if (expired) deps.log.warn({ network: adapter.network, transferId: id, payoutId, txHash }, 'a transfer expired');
  return expired;
}

/** Offers more for a transaction that the node has had for long. */
async function replaceIfStuck(ctx: Context, payer: Payer, row: TransferRow): Promise<boolean> {
  const { chain, deps, stuckAfterMs = STUCK_AFTER_MS } = ctx;
  if (row.status !== 'BROADCAST' || row.broadcastAt === null) return false;
  if (deps.clock.now().getTime() - row.broadcastAt.getTime() < stuckAfterMs) return false;
  const replaced = await payer.replace(row);
  if (replaced) deps.log.warn({ network: chain.adapter.network, txHash: row.txHash }, 'a stuck transfer offers more');
  return replaced;
}

/** Takes up again what was settled in a block that left the chain. */
async function takeUpLost(ctx: Context, payer: Payer): Promise<boolean> {
  const { adapter } = ctx.chain;
  let progressed = false;
  for (const row of await findDoubtful(ctx.deps.db.em, adapter.network)) {
    const receipt = await adapter.receipt(row.txHash);
    // The watcher has not read that far, or the same block came back.
    if (receipt?.block.hash === row.blockHash && (await adapter.isCanonical(receipt.block))) continue;
    progressed = (await inTransaction(ctx.deps, (em) => takeUp(ctx, payer, em, row))) || progressed;
  }
  return progressed;
}

async function takeUp(ctx: Context, payer: Payer, em: EntityManager, row: TransferRow): Promise<boolean> {
  const { chain, deps, coin } = ctx;
  const { payoutId, txHash, cost, turn } = row;
  const payout = payoutId === null ? null : (await lockPayout(em, payoutId)).payout;
  const isSettledOtherwise =
    row.status === 'FAILED' &&
    payout !== null &&
    (payout.status === 'FAILED' || (await hasLiveTransfer(em, payout.id)));
  if (!(await reopen(em, chain.adapter.network, row))) return false;
  if (cost !== null) await reverseCost(em, { txHash, coin, amount: cost, turn }, deps.clock.now());
  // It moved nothing, and another one pays in its stead or the money was released: sent again, it might pay after all.
  if (isSettledOtherwise) await payer.retire(em, row);
  else if (payoutId !== null) await markBroadcast(deps, em, payoutId, txHash);
  deps.log.warn({ network: chain.adapter.network, transferId: row.id, txHash }, 'the block of a transfer is gone');
  return true;
}
