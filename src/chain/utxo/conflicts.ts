// Finds the block where another transaction spent an output that a transaction spends, so that it can no longer be
// mined.

import type { TxState } from '../blocks.ts';
import type { Source } from './source.ts';
import type { RawBlock } from './transaction.ts';

interface ConflictDeps {
  readonly source: Source;
  readonly readBlock: (hash: string) => Promise<RawBlock>;
  readonly txState: (txHash: string) => Promise<TxState>;
}

/** How far back to search: no network requires more confirmations, and the conflict is above the branches' fork. */
const SEARCHED_BLOCKS = 100;
/** Blocks whose inputs are cached, because lost deposits are checked one after the other. */
const CACHED_BLOCKS = 24;
/** Searches whose progress is cached. */
const CACHED_SEARCHES = 1_000;

interface Inputs {
  readonly parentHash: string;
  /** The transaction that spends each output. */
  readonly spenders: ReadonlyMap<string, string>;
}

/**
 * Creates `ChainAdapter.conflictAt`. While all outputs that the transaction spends are unspent, there is no conflict.
 * Otherwise it searches the blocks downwards for the spender, each block once per transaction.
 */
export function createConflictReader({ source, readBlock, txState }: ConflictDeps) {
  const blocks = new Map<string, Inputs>();
  /** By transaction: the block from which downwards nothing was found. */
  const searched = new Map<string, string>();

  async function inputsOf(hash: string): Promise<Inputs> {
    let inputs = blocks.get(hash);
    if (!inputs) {
      const { parentHash, transactions } = await readBlock(hash);
      const spenders = transactions.flatMap(({ hash: spender, inputs: spent }) =>
        spent.map(({ txHash, index }) => [`${txHash}:${String(index)}`, spender] as const),
      );
      inputs = { parentHash, spenders: new Map(spenders) };
    }
    return remember(blocks, hash, inputs, CACHED_BLOCKS);
  }

  return async (transaction: { txHash: string; spends: string }, upTo: number): Promise<number | null> => {
    const { txHash } = transaction;
    const outpoints = transaction.spends.split(',');
    const unspent = await source.unspent(outpoints);
    if (unspent?.size === outpoints.length || (await txState(txHash)).kind === 'mined') return null;
    const start = await source.hashAt(upTo);
    if (start === null) return null;
    const stopAt = searched.get(txHash);
    let hash = start;
    for (let height = upTo; height > Math.max(0, upTo - SEARCHED_BLOCKS) && hash !== stopAt; height -= 1) {
      const { parentHash, spenders } = await inputsOf(hash);
      if (outpoints.some((outpoint) => (spenders.get(outpoint) ?? txHash) !== txHash)) return height;
      hash = parentHash;
    }
    remember(searched, txHash, start, CACHED_SEARCHES);
    return null;
  };
}

/** Adds an entry and evicts the oldest ones above the limit. */
function remember<Value>(entries: Map<string, Value>, key: string, value: Value, limit: number): Value {
  entries.delete(key);
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= limit) break;
    entries.delete(oldest);
  }
  return value;
}
