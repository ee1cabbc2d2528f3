// What nothing is decided on by the word of one node: two of them have to say the same.

import type { Network } from '../../values/assets.ts';
import type { ChainAdapter } from '../adapter.ts';
import { ChainUnavailable, TransactionRefused } from '../errors.ts';
import { ask, type PoolNode } from './node-health.ts';

interface AgreedDeps {
  readonly network: Network;
  readonly nodes: readonly PoolNode[];
  readonly able: () => PoolNode[];
}

/**
 * Makes `ChainReader.agreed`. A node that was dropped does not count: where one other is left, that one has to do. One
 * that only rests does count, and is waited for.
 */
export function createAgreed({ network, nodes, able }: AgreedDeps) {
  return async <Answer>(question: (node: ChainAdapter) => Promise<Answer>): Promise<Answer> => {
    const wanted = nodes.filter(({ dropped }) => dropped === null).length > 1 ? 2 : 1;
    const told = new Map<string, number>();
    for (const node of able()) {
      try {
        const answer = await ask(node, question);
        const name = nameOf(answer);
        const times = (told.get(name) ?? 0) + 1;
        told.set(name, times);
        if (times >= wanted) return answer;
      } catch (error) {
        if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
      }
    }
    throw new ChainUnavailable(network, told.size > 1 ? 'the nodes do not agree' : 'no second node says the same yet');
  };
}

function nameOf(answer: unknown): string {
  const name: unknown = JSON.stringify(answer, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return typeof name === 'string' ? name : 'nothing';
}
