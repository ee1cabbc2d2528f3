// Pays payouts on UTXO chains: each spends outputs of deposit addresses and of change alike and returns the rest to the
// hot wallet. No gas is needed.

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
import type { TransactionRow } from '../../database/queries/payouts/transactions.ts';
import type { LookResult, Payer, Unmined } from '../context.ts';
import { agreed, heightBeyondDoubt } from '../transactions/finality.ts';
import { failUnpayable } from '../fail-payout.ts';
import { processPayouts } from '../process-payouts.ts';
import { park } from '../park.ts';
import { boundsOf, choose, hashOf, readCoins, unminedNow, type Candidate } from './coins.ts';
import { consolidateFor, createQuietConsolidation, type Consolidation } from './consolidate.ts';
import type { UtxoContext } from './context.ts';
import { createFaucetFunding, type FaucetFunding } from './fund-from-faucet.ts';
import { selectCoins, type Selection } from './select-coins.ts';
import { signReplacement, signSpend } from './sign.ts';

export function createUtxoPayer(ctx: UtxoContext): Payer {
  const { network } = ctx.chain.adapter;
  const fill = createFaucetFunding(ctx);
  const consolidateInQuietTime = createQuietConsolidation(ctx);
  // A transaction that was found on the chain without its raw bytes: only the outputs it is recorded to have taken are
  // known.
  const mark = (row: TransactionRow, em: Parameters<Payer['onFinal']>[0], spent: boolean) =>
    markSpent(em, network, row, row.raw === '' ? [] : ctx.chain.adapter.spendsOf(row.raw).split(','), spent);
  return {
    open: async () => {
      const { key, role } = ctx.wallets.hot;
      await addSender(ctx.deps.db.em, network, { key, role, nonce: 0 });
    },
    payDue: async (unmined) =>
      (await processPayouts(ctx, (payout, progressed) => pay(ctx, payout, { fill, unmined, progressed }))) ||
      consolidateInQuietTime(unmined, () => readSequence(ctx)),
    tidyUp: () => consolidateInQuietTime([], () => readSequence(ctx)),
    // Only its own transaction can bring back an output that is gone.
    fundSenders: () => Promise.resolve(false),
    isDead: (row) => isDead(ctx, row),
    replace: (row) => replace(ctx, row),
    retire: () => Promise.reject(new Error('A mined UTXO transaction cannot fail')),
    onFinal: (em, row) => mark(row, em, true),
    onReopened: (em, row) => mark(row, em, false),
  };
}

/** The hot wallet's sequence number. A decision is void once anything was signed after reading it. */
async function readSequence({ deps, chain, wallets }: UtxoContext): Promise<number> {
  return (await readSender(deps.db.em, chain.adapter.network, wallets.hot.key)) ?? 0;
}

interface Round {
  readonly fill: FaucetFunding;
  readonly unmined: Unmined;
  /** Whether something was already signed in this round. */
  readonly progressed: boolean;
}

async function pay(ctx: UtxoContext, payout: DuePayout, round: Round): Promise<LookResult> {
  const { adapter } = ctx.chain;
  const { id: payoutId, amount, address: to } = payout;
  if (!adapter.parseAddress(to)) return failUnpayable(ctx, payout, 'the address is not one of this chain');
  if (amount < adapter.dustOf(to)) return failUnpayable(ctx, payout, 'the amount is too small for nodes to pass on');
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
  return wait(ctx, payout, round, await consolidateFor(ctx, payout, { rate, sequence, coins, unmined }));
}

/** Decides about a payout that no transaction can pay now. */
async function wait(
  ctx: UtxoContext,
  payout: DuePayout,
  round: Round,
  consolidation: Consolidation,
): Promise<LookResult> {
  // Transactions signed in this round leave change that can be spent in the next.
  if (round.progressed && consolidation !== 'signed') return 'coming';
  if (consolidation === 'lacking' && (await round.fill(payout.amount)) === 'coming') return 'coming';
  if (consolidation === 'signed' || consolidation === 'coming') {
    await park(ctx, payout.id, 'MISSING_FUNDS');
    return consolidation === 'signed' ? 'acted' : 'coming';
  }
  const { address } = ctx.wallets.hot;
  const { id: payoutId, amount, currency } = payout;
  const fields = { address, payoutId, amount: amount.toString(), currency };
  const reason =
    consolidation === 'expensive' ? 'spending the outputs that cover it costs too much' : 'the outputs do not cover it';
  ctx.warn('lacking', fields, `a payout waits: ${reason}; send coin to the hot wallet`);
  return consolidation === 'expensive' ? 'TOO_EXPENSIVE' : 'MISSING_FUNDS';
}

/**
 * A transaction can never be mined when another one spends one of its inputs in a final block, or when an input comes
 * from a transaction (a deposit or one of ours) that can never be mined itself. A node's refusal proves nothing. Two
 * nodes must agree where there are two.
 */
async function isDead(ctx: UtxoContext, row: TransactionRow): Promise<boolean> {
  const { adapter } = ctx.chain;
  if (!(await isDeadTo(adapter, ctx, row))) return false;
  return agreed(adapter, (node) => (node.model === 'OUTPUTS' ? isDeadTo(node, ctx, row) : Promise.resolve(false)));
}

async function isDeadTo(
  adapter: UtxoAdapter,
  { chain: { requiredConfirmations }, deps }: UtxoContext,
  { raw, txHash }: TransactionRow,
): Promise<boolean> {
  if ((await adapter.txState(txHash)).kind !== 'unknown') return false;
  const upTo = heightBeyondDoubt((await adapter.tip()).height, requiredConfirmations);
  const outpoints = adapter.spendsOf(raw).split(',');
  const parents = await findOwnParents(deps.db.em, adapter.network, outpoints.map(hashOf), upTo);
  if (parents.some(({ isGivenUp }) => isGivenUp)) return true;
  // Outputs of our own unmined transactions cannot be spent by anyone else.
  const waiting = new Set(parents.filter(({ isMined }) => !isMined).map((parent) => parent.txHash));
  const spends = outpoints.filter((outpoint) => !waiting.has(hashOf(outpoint))).join(',');
  if (spends === '') return false;
  const lost = await findLostParents(deps.db.em, adapter.network, outpoints.map(hashOf));
  for (const transaction of [{ txHash, spends }, ...lost])
    if ((await adapter.conflictAt(transaction, upTo)) !== null) return true;
  return false;
}

/**
 * Offers more for a transaction that no block takes: with the same inputs and, if the change does not suffice, more.
 */
async function replace(ctx: UtxoContext, row: TransactionRow): Promise<boolean> {
  const { adapter } = ctx.chain;
  const { em } = ctx.deps.db;
  const { payoutId, maxPerGas, tipPerGas, txHash } = row;
  // The transaction that spends its change is replaced instead, and offers enough for both.
  if (await isChangeSpent(em, adapter.network, row.id)) return false;
  try {
    const { maxPerGas: rate } = await adapter.fees({ maxPerGas, tipPerGas });
    const to = payoutId === null ? ctx.wallets.hot.address : await readRecipient(em, payoutId);
    const required = await readInputs(ctx, row);
    // BIP-125, rule 2: no unmined inputs may be added.
    const others = payoutId === null ? [] : (await readCoins(ctx, [])).filter(({ settled }) => settled);
    const select = (coins: readonly Candidate[]) =>
      payoutId === null
        ? wholeOf(required, rate, adapter.sizeOf(required.length, [to]))
        : selectCoins(coins, { ...boundsOf(ctx, to, rate), amount: row.amount, required });
    const chosen = await choose(ctx, others, select);
    const amount =
      payoutId === null && chosen ? chosen.inputs.reduce((sum, one) => sum + one.amount, -chosen.fee) : row.amount;
    if (chosen && amount >= adapter.dustOf(to))
      return await signReplacement(ctx, { payoutId, forPayoutId: row.forPayoutId, to, amount, rate, ...chosen }, row);
    ctx.warn(`replace ${row.id}`, { txHash }, 'a stuck transaction cannot offer more: there is no money for it');
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    ctx.warn(`replace ${row.id}`, { err: error, txHash }, 'a stuck transaction cannot offer more for now');
  }
  return false;
}

/** Spends the inputs entirely, less the fee. */
function wholeOf(inputs: readonly Candidate[], rate: bigint, size: bigint): Selection<Candidate> {
  return { inputs, change: null, fee: rate * size, size };
}

/** The inputs of one of our transactions. Unmined change among them still needs a fee bump. */
async function readInputs({ chain, deps }: UtxoContext, row: TransactionRow): Promise<Candidate[]> {
  const { adapter } = chain;
  const spends = new Set(adapter.spendsOf(row.raw).split(','));
  const spent = await findSpent(deps.db.em, adapter.network, row);
  return spent
    .filter(({ outpoint }) => spends.has(outpoint))
    .map((output) => ({ ...output, index: null, settled: true, ancestors: 0, ancestorSize: 0n }));
}
