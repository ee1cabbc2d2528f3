// Asks nodes until two of them give the same answer, for decisions that must not depend on a single node.

import type { Network } from '../../values/assets.ts';
import type { ChainAdapter } from '../adapter.ts';
import { ChainUnavailable, TransactionRefused } from '../errors.ts';
import { ask, type PoolNode } from './node-health.ts';

interface AgreedDeps {
  readonly network: Network;
  readonly nodes: readonly PoolNode[];
  readonly available: () => PoolNode[];
}

/**
 * Makes `ChainReader.agreed`. Dropped nodes do not count: if only one other node is left, its answer is enough. A
 * resting node does count, so two answers are still needed.
 */
export function createAgreement({ network, nodes, available }: AgreedDeps) {
  return async <Answer>(question: (node: ChainAdapter) => Promise<Answer>): Promise<Answer> => {
    const wanted = nodes.filter(({ dropped }) => dropped === null).length > 1 ? 2 : 1;
    const counts = new Map<string, number>();
    for (const node of available()) {
      try {
        const answer = await ask(node, question);
        const key = keyOf(answer);
        const count = (counts.get(key) ?? 0) + 1;
        counts.set(key, count);
        if (count >= wanted) return answer;
      } catch (error) {
        if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
      }
    }
    const reason = counts.size > 1 ? 'the nodes do not agree' : 'no second node says the same yet';
    throw new ChainUnavailable(network, reason);
  };
}

function keyOf(answer: unknown): string {
  const json: unknown = JSON.stringify(answer, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return typeof json === 'string' ? json : 'nothing';
}
