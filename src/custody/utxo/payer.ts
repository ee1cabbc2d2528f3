// Pays where money lies in outputs of transactions: each payout spends outputs of ours, of deposit addresses and of
// change alike, and leaves what remains to the hot wallet. There is nothing to sweep, and no gas to buy.

import { ChainUnavailable } from '../../chain/adapter.ts';
import { findDuePayouts, type DuePayout } from '../../database/queries/due-payouts.ts';
import {
  findSpendable,
  findSpent,
  findOwnParents,
  isChangeSpent,
  readRecipient,
  type OwnOutput,
  type SpentRow,
} from '../../database/queries/outputs.ts';
import { addSender, readSender } from '../../database/queries/senders.ts';
import type { TransferRow } from '../../database/queries/transfers.ts';
import type { Funding, Payer } from '../context.ts';
import { giveUp } from '../give-up.ts';
import type { UtxoContext } from './context.ts';
import { selectCoins, type Goal, type Selection } from './select-coins.ts';
import { signRival, signSpend } from './sign-spend.ts';

/** Payouts looked at in one round. */
const BATCH = 50;
/** Outputs looked at for one payout. */
const CANDIDATES = 1_000;
/** Some 34,000 virtual bytes; nodes pass on transactions of up to 100,000. */
const MAX_INPUTS = 500;
/** Working capital that the sandbox's faucet gives at a time: one coin; and how long is waited for it to arrive. */
const SANDBOX_FILL = 100_000_000n;
const FILL_AGAIN_AFTER_MS = 30_000;

export function createUtxoPayer(ctx: UtxoContext): Payer {
  const fill = createFiller(ctx);
  return {
    open: async () => {
      const { key, role } = ctx.wallets.hot;
      await addSender(ctx.deps.db.em, ctx.chain.adapter.network, { key, role, nonce: 0 });
    },
    payDue: () => payDue(ctx, fill),
    // An output that is gone is brought back by nobody but its own transaction.
    helpShort: () => Promise.resolve(false),
    isDead: (row) => isDead(ctx, row),
    replace: (row) => replace(ctx, row),
    retire: () => Promise.reject(new Error('A transaction without contracts moves what it says, or is not mined')),
  };
}

type Fill = (missing: bigint) => Promise<Funding>;

/** Signs a transaction for each payout that can be paid, oldest first; none overtakes another. */
async function payDue(ctx: UtxoContext, fill: Fill): Promise<boolean> {
  const { network } = ctx.chain.adapter;
  let progressed = false;
  for (const payout of await findDuePayouts(ctx.deps.db.em, network, BATCH)) {
    if ((await pay(ctx, payout, fill)) !== 'signed') break;
    progressed = true;
  }
  return progressed;
}

async function pay(ctx: UtxoContext, payout: DuePayout, fill: Fill): Promise<Funding> {
  const { adapter } = ctx.chain;
  const { id: payoutId, amount, address: to } = payout;
  if (!adapter.parseAddress(to)) return giveUp(ctx, payout, 'the address is none of this chain');
  if (amount < adapter.dustOf(to)) return giveUp(ctx, payout, 'the amount is too small for nodes to pass on');
  const { maxPerGas: rate } = await adapter.fees();
  const sequence = (await readSender(ctx.deps.db.em, adapter.network, ctx.wallets.hot.key)) ?? 0;
  const coins = await readCoins(ctx);
  const chosen = await choose(ctx, coins, { ...boundsOf(ctx, to, rate), amount });
  if (chosen) return (await signSpend(ctx, { payoutId, to, amount, rate, ...chosen }, sequence)) ? 'signed' : 'coming';
  const outcome = await fill(amount);
  if (outcome === 'lacking') {
    const held = coins.reduce((sum, coin) => sum + coin.amount, 0n).toString();
    const { address } = ctx.wallets.hot;
    const fields = { address, amount: amount.toString(), held, currency: payout.currency };
    ctx.warn('lacking', fields, 'payouts wait: what can be spent does not cover them; send coin to the hot wallet');
  }
  return outcome;
}

function boundsOf({ chain, wallets }: UtxoContext, to: string, rate: bigint) {
  const { adapter } = chain;
  const { address } = wallets.hot;
  const sizeOf = (inputs: number, hasChange: boolean) => adapter.sizeOf(inputs, hasChange ? [to, address] : [to]);
  const spending = rate * (sizeOf(2, false) - sizeOf(1, false));
  const dust = adapter.dustOf(address);
  return { rate, sizeOf, leastChange: dust > spending ? dust : spending, maxInputs: MAX_INPUTS };
}

/** What can be spent by the book. */
function readCoins({ chain, deps, wallets }: UtxoContext): Promise<OwnOutput[]> {
  const { adapter, requiredConfirmations: confirmations } = chain;
  return findSpendable(deps.db.em, adapter.network, { hotKey: wallets.hot.key, confirmations }, CANDIDATES);
}

/** An output to choose; the path of its key is known of those that were chosen before. */
type Candidate = OwnOutput & { readonly path?: string };
type Chosen = Omit<Selection<Candidate>, 'inputs'> & { readonly inputs: readonly SpentRow[] };

/** Chooses, and chooses anew without those that the chain does not have, or that have yet to ripen. */
async function choose(
  { chain, wallets }: UtxoContext,
  coins: readonly Candidate[],
  goal: Goal<Candidate>,
): Promise<Chosen | null> {
  let left = coins;
  for (;;) {
    const selection = selectCoins(left, goal);
    if (!selection) return null;
    const unspent = await chain.adapter.unspent(selection.inputs.map(({ outpoint }) => outpoint));
    const isMissing = ({ outpoint, amount, settled, path }: Candidate) => {
      const output = unspent?.get(outpoint);
      return settled && path === undefined && !(output?.isRipe === true && output.amount === amount);
    };
    const missing = new Set(selection.inputs.filter(isMissing).map(({ outpoint }) => outpoint));
    if (missing.size > 0) {
      left = left.filter(({ outpoint }) => !missing.has(outpoint));
      continue;
    }
    const inputs = selection.inputs.map(async ({ outpoint, amount, addressKey, index, path }): Promise<SpentRow> => {
      const known = path ?? (index === null ? wallets.hot.path : (await wallets.deposit(index, addressKey)).path);
      return { outpoint, amount, addressKey, path: known };
    });
    return { ...selection, inputs: await Promise.all(inputs) };
  }
}

/**
 * A transaction is dead when another one spends what it spends, in a block that is final, or when it spends the change
 * of one of ours that was given up. What others cannot spend is not asked about.
 */
async function isDead({ chain, deps }: UtxoContext, { raw, txHash }: TransferRow): Promise<boolean> {
  const { adapter, requiredConfirmations } = chain;
  const outpoints = adapter.spendsOf(raw).split(',');
  const parentOf = (outpoint: string) => outpoint.split(':')[0] ?? '';
  const parents = await findOwnParents(deps.db.em, adapter.network, outpoints.map(parentOf));
  if (parents.some(({ isGivenUp }) => isGivenUp)) return true;
  const foreign = outpoints.filter((outpoint) => parents.every((parent) => parent.txHash !== parentOf(outpoint)));
  if (foreign.length === 0 || (await adapter.txState(txHash)).kind !== 'unknown') return false;
  const { height } = await adapter.tip();
  const spends = foreign.join(',');
  return (await adapter.displacedAt({ txHash, spends }, height - requiredConfirmations + 1)) !== null;
}

/** Offers more for a transaction that no block takes: the same inputs and, where the change does not suffice, others too. */
async function replace(ctx: UtxoContext, row: TransferRow): Promise<boolean> {
  const { adapter } = ctx.chain;
  const { em } = ctx.deps.db;
  const { payoutId, amount, maxPerGas, tipPerGas, txHash } = row;
  // What spends its change is replaced instead, and offers enough for both.
  if (payoutId === null || (await isChangeSpent(em, adapter.network, row.id))) return false;
  try {
    const { maxPerGas: rate } = await adapter.fees({ maxPerGas, tipPerGas });
    const to = await readRecipient(em, payoutId);
    const required = await readInputs(ctx, row);
    // Nothing that is not mined itself may be added (BIP-125, rule 2).
    const others = (await readCoins(ctx)).filter(({ settled }) => settled);
    const chosen = await choose(ctx, others, { ...boundsOf(ctx, to, rate), amount, required });
    if (chosen) return await signRival(ctx, { payoutId, to, amount, rate, ...chosen }, row);
    ctx.warn(`replace ${row.id}`, { txHash }, 'a stuck transfer cannot offer more: there is no money for it');
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    ctx.warn(`replace ${row.id}`, { err: error, txHash }, 'a stuck transfer cannot offer more for now');
  }
  return false;
}

/** What a transaction of ours spends; change of ours that waits itself still has to be helped along. */
async function readInputs({ chain, deps }: UtxoContext, row: TransferRow): Promise<Candidate[]> {
  const { adapter } = chain;
  const spends = new Set(adapter.spendsOf(row.raw).split(','));
  const spent = await findSpent(deps.db.em, adapter.network, row);
  return spent
    .filter(({ outpoint }) => spends.has(outpoint))
    .map((output) => ({ ...output, index: null, settled: true }));
}

/** The sandbox's faucet gives what is lacking; in live the operator does, and until then payouts wait. */
function createFiller({ devChain, wallets, coin, deps, chain }: UtxoContext): Fill {
  let filledAt = -Infinity;
  return async (missing) => {
    if (!devChain) return 'lacking';
    if (performance.now() - filledAt < FILL_AGAIN_AFTER_MS) return 'coming';
    filledAt = performance.now();
    const amount = missing + SANDBOX_FILL;
    const { address } = wallets.hot;
    const confirmations = chain.requiredConfirmations - 1;
    await devChain.deposit({ address, currency: coin.currency, amount, confirmations });
    deps.signals.chain(chain.adapter.network);
    return 'coming';
  };
}
