// Where a transaction lost one of the outputs that it spends to another: from then on it can be mined on no continuation
// of the chain.

import type { TxState } from '../blocks.ts';
import type { Source } from './source.ts';
import type { RawBlock } from './transaction.ts';

interface ConflictDeps {
  readonly source: Source;
  readonly readBlock: (hash: string) => Promise<RawBlock>;
  readonly txState: (txHash: string) => Promise<TxState>;
}

/** How far back is looked: no network needs more confirmations, and the other one is above the branches' common block. */
const SEARCHED_BLOCKS = 100;
/** Blocks whose inputs are kept, because lost deposits are asked about one after the other. */
const KEPT_BLOCKS = 24;
/** Questions whose search is remembered. */
const KEPT_QUESTIONS = 1_000;

interface Inputs {
  readonly parentHash: string;
  /** The transaction that spends each output. */
  readonly spenders: ReadonlyMap<string, string>;
}

/**
 * Creates `ChainAdapter.conflictAt`. As long as the chain's state has all that a transaction spends, nothing took its
 * place. Otherwise the blocks are searched for who did, downwards, and each block once for each question.
 */
export function createConflictReader({ source, readBlock, txState }: ConflictDeps) {
  const blocks = new Map<string, Inputs>();
  /** By transaction: the block down from which nothing was found. */
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
    return remember(blocks, hash, inputs, KEPT_BLOCKS);
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
    remember(searched, txHash, start, KEPT_QUESTIONS);
    return null;
  };
}

/** Puts an entry last, and forgets the first ones above a number. */
function remember<Value>(entries: Map<string, Value>, key: string, value: Value, limit: number): Value {
  entries.delete(key);
  entries.set(key, value);
  for (const oldest of entries.keys()) {
    if (entries.size <= limit) break;
    entries.delete(oldest);
  }
  return value;
}
