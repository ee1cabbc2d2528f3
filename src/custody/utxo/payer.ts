// Pays where money lies in outputs of transactions: each payout spends outputs of ours, of deposit addresses and of
// change alike, and leaves what remains to the hot wallet. There is no gas to buy.

import type { UtxoAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import type { DuePayout } from '../../database/queries/payouts/due-payouts.ts';
import {
  findLostParents,
  findOwnParents,
  findSpent,
  isChangeSpent,
  markSpent,
  readRecipient,
} from '../../database/queries/payouts/utxos.ts';
import { addSender, readSender } from '../../database/queries/payouts/nonces.ts';
import type { TransferRow } from '../../database/queries/payouts/transactions.ts';
import type { Look, Payer, Unmined } from '../context.ts';
import { agreed, heightBeyondDoubt } from '../transactions/finality.ts';
import { giveUp } from '../fail-payout.ts';
import { lookAtPayouts } from '../look-at-payouts.ts';
import { park } from '../park.ts';
import { boundsOf, choose, hashOf, readCoins, unminedNow, type Candidate } from './coins.ts';
import { bringTogether, createQuietTime, type Brought } from './consolidate.ts';
import type { UtxoContext } from './context.ts';
import { createFiller, type Fill } from './fill.ts';
import { selectCoins, type Selection } from './select-coins.ts';
import { signRival, signSpend } from './sign.ts';

export function createUtxoPayer(ctx: UtxoContext): Payer {
  const { network } = ctx.chain.adapter;
  const fill = createFiller(ctx);
  const bringInQuietTime = createQuietTime(ctx);
  // Of one that was found on the chain and is not at hand, what it spends is known as taken alone.
  const mark = (row: TransferRow, em: Parameters<Payer['settled']>[0], spent: boolean) =>
    markSpent(em, network, row, row.raw === '' ? [] : ctx.chain.adapter.spendsOf(row.raw).split(','), spent);
  return {
    open: async () => {
      const { key, role } = ctx.wallets.hot;
      await addSender(ctx.deps.db.em, network, { key, role, nonce: 0 });
    },
    payDue: async (unmined) =>
      (await lookAtPayouts(ctx, (payout, progressed) => pay(ctx, payout, { fill, unmined, progressed }))) ||
      bringInQuietTime(unmined, () => readSequence(ctx)),
    tidyUp: () => bringInQuietTime([], () => readSequence(ctx)),
    // An output that is gone is brought back by nobody but its own transaction.
    helpShort: () => Promise.resolve(false),
    isDead: (row) => isDead(ctx, row),
    replace: (row) => replace(ctx, row),
    retire: () => Promise.reject(new Error('A transaction without contracts moves what it says, or is not mined')),
    settled: (em, row) => mark(row, em, true),
    unsettled: (em, row) => mark(row, em, false),
  };
}

/** Says that the hot wallet's money is spent from here on: what was signed since makes a decision void. */
async function readSequence({ deps, chain, wallets }: UtxoContext): Promise<number> {
  return (await readSender(deps.db.em, chain.adapter.network, wallets.hot.key)) ?? 0;
}

interface Round {
  readonly fill: Fill;
  readonly unmined: Unmined;
  /** Whether something was signed in it already. */
  readonly progressed: boolean;
}

async function pay(ctx: UtxoContext, payout: DuePayout, round: Round): Promise<Look> {
  const { adapter } = ctx.chain;
  const { id: payoutId, amount, address: to } = payout;
  if (!adapter.parseAddress(to)) return giveUp(ctx, payout, 'the address is not one of this chain');
  if (amount < adapter.dustOf(to)) return giveUp(ctx, payout, 'the amount is too small for nodes to pass on');
  const { maxPerGas: rate } = await adapter.fees();
  const sequence = await readSequence(ctx);
  const unmined = await unminedNow(ctx, round.unmined);
  const coins = await readCoins(ctx, unmined);
  const goal = { ...boundsOf(ctx, to, rate), amount };
  const chosen = await choose(ctx, coins, (left) => selectCoins(left, goal));
  if (chosen) {
    const spend = { payoutId, forPayoutId: null, to, amount, rate, ...chosen };
    return (await signSpend(ctx, spend, sequence)) ? 'over' : 'coming';
  }
  return wait(ctx, payout, round, await bringTogether(ctx, payout, { rate, sequence, coins, unmined }));
}

/** What comes of a payout that no transaction can pay now. */
async function wait(ctx: UtxoContext, payout: DuePayout, round: Round, brought: Brought): Promise<Look> {
  // What was signed in this round leaves change, which can be spent in the next.
  if (round.progressed && brought !== 'signed') return 'coming';
  if (brought === 'lacking' && (await round.fill(payout.amount)) === 'coming') return 'coming';
  if (brought === 'signed' || brought === 'coming') {
    await park(ctx, payout.id, 'MISSING_FUNDS');
    return brought === 'signed' ? 'acted' : 'coming';
  }
  const { address } = ctx.wallets.hot;
  const { id: payoutId, amount, currency } = payout;
  const fields = { address, payoutId, amount: amount.toString(), currency };
  const reason =
    brought === 'dear' ? 'spending the outputs that cover it costs too much' : 'what there is does not cover it';
  ctx.warn('lacking', fields, `a payout waits: ${reason}; send coin to the hot wallet`);
  return brought === 'dear' ? 'TOO_EXPENSIVE' : 'MISSING_FUNDS';
}

/**
 * A transaction is dead when another one spends what it spends, in a block that is beyond doubt, or when what it spends
 * comes of a transaction that is dead: a deposit's, or one of ours. What a refusal of the node says proves nothing. By
 * the word of two nodes where there are two.
 */
async function isDead(ctx: UtxoContext, row: TransferRow): Promise<boolean> {
  const { adapter } = ctx.chain;
  if (!(await isDeadTo(adapter, ctx, row))) return false;
  return agreed(adapter, (node) => (node.model === 'OUTPUTS' ? isDeadTo(node, ctx, row) : Promise.resolve(false)));
}

async function isDeadTo(
  adapter: UtxoAdapter,
  { chain: { requiredConfirmations }, deps }: UtxoContext,
  { raw, txHash }: TransferRow,
): Promise<boolean> {
  if ((await adapter.txState(txHash)).kind !== 'unknown') return false;
  const upTo = heightBeyondDoubt((await adapter.tip()).height, requiredConfirmations);
  const outpoints = adapter.spendsOf(raw).split(',');
  const parents = await findOwnParents(deps.db.em, adapter.network, outpoints.map(hashOf), upTo);
  if (parents.some(({ isGivenUp }) => isGivenUp)) return true;
  // What waits itself can be spent by nobody else.
  const waiting = new Set(parents.filter(({ isMined }) => !isMined).map((parent) => parent.txHash));
  const spends = outpoints.filter((outpoint) => !waiting.has(hashOf(outpoint))).join(',');
  if (spends === '') return false;
  const lost = await findLostParents(deps.db.em, adapter.network, outpoints.map(hashOf));
  for (const transaction of [{ txHash, spends }, ...lost])
    if ((await adapter.conflictAt(transaction, upTo)) !== null) return true;
  return false;
}

/**
 * Offers more for a transaction that no block takes: the same inputs and, where the change does not suffice, others
 * too.
 */
async function replace(ctx: UtxoContext, row: TransferRow): Promise<boolean> {
  const { adapter } = ctx.chain;
  const { em } = ctx.deps.db;
  const { payoutId, maxPerGas, tipPerGas, txHash } = row;
  // What spends its change is replaced instead, and offers enough for both.
  if (await isChangeSpent(em, adapter.network, row.id)) return false;
  try {
    const { maxPerGas: rate } = await adapter.fees({ maxPerGas, tipPerGas });
    const to = payoutId === null ? ctx.wallets.hot.address : await readRecipient(em, payoutId);
    const required = await readInputs(ctx, row);
    // Nothing that is not mined itself may be added (BIP-125, rule 2).
    const others = payoutId === null ? [] : (await readCoins(ctx, [])).filter(({ settled }) => settled);
    const select = (coins: readonly Candidate[]) =>
      payoutId === null
        ? wholeOf(required, rate, adapter.sizeOf(required.length, [to]))
        : selectCoins(coins, { ...boundsOf(ctx, to, rate), amount: row.amount, required });
    const chosen = await choose(ctx, others, select);
    const amount =
      payoutId === null && chosen ? chosen.inputs.reduce((sum, one) => sum + one.amount, -chosen.fee) : row.amount;
    if (chosen && amount >= adapter.dustOf(to))
      return await signRival(ctx, { payoutId, forPayoutId: row.forPayoutId, to, amount, rate, ...chosen }, row);
    ctx.warn(`replace ${row.id}`, { txHash }, 'a stuck transfer cannot offer more: there is no money for it');
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    ctx.warn(`replace ${row.id}`, { err: error, txHash }, 'a stuck transfer cannot offer more for now');
  }
  return false;
}

/** All of some outputs, less the fee. */
function wholeOf(inputs: readonly Candidate[], rate: bigint, size: bigint): Selection<Candidate> {
  return { inputs, change: null, fee: rate * size, size };
}

/** What a transaction of ours spends; change of ours that waits itself still has to be helped along. */
async function readInputs({ chain, deps }: UtxoContext, row: TransferRow): Promise<Candidate[]> {
  const { adapter } = chain;
  const spends = new Set(adapter.spendsOf(row.raw).split(','));
  const spent = await findSpent(deps.db.em, adapter.network, row);
  return spent
    .filter(({ outpoint }) => spends.has(outpoint))
    .map((output) => ({ ...output, index: null, settled: true, ancestors: 0, ancestorSize: 0n }));
}
