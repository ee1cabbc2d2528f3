// Reads the outputs that our transactions may spend, from the book and the chain, and picks those of one transaction.

import type { UnspentOutput } from '../../chain/transactions.ts';
import { findOpenTransactions } from '../../database/queries/payouts/transactions.ts';
import { findSpendable, type OutputsOf, type OwnOutput, type SpentRow } from '../../database/queries/payouts/utxos.ts';
import { MAX_INPUTS } from '../../domain/payouts/sendable-outputs.ts';
import type { Unmined } from '../context.ts';
import type { UtxoContext } from './context.ts';
import type { Coin, Selection } from './select-coins.ts';

/** Outputs considered for one transaction, largest first. */
const CANDIDATES = 1_000;

/** An output that may be spent. `path` is set for inputs of a transaction that is being replaced. */
export type Candidate = OwnOutput & Coin & { readonly path?: string };
export type Chosen = Omit<Selection<Candidate>, 'inputs'> & { readonly inputs: readonly SpentRow[] };

/** The parameters that select our own outputs in the book. */
export function outputsOf({ chain, wallets }: UtxoContext): OutputsOf {
  return { hotKey: wallets.hot.key, confirmations: chain.requiredConfirmations };
}

/**
 * The spendable outputs in the book, with what has to be mined first. `unmined` are our transactions that no block has.
 */
export async function readCoins(
  { chain, deps, ...ctx }: UtxoContext,
  unmined: Unmined,
  { limit = CANDIDATES, smallest = false } = {},
): Promise<Candidate[]> {
  const { network } = chain.adapter;
  const found = await findSpendable(deps.db.em, network, outputsOf({ chain, deps, ...ctx }), { limit, smallest });
  const lineage = createLineage(unmined, (raw) => chain.adapter.spendsOf(raw));
  return found.map((coin) => {
    const own = coin.settled ? NO_LINEAGE : lineage(coin.outpoint);
    // A mined parent needs no fee bump, however little it offered.
    return own.ancestors === 0 ? { ...coin, ...own, parentSize: 0n, parentFee: 0n } : { ...coin, ...own };
  });
}

/** Our unmined transactions, including those signed since. */
export async function unminedNow({ deps, chain }: UtxoContext, unmined: Unmined): Promise<Unmined> {
  const open = await findOpenTransactions(deps.db.em, chain.adapter.network);
  const known = new Set(unmined.map(({ id }) => id));
  return open.filter(({ id, status }) => known.has(id) || status === 'SIGNED');
}

type Lineage = Pick<Coin, 'ancestors' | 'ancestorSize'>;
const NO_LINEAGE: Lineage = { ancestors: 0, ancestorSize: 0n };

/** Finds, by outpoint, our unmined transactions that must be mined first, including the one that creates the output. */
function createLineage(unmined: Unmined, spendsOf: (raw: string) => string): (outpoint: string) => Lineage {
  const byHash = new Map(unmined.map((row) => [row.txHash, row]));
  const known = new Map<string, ReadonlySet<string>>();
  const ancestorsOf = (txHash: string): ReadonlySet<string> => {
    const row = byHash.get(txHash);
    if (!row) return new Set();
    const earlier = known.get(txHash);
    if (earlier) return earlier;
    const parents = new Set(spendsOf(row.raw).split(',').map(hashOf));
    const all = new Set([txHash, ...[...parents].flatMap((parent) => [...ancestorsOf(parent)])]);
    known.set(txHash, all);
    return all;
  };
  return (outpoint) => {
    const all = [...ancestorsOf(hashOf(outpoint))];
    return { ancestors: all.length, ancestorSize: all.reduce((sum, hash) => sum + (byHash.get(hash)?.gas ?? 0n), 0n) };
  };
}

/** The transaction that an output belongs to. */
export const hashOf = (outpoint: string): string => outpoint.split(':')[0] ?? '';

/** Selects outputs, and selects again without any that the chain does not have or that are immature. */
export async function choose(
  { chain, wallets }: UtxoContext,
  coins: readonly Candidate[],
  select: (coins: readonly Candidate[]) => Selection<Candidate> | null,
): Promise<Chosen | null> {
  let left = coins;
  const found = new Map<string, UnspentOutput | undefined>();
  for (;;) {
    const selection = select(left);
    if (!selection) return null;
    const asked = selection.inputs.map(({ outpoint }) => outpoint).filter((outpoint) => !found.has(outpoint));
    const unspent = asked.length === 0 ? null : await chain.adapter.unspent(asked);
    for (const outpoint of asked) found.set(outpoint, unspent?.get(outpoint));
    const isMissing = ({ outpoint, amount, settled, path }: Candidate) => {
      const output = found.get(outpoint);
      return settled && path === undefined && !(output?.isMature === true && output.amount === amount);
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

/** Sizes, dust and input limits of a transaction that pays `to` and returns the rest to the hot wallet. */
export function boundsOf({ chain, wallets }: UtxoContext, to: string, rate: bigint) {
  const { adapter } = chain;
  const { address } = wallets.hot;
  const sizeOf = (inputs: number, hasChange: boolean) => adapter.sizeOf(inputs, hasChange ? [to, address] : [to]);
  const spending = rate * (sizeOf(2, false) - sizeOf(1, false));
  const dust = adapter.dustOf(address);
  return { rate, sizeOf, leastChange: dust > spending ? dust : spending, maxInputs: MAX_INPUTS };
}
