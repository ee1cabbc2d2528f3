// Explains transactions that were signed with our keys and that neither the book nor the journal has, by comparing what
// the chain says with the payouts that wait. One is attributed to a payout only if it can be nothing else.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { CONTRACTS_FROM, type BlockRef } from '../../chain/blocks.ts';
import { findPredecessors, findSpender, type Predecessor } from '../../database/queries/payouts/paid-candidates.ts';
import {
  findKnownTransactions,
  findOwnKeys,
  readUnknown,
  resolveUnknown,
  type MovedUnits,
  type UnknownTransaction,
} from '../../database/queries/chain/unknown-transactions.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, NETWORKS } from '../../values/assets.ts';
import { senderOf, type ExplanationContext, type Explanation } from './explanation.ts';
import { findPaidPayout, matchesExactly } from './find-paid-payout.ts';
import { roleOf } from './rebuild-from-journal.ts';
import { storeTransaction } from './store-transaction.ts';

/** The transactions that were explained, and how many the operator has to explain. */
export interface Explained {
  readonly explained: readonly UnknownTransaction[];
  readonly left: number;
  /** How many were reported, because the journal did not have them. */
  readonly reported: number;
}

/** Explains all open unknown transactions. */
export async function explainUnknown(explaining: ExplanationContext): Promise<Explained> {
  const { deps, em, network, adapter, say } = explaining;
  const open = await readUnknown(em, network);
  const known = await findKnownTransactions(
    em,
    network,
    open.map(({ txHash }) => txHash),
  );
  const explained: UnknownTransaction[] = [];
  let left = 0;
  for (const unknown of open) {
    const { txHash } = unknown;
    const resolve = (resolution: string) => resolveUnknown(em, network, txHash, resolution, deps.clock.now());
    const block = known.has(txHash) ? null : await readBlock(adapter, unknown);
    if (known.has(txHash)) {
      await resolve('in the journal');
    } else if (block === 'GONE') {
      await resolve('not on the chain any more');
      say(`  ${txHash} is not on the chain any more`);
    } else {
      const explanation = await explain(explaining, { ...unknown, block });
      if (explanation === null) {
        left += 1;
        continue;
      }
      await storeTransaction(explaining, unknown, explanation);
      await resolve(explanation.payoutId ?? explanation.purpose);
      say(`  ${txHash}: ${describe(explaining, explanation)}`);
    }
    explained.push(unknown);
  }
  return { explained, left, reported: open.length - known.size };
}

/** Its block, if still canonical; null while it waits to be mined, or for the watcher to read its block. */
async function readBlock(
  adapter: ChainAdapter,
  { txHash, block }: UnknownTransaction,
): Promise<BlockRef | null | 'GONE'> {
  if (block && (await adapter.isCanonical(block))) return block;
  return (await adapter.txState(txHash)).kind === 'unknown' ? 'GONE' : null;
}

function describe({ network }: ExplanationContext, { purpose, payoutId, moved }: Explanation): string {
  const { currency, amount, addressKey } = moved;
  const units = `${formatAmount(amount, assetOf({ currency, network }).decimals)} ${currency}`;
  if (payoutId !== null) return `paid ${payoutId}, ${units} to ${addressKey}`;
  return purpose === 'OUTFLOW'
    ? `unexplained outflow of ${units} to ${addressKey}, booked to the gateway's costs`
    : `${purpose}, between our own addresses`;
}

/** Null if the operator has to decide. */
async function explain(explaining: ExplanationContext, unknown: UnknownTransaction): Promise<Explanation | null> {
  const { place, predecessors } = await findPredecessorsOf(explaining, unknown);
  const all = await readMoved(explaining, unknown);
  const direct = await movedByItself(explaining, unknown, all);
  const moved = { all: await toOthers(explaining, unknown, all), direct: await toOthers(explaining, unknown, direct) };
  const replaced = predecessors.find((one) => one.payoutId !== null && doesTheSame(direct, one));
  const found = replaced ? null : await findPaidPayout(explaining, unknown, moved);
  if (found === 'UNDECIDED') return null;
  if (found) {
    const { payoutId, ...paid } = found;
    return { purpose: 'PAYOUT', payoutId, moved: paid, ...place };
  }
  const same = replaced ?? predecessors.find((one) => one.payoutId === null && doesTheSame(direct, one));
  return same
    ? explainReplacement(same, direct, place)
    : { ...(await explainWithoutPayout(explaining, unknown, direct, moved.direct)), ...place };
}

/** The book's transactions whose nonce or outputs it uses up, so that none of them is mined, and that nonce. */
async function findPredecessorsOf({ em, network, adapter, wallets }: ExplanationContext, unknown: UnknownTransaction) {
  const isOutputs = adapter.model === 'OUTPUTS';
  const nonce = isOutputs ? await findSpender(em, network, unknown.signers) : unknown.nonce;
  if (nonce === null) return { place: {}, predecessors: [] };
  const senderKey = isOutputs ? wallets.hot.key : (unknown.signers[0] ?? '');
  const predecessors = await findPredecessors(em, network, { senderKey, nonce });
  return { place: predecessors.length > 0 ? { nonce } : {}, predecessors };
}

/** Whether it pays what another was to pay. A replaced sweep moves less, because it offers more. */
const doesTheSame = (moved: readonly MovedUnits[], { purpose, recipientKey, currency, amount }: Predecessor): boolean =>
  moved.some(
    (one) =>
      one.addressKey === recipientKey && one.currency === currency && (one.amount === amount || purpose === 'SWEEP'),
  );

/**
 * Explains a replacement that does the same as its predecessor. If the payout was released meanwhile, the payment is
 * the gateway's loss.
 */
function explainReplacement(
  { purpose, payoutId, isReleased, recipientKey: addressKey, currency, amount }: Predecessor,
  moved: readonly MovedUnits[],
  place: Pick<Explanation, 'nonce'>,
): Explanation {
  const movement = moved.find((one) => one.addressKey === addressKey && one.currency === currency);
  const same = { addressKey, currency, amount: payoutId === null ? (movement?.amount ?? amount) : amount };
  if (isReleased) return { purpose: 'OUTFLOW', payoutId: null, moved: same, ...place };
  return { purpose, payoutId, moved: same, ...place };
}

/**
 * Explains a transaction that belongs to no payout. If it moved nothing itself, or several things, the rest shows in
 * suspense.
 */
async function explainWithoutPayout(
  { wallets, network, adapter }: ExplanationContext,
  unknown: UnknownTransaction,
  direct: readonly MovedUnits[],
  toOthersItself: readonly MovedUnits[],
): Promise<Explanation> {
  const isOutputs = adapter.model === 'OUTPUTS';
  const isSweep = !isOutputs && roleOf(wallets, senderOf({ wallets, adapter }, unknown)) === 'DEPOSIT';
  const [first, ...more] = isOutputs ? toOthersItself : isSweep ? sweptToUs(wallets, direct) : direct;
  const cost = { addressKey: wallets.gas.key, currency: NETWORKS[network].coin, amount: 1n };
  if (!first || more.length > 0) return { purpose: 'GAS', payoutId: null, moved: cost };
  const isOwn = [wallets.hot.key, wallets.gas.key].includes(first.addressKey) || toOthersItself.length === 0;
  if (!isOwn) return { purpose: 'OUTFLOW', payoutId: null, moved: first };
  return { purpose: isSweep ? 'SWEEP' : 'GAS', payoutId: null, moved: first };
}

/**
 * What a sweep brought to our wallet. Anything in the same currency that went elsewhere is a fee that the token took,
 * which the receipt shows. If it moved more than that, it is left as it is.
 */
function sweptToUs({ hot, gas }: ExplanationContext['wallets'], moved: readonly MovedUnits[]): readonly MovedUnits[] {
  const home = moved.filter(({ addressKey }) => addressKey === hot.key || addressKey === gas.key);
  return home.length === 1 && moved.every(({ currency }) => currency === home[0]?.currency) ? home : moved;
}

/**
 * What it moved to others: without change, sweeps and top-ups. The hot wallet pays payouts, which may go to any other
 * address of ours.
 */
async function toOthers(
  { em, network, wallets, adapter }: ExplanationContext,
  unknown: UnknownTransaction,
  moved: readonly MovedUnits[],
): Promise<readonly MovedUnits[]> {
  const others = moved.filter(({ addressKey }) => addressKey !== wallets.hot.key);
  const sender = senderOf({ wallets, adapter }, unknown);
  if (adapter.model === 'OUTPUTS' || sender === wallets.hot.key) return others;
  const { account } = NETWORKS[network];
  const keys = others.map(({ addressKey }) => addressKey);
  const own =
    sender === wallets.gas.key ? await findOwnKeys(em, { network, account }, keys) : new Set([wallets.gas.key]);
  return others.filter(({ addressKey }) => !own.has(addressKey));
}

/** What it moved. On UTXO chains, payments to other kinds of addresses are read from the transaction itself. */
async function readMoved(
  { adapter, network }: ExplanationContext,
  unknown: UnknownTransaction,
): Promise<readonly MovedUnits[]> {
  if (adapter.model === 'ACCOUNT') return unknown.transfers;
  const raw = await adapter.rawTransaction(unknown.txHash);
  const currency = NETWORKS[network].coin;
  return raw === null ? unknown.transfers : adapter.outputsOf(raw).map((output) => ({ ...output, currency }));
}

/** What a transaction itself moved, of everything moved while it ran. */
export async function movedByItself(
  { adapter, network }: ExplanationContext,
  { txHash, signers }: UnknownTransaction,
  all: readonly MovedUnits[],
): Promise<readonly MovedUnits[]> {
  const { coin } = NETWORKS[network];
  if (adapter.model === 'OUTPUTS') return all;
  const moves = all.some(({ currency }) => currency !== coin) ? (await adapter.receipt(txHash))?.moves : undefined;
  const isOurs = (one: MovedUnits) =>
    moves === undefined ||
    moves.some(({ from, to, ...move }) => signers.includes(from) && matchesExactly(one, to, move));
  return all.filter((one) => (one.currency === coin ? one.ordinal < CONTRACTS_FROM : isOurs(one)));
}
