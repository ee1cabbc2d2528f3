// Follows our signed transactions to the end: sends them until a block has them, records the result once it is final,
// and reopens them when their block leaves the chain. What the node does not answer stays as it is and is asked again.

import type { BlockRef } from '../../chain/blocks.ts';
import { ChainUnavailable, NotTaken, TransactionRefused } from '../../chain/errors.ts';
import {
  findDoubtful,
  findOpenTransactions,
  hasPaid,
  markExpired,
  markRefused,
  markSent,
  markFinal,
  reopen,
  type TransactionRow,
} from '../../database/queries/payouts/transactions.ts';
import { hasLiveTransaction } from '../../database/queries/payouts/due-payouts.ts';
import { readJournalLines } from '../../database/queries/payouts/signing-state.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction } from '../../domain/deps.ts';
import { takeBackFee, takeDownFee } from '../../domain/assets/fee-tokens.ts';
import { judgeReceipt } from '../../chain/judge-receipt.ts';
import { hold } from '../../domain/payouts/signing-gate.ts';
import { bookCost, reverseCost } from '../../domain/ledger/payout-entries.ts';
import { completePayout, endHold, lockPayout, markBroadcast } from '../../domain/payouts/lifecycle.ts';
import { bookOutflow, reverseOutflow, type Outflow } from '../../domain/ledger/recovery-entries.ts';
import { assetOf } from '../../values/assets.ts';
import { stuckAfterMsOf, type Context, type Followed, type Payer } from '../context.ts';
import { newestOfEach } from './sign.ts';
import { blocksToFinal, isAgreed, nonceOf, outcomeOf, type Reading } from './outcome.ts';

/** With more unreadable transactions than this, the node is at fault and the round ends. */
const UNREAD_AT_MOST = 2;

/** One round over all open transactions. Throws `ChainUnavailable` when the node cannot be asked at all. */
export async function followTransactions(ctx: Context, payer: Payer): Promise<Followed> {
  const { adapter, requiredConfirmations } = ctx.chain;
  const em = ctx.deps.db.em;
  // While the book may be older than what was signed, transactions are only observed.
  const isClear = ctx.comparison.isClear();
  let progressed = isClear && (await reopenOrphaned(ctx, payer));
  const open = await findOpenTransactions(em, adapter.network);
  if (open.length === 0) return { progressed, unmined: [], underfunded: [], blocksWanted: 0 };
  const tip = await adapter.tip();
  const mined = new Set<string>();
  const unread = new Set<string>();
  let blocksWanted = 0;
  for (const row of open) {
    try {
      const read = await readMined(ctx, payer, row, { open, tip });
      if (read === null) continue;
      mined.add(nonceOf(row));
      blocksWanted = Math.max(blocksWanted, read.blocksWanted);
      progressed ||= read.progressed;
    } catch (error) {
      // One unreadable transaction must not stop the others; several mean that the node cannot be asked.
      if (!(error instanceof ChainUnavailable) || unread.size === UNREAD_AT_MOST) throw error;
      unread.add(nonceOf(row));
      ctx.warn(
        `follow ${row.id}`,
        { err: error, transferId: row.id, txHash: row.txHash },
        'a transaction cannot be read',
      );
    }
  }
  if (!isClear) return { progressed, unmined: [], underfunded: [], blocksWanted: 0 };
  // A transaction that was found on the chain without its raw bytes can be neither sent again nor outbid.
  const unmined = newestOfEach(open).filter((row) => !mined.has(nonceOf(row)) && row.raw !== '');
  await recordInJournal(ctx, unmined);
  const underfunded: TransactionRow[] = [];
  for (const row of unmined.filter((one) => !unread.has(nonceOf(one)))) {
    if (await orFalse(ctx, row, () => expire(ctx, payer, row))) {
      progressed = true;
      continue;
    }
    const answer = await send(ctx, row);
    if (answer === 'held') blocksWanted = Math.max(blocksWanted, requiredConfirmations);
    if (answer === 'short') underfunded.push(row);
    progressed = (await orFalse(ctx, row, () => replaceIfStuck(ctx, payer, row))) || progressed;
  }
  return { progressed, unmined, underfunded, blocksWanted };
}

/** Records the result of a mined transaction once it counts; null while no block has it. */
async function readMined(
  ctx: Context,
  payer: Payer,
  row: TransactionRow,
  { open, tip }: { open: readonly TransactionRow[]; tip: BlockRef },
): Promise<{ blocksWanted: number; progressed: boolean } | null> {
  const { adapter, requiredConfirmations } = ctx.chain;
  const receipt = await adapter.receipt(row.txHash, row.recipientKey);
  if (!receipt) return null;
  const missing = requiredConfirmations - (tip.height - receipt.block.height + 1);
  if (missing > 0) return { blocksWanted: missing, progressed: false };
  // A receipt is one node's answer at one moment; the block's hash at its height is what counts.
  if (!(await adapter.isCanonical(receipt.block))) return { blocksWanted: 0, progressed: false };
  const judged = judgeReceipt(row, receipt, ctx.coin.currency);
  const reading = { receipt, judged, outcome: outcomeOf(row, judged), open };
  let above = 0;
  const counts = await orFalse(ctx, row, async () => {
    above = await blocksToFinal(ctx, row, reading);
    return above <= 0 && isAgreed(ctx, row, reading);
  });
  const progressed = counts && (await finalise(ctx, payer, row, reading));
  return { blocksWanted: Math.max(0, above), progressed };
}

/** Asks about one transaction; false if the nodes do not answer, so that the others are still looked at. */
async function orFalse(ctx: Context, row: TransactionRow, ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
    const { id, purpose, payoutId, txHash } = row;
    ctx.warn(
      `follow ${id}`,
      { err: error, transferId: id, purpose, payoutId, txHash },
      'a transaction waits for the nodes',
    );
    return false;
  }
}

/**
 * Records the result of a mined transaction, exactly once: books its cost, closes the transactions with its nonce, and
 * completes its payout.
 */
async function finalise(ctx: Context, payer: Payer, row: TransactionRow, reading: Reading): Promise<boolean> {
  const { receipt, judged, outcome: status } = reading;
  const { deps, chain, coin } = ctx;
  const { block, cost } = receipt;
  const { payoutId } = row;
  const isRecorded = await inTransaction(deps, async (em) => {
    // The payout is locked first, as everywhere.
    if (payoutId !== null) await lockPayout(em, payoutId);
    const turn = await markFinal(em, chain.adapter.network, row, { status, block, cost });
    if (turn === null) return false;
    await bookCost(em, { txHash: row.txHash, coin, amount: cost, turn }, deps.clock.now());
    if (row.purpose === 'OUTFLOW' && status === 'CONFIRMED')
      await bookOutflow(em, outflowOf(chain, row, turn), deps.clock.now());
    const isShort = judged.verdict === 'FEE_TAKEN';
    if (isShort) await takeDownFee(deps, em, { network: chain.adapter.network, row, turn }, judged);
    if (payoutId !== null && status === 'CONFIRMED') await completePayout(deps, em, payoutId, row.txHash);
    if (payoutId !== null && status === 'UNCLEAR') await hold(deps, em, payoutId, 'RESULT_UNCLEAR');
    await payer.onFinal(em, row, { status, cost, left: isShort && judged.left > 0n ? judged.left : row.amount });
    return true;
  });
  if (!isRecorded) return false;
  deps.signals.events();
  const { network } = chain.adapter;
  const fields = { transferId: row.id, purpose: row.purpose, payoutId, txHash: row.txHash, block };
  if (status === 'CONFIRMED') deps.log.info({ network, ...fields }, 'transaction confirmed');
  else if (status === 'FAILED') ctx.warn(row.id, fields, 'a transaction was mined and moved nothing');
  else
    deps.log.error(
      { network, ...fields },
      'it is unclear what a payout moved: check its transaction and end the payout',
    );
  return true;
}

function outflowOf({ adapter }: Context['chain'], { txHash, currency, amount }: TransactionRow, turn: number): Outflow {
  return { txHash, asset: assetOf({ currency, network: adapter.network }), amount, turn };
}

/** Records in the journal what is about to be sent, all at once, before any node sees it. */
async function recordInJournal({ deps, journal }: Context, rows: readonly TransactionRow[]): Promise<void> {
  const missing = rows.filter(({ txHash }) => journal?.has(txHash) === false);
  if (!journal || missing.length === 0) return;
  const ids = missing.map(({ id }) => id);
  const lines = await readJournalLines(deps.db.em, ids);
  if (lines.length < ids.length) throw new Error('The book has lost transactions that were about to be sent');
  await journal.append(lines);
}

/** `held` when the node has it, `short` when the sender cannot pay for it, `unknown` otherwise. */
async function send(ctx: Context, row: TransactionRow): Promise<'held' | 'short' | 'unknown'> {
  const { adapter } = ctx.chain;
  try {
    const isNew = row.status === 'SIGNED' || row.broadcastAt === null;
    if (isNew || (await adapter.txState(row.txHash)).kind === 'unknown') await broadcast(ctx, row);
    if (isNew || row.refusal !== null) await recordSent(ctx, row);
    return 'held';
  } catch (error) {
    if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
    const fields = { err: error, transferId: row.id, purpose: row.purpose, txHash: row.txHash };
    ctx.warn(`send ${row.id}`, fields, 'a transaction could not be sent; it will be tried again');
    const refusal = error instanceof TransactionRefused ? error.reason : error instanceof NotTaken ? 'OTHER' : null;
    if (refusal !== null) await recordRefused(ctx, row, refusal);
    // The development chain refuses without a reason; trying to fund the sender does no harm.
    const isShort = error instanceof TransactionRefused ? refusal === 'FUNDS' : ctx.devChain !== undefined;
    return isShort ? 'short' : 'unknown';
  }
}

/** Broadcasts a transaction. The development chain does not say why it refuses one; its node does. */
async function broadcast({ chain, devChain }: Context, { raw }: TransactionRow): Promise<void> {
  if (!devChain) return void (await chain.adapter.broadcast(raw));
  try {
    await devChain.sendRaw(raw);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    await chain.adapter.broadcast(raw);
  }
}

async function recordSent({ deps }: Context, { id, payoutId, refusal }: TransactionRow): Promise<void> {
  await markSent(deps.db.em, id, deps.clock.now());
  if (payoutId !== null && refusal !== null) await endHold(deps.db.em, payoutId, ['NOT_ACCEPTED', 'MISSING_GAS']);
}

/**
 * Records a refusal. It proves nothing, because another node may have taken the transaction; it only sets the time from
 * which to act.
 */
async function recordRefused({ deps }: Context, row: TransactionRow, refusal: string): Promise<void> {
  const { id, payoutId } = row;
  await inTransaction(deps, async (em) => {
    if (payoutId !== null) await lockPayout(em, payoutId);
    if (!(await markRefused(em, id, refusal, deps.clock.now())) || payoutId === null || refusal === 'NONCE') return;
    await hold(deps, em, payoutId, refusal === 'FUNDS' ? 'MISSING_GAS' : 'NOT_ACCEPTED', 0);
  });
}

/**
 * Marks a transaction that can never be mined as expired, so that its payout is due again. The money that it would have
 * spent is free from now on, because it no longer counts as waiting.
 */
async function expire({ chain, deps }: Context, payer: Payer, row: TransactionRow): Promise<boolean> {
  const { adapter } = chain;
  const { id, payoutId, txHash } = row;
  if (!(await payer.isDead(row))) return false;
  const expired = await inTransaction(deps, async (em) => {
    if (payoutId !== null) await lockPayout(em, payoutId);
    return markExpired(em, id);
  });
  if (expired) deps.log.warn({ network: adapter.network, transferId: id, payoutId, txHash }, 'a transaction expired');
  return expired;
}

/** Replaces a transaction that has waited too long, or that the node refuses. */
async function replaceIfStuck(ctx: Context, payer: Payer, row: TransactionRow): Promise<boolean> {
  const { chain, deps } = ctx;
  // One refused for lack of money is estimated again in the end, if its sender could not be funded.
  const isRefused = chain.adapter.model === 'ACCOUNT' && row.refusal !== null;
  const since = isRefused ? row.refusedAt : row.broadcastAt;
  if (since === null || !(isRefused || row.status === 'BROADCAST')) return false;
  const waitsLong = !isRefused || row.refusal === 'FUNDS';
  if (waitsLong && deps.clock.now().getTime() - since.getTime() < stuckAfterMsOf(ctx)) return false;
  const replaced = await payer.replace(row);
  const fields = { network: chain.adapter.network, txHash: row.txHash, refusal: row.refusal };
  if (replaced) deps.log.warn(fields, 'another transaction was signed in the place of a stuck one');
  return replaced;
}

/** Reopens transactions whose result was recorded from a block that left the chain. */
async function reopenOrphaned(ctx: Context, payer: Payer): Promise<boolean> {
  const { adapter } = ctx.chain;
  let progressed = false;
  for (const row of await findDoubtful(ctx.deps.db.em, adapter.network)) {
    const receipt = await adapter.receipt(row.txHash);
    // Either the watcher has not read that far, or the same block came back.
    if (receipt?.block.hash === row.blockHash && (await adapter.isCanonical(receipt.block))) continue;
    progressed = (await inTransaction(ctx.deps, (em) => reopenTransaction(ctx, payer, em, row))) || progressed;
  }
  return progressed;
}

async function reopenTransaction(ctx: Context, payer: Payer, em: EntityManager, row: TransactionRow): Promise<boolean> {
  const { chain, deps, coin } = ctx;
  const { payoutId, txHash, cost, turn } = row;
  const payout = payoutId === null ? null : (await lockPayout(em, payoutId)).payout;
  const isResolvedOtherwise =
    row.status === 'FAILED' &&
    payout !== null &&
    (payout.status === 'FAILED' || (await hasLiveTransaction(em, payout.id)));
  if (!(await reopen(em, chain.adapter.network, row))) return false;
  if (cost !== null) await reverseCost(em, { txHash, coin, amount: cost, turn }, deps.clock.now());
  if (row.purpose === 'OUTFLOW' && row.status === 'CONFIRMED')
    await reverseOutflow(em, outflowOf(chain, row, turn), deps.clock.now());
  await takeBackFee(deps, em, { network: chain.adapter.network, row, turn });
  // It moved nothing, and another transaction pays instead or the money was released: sent again, it might pay after
  // all.
  if (isResolvedOtherwise) await payer.retire(em, row);
  // A recovery may have found another transaction that paid it.
  else if (payoutId !== null && !(await hasPaid(em, payoutId))) await markBroadcast(deps, em, payoutId, txHash);
  if (row.status === 'CONFIRMED' || row.status === 'FAILED')
    await payer.onReopened(em, row, {
      status: row.status,
      cost: cost ?? 0n,
      left: row.moved > 0n ? row.moved : row.amount,
    });
  deps.log.warn(
    { network: chain.adapter.network, transferId: row.id, txHash },
    'the block of a transaction left the chain',
  );
  return true;
}
