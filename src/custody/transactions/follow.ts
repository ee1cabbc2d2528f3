// Follows our signed transactions to the end: sent until a block has them, settled once they are final, taken up again
// when their block leaves the chain. What the node does not say stays as it is, to be asked again.

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
  type TransferRow,
} from '../../database/queries/payouts/transactions.ts';
import { hasLiveTransaction } from '../../database/queries/payouts/due-payouts.ts';
import { readJournalLines } from '../../database/queries/payouts/signing.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction } from '../../domain/deps.ts';
import { takeBackFee, takeDownFee } from '../../domain/assets/fee-tokens.ts';
import { judgeReceipt } from '../../chain/judge-receipt.ts';
import { hold } from '../../domain/payouts/signing-gate.ts';
import { bookCost, reverseCost } from '../../domain/ledger/payout-entries.ts';
import { completePayout, endHold, lockPayout, markBroadcast } from '../../domain/payouts/lifecycle.ts';
import { bookOutflow, reverseOutflow, type Outflow } from '../../domain/witness/recovered-payouts.ts';
import { assetOf } from '../../values/assets.ts';
import { stuckAfterMsOf, type Context, type Followed, type Payer } from '../context.ts';
import { newestOfEach } from './sign.ts';
import { blocksToFinal, isAgreed, nonceOf, outcomeOf, type Reading } from './outcome.ts';

/** More transactions that cannot be read are no fault of theirs: the round ends. */
const UNREAD_AT_MOST = 2;

/** One round over all open transactions. Throws `ChainUnavailable` when the node cannot be asked at all. */
export async function followTransfers(ctx: Context, payer: Payer): Promise<Followed> {
  const { adapter, requiredConfirmations } = ctx.chain;
  const em = ctx.deps.db.em;
  // Only looked at while the book may be older than what was signed.
  const isClear = ctx.comparison.isClear();
  let progressed = isClear && (await takeUpLost(ctx, payer));
  const open = await findOpenTransactions(em, adapter.network);
  if (open.length === 0) return { progressed, unmined: [], short: [], blocksWanted: 0 };
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
      // What cannot be read of one is no matter of the others; what can be read of none, is.
      if (!(error instanceof ChainUnavailable) || unread.size === UNREAD_AT_MOST) throw error;
      unread.add(nonceOf(row));
      ctx.warn(`follow ${row.id}`, { err: error, transferId: row.id, txHash: row.txHash }, 'a transfer cannot be read');
    }
  }
  if (!isClear) return { progressed, unmined: [], short: [], blocksWanted: 0 };
  // What was found on the chain and is not at hand cannot be sent again, nor outbid.
  const unmined = newestOfEach(open).filter((row) => !mined.has(nonceOf(row)) && row.raw !== '');
  await writeDown(ctx, unmined);
  const short: TransferRow[] = [];
  for (const row of unmined.filter((one) => !unread.has(nonceOf(one)))) {
    if (await orFalse(ctx, row, () => expire(ctx, payer, row))) {
      progressed = true;
      continue;
    }
    const answer = await send(ctx, row);
    if (answer === 'held') blocksWanted = Math.max(blocksWanted, requiredConfirmations);
    if (answer === 'short') short.push(row);
    progressed = (await orFalse(ctx, row, () => replaceIfStuck(ctx, payer, row))) || progressed;
  }
  return { progressed, unmined, short, blocksWanted };
}

/** Settles a transaction that a block has, when what it did counts; null while no block has it. */
async function readMined(
  ctx: Context,
  payer: Payer,
  row: TransferRow,
  { open, tip }: { open: readonly TransferRow[]; tip: BlockRef },
): Promise<{ blocksWanted: number; progressed: boolean } | null> {
  const { adapter, requiredConfirmations } = ctx.chain;
  const receipt = await adapter.receipt(row.txHash, row.recipientKey);
  if (!receipt) return null;
  const missing = requiredConfirmations - (tip.height - receipt.block.height + 1);
  if (missing > 0) return { blocksWanted: missing, progressed: false };
  // A receipt is the word of the node at one moment; the block's hash at its height is what counts.
  if (!(await adapter.isCanonical(receipt.block))) return { blocksWanted: 0, progressed: false };
  const judged = judgeReceipt(row, receipt, ctx.coin.currency);
  const reading = { receipt, judged, outcome: outcomeOf(row, judged), open };
  let above = 0;
  const counts = await orFalse(ctx, row, async () => {
    above = await blocksToFinal(ctx, row, reading);
    return above <= 0 && isAgreed(ctx, row, reading);
  });
  const progressed = counts && (await settle(ctx, payer, row, reading));
  return { blocksWanted: Math.max(0, above), progressed };
}

/**
 * The answer to a question about one transaction; what the nodes do not say of it stays open, and the next is asked
 * about.
 */
async function orFalse(ctx: Context, row: TransferRow, ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
    const { id, purpose, payoutId, txHash } = row;
    ctx.warn(
      `follow ${id}`,
      { err: error, transferId: id, purpose, payoutId, txHash },
      'a transfer waits for the nodes',
    );
    return false;
  }
}

/** Settles a mined transaction, once: its cost is booked, its rivals are replaced, and its payout is completed. */
async function settle(ctx: Context, payer: Payer, row: TransferRow, reading: Reading): Promise<boolean> {
  const { receipt, judged, outcome: status } = reading;
  const { deps, chain, coin } = ctx;
  const { block, cost } = receipt;
  const { payoutId } = row;
  const settled = await inTransaction(deps, async (em) => {
    // The payout first, as everybody who takes both does.
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
    await payer.settled(em, row, { status, cost, left: isShort && judged.left > 0n ? judged.left : row.amount });
    return true;
  });
  if (!settled) return false;
  deps.signals.events();
  const { network } = chain.adapter;
  const fields = { transferId: row.id, purpose: row.purpose, payoutId, txHash: row.txHash, block };
  if (status === 'CONFIRMED') deps.log.info({ network, ...fields }, 'transfer confirmed');
  else if (status === 'FAILED') ctx.warn(row.id, fields, 'a transfer was mined and moved nothing');
  else
    deps.log.error({ network, ...fields }, 'nobody can read what a payout moved: look at its transaction and end it');
  return true;
}

function outflowOf({ adapter }: Context['chain'], { txHash, currency, amount }: TransferRow, turn: number): Outflow {
  return { txHash, asset: assetOf({ currency, network: adapter.network }), amount, turn };
}

/** Writes down what is about to be sent, all of it at once, before any node sees it. */
async function writeDown({ deps, journal }: Context, rows: readonly TransferRow[]): Promise<void> {
  const missing = rows.filter(({ txHash }) => journal?.has(txHash) === false);
  if (!journal || missing.length === 0) return;
  const ids = missing.map(({ id }) => id);
  const lines = await readJournalLines(deps.db.em, ids);
  if (lines.length < ids.length) throw new Error('The book has lost transactions that were about to be sent');
  await journal.append(lines);
}

/** `held` when the node has it, `short` when the sender cannot pay for it, `unknown` otherwise. */
async function send(ctx: Context, row: TransferRow): Promise<'held' | 'short' | 'unknown'> {
  const { adapter } = ctx.chain;
  try {
    const isNew = row.status === 'SIGNED' || row.broadcastAt === null;
    if (isNew || (await adapter.txState(row.txHash)).kind === 'unknown') await hand(ctx, row);
    if (isNew || row.refusal !== null) await takeDownSent(ctx, row);
    return 'held';
  } catch (error) {
    if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
    const fields = { err: error, transferId: row.id, purpose: row.purpose, txHash: row.txHash };
    ctx.warn(`send ${row.id}`, fields, 'a transfer could not be sent; it will be tried again');
    const refusal = error instanceof TransactionRefused ? error.reason : error instanceof NotTaken ? 'OTHER' : null;
    if (refusal !== null) await takeDownRefused(ctx, row, refusal);
    // The development chain's own refusals come without a reason; looking at the purse does no harm.
    const isShort = error instanceof TransactionRefused ? refusal === 'FUNDS' : ctx.devChain !== undefined;
    return isShort ? 'short' : 'unknown';
  }
}

/** The development chain does not say why it refuses a transaction; its node does. */
async function hand({ chain, devChain }: Context, { raw }: TransferRow): Promise<void> {
  if (!devChain) return void (await chain.adapter.broadcast(raw));
  try {
    await devChain.sendRaw(raw);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    await chain.adapter.broadcast(raw);
  }
}

async function takeDownSent({ deps }: Context, { id, payoutId, refusal }: TransferRow): Promise<void> {
  await markSent(deps.db.em, id, deps.clock.now());
  if (payoutId !== null && refusal !== null) await endHold(deps.db.em, payoutId, ['NOT_ACCEPTED', 'MISSING_GAS']);
}

/** A refusal proves nothing: another node may have taken the transaction. It only says since when to do something. */
async function takeDownRefused({ deps }: Context, row: TransferRow, refusal: string): Promise<void> {
  const { id, payoutId } = row;
  await inTransaction(deps, async (em) => {
    if (payoutId !== null) await lockPayout(em, payoutId);
    if (!(await markRefused(em, id, refusal, deps.clock.now())) || payoutId === null || refusal === 'NONCE') return;
    await hold(deps, em, payoutId, refusal === 'FUNDS' ? 'MISSING_GAS' : 'NOT_ACCEPTED', 0);
  });
}

/**
 * Gives up a transaction that no block can take any more: what it was to pay is due again. What took its money to be
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

/** Has another signed for a transaction that the node has had for long, or refuses. */
async function replaceIfStuck(ctx: Context, payer: Payer, row: TransferRow): Promise<boolean> {
  const { chain, deps } = ctx;
  // Whom nobody can help out is estimated anew in the end.
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
    (payout.status === 'FAILED' || (await hasLiveTransaction(em, payout.id)));
  if (!(await reopen(em, chain.adapter.network, row))) return false;
  if (cost !== null) await reverseCost(em, { txHash, coin, amount: cost, turn }, deps.clock.now());
  if (row.purpose === 'OUTFLOW' && row.status === 'CONFIRMED')
    await reverseOutflow(em, outflowOf(chain, row, turn), deps.clock.now());
  await takeBackFee(deps, em, { network: chain.adapter.network, row, turn });
  // It moved nothing, and another one pays in its stead or the money was released: sent again, it might pay after all.
  if (isSettledOtherwise) await payer.retire(em, row);
  // A recovery may have found another one that paid it.
  else if (payoutId !== null && !(await hasPaid(em, payoutId))) await markBroadcast(deps, em, payoutId, txHash);
  if (row.status === 'CONFIRMED' || row.status === 'FAILED')
    await payer.unsettled(em, row, {
      status: row.status,
      cost: cost ?? 0n,
      left: row.moved > 0n ? row.moved : row.amount,
    });
  deps.log.warn({ network: chain.adapter.network, transferId: row.id, txHash }, 'the block of a transfer is gone');
  return true;
}
