// Requires a second node to show the same block with the same large deposits before they are credited. A node that is
// contradicted by two others is dropped: it is never asked again.

import type { Logger } from 'pino';
import type { Network } from '../../values/assets.ts';
import type { ChainBlock, Transfer } from '../blocks.ts';
import { ChainUnavailable } from '../errors.ts';
import { ask, type PoolNode } from './node-health.ts';

interface QuorumDeps {
  readonly network: Network;
  readonly nodes: readonly PoolNode[];
  readonly sourceOf: (block: ChainBlock) => PoolNode | null;
  readonly available: () => PoolNode[];
  readonly log: Logger | undefined;
}

/** What another node shows at the block's position: the same, something else, or nothing yet. */
type Opinion =
  | { readonly kind: 'agrees' }
  | { readonly kind: 'differs'; readonly version: string; readonly what: string }
  | { readonly kind: 'silent' };

/**
 * Makes `ChainReader.requireQuorum`. It returns once another node agrees and throws `ChainUnavailable` until then: the
 * block is read again, and nothing in it is credited meanwhile.
 */
export function createQuorumCheck({ network, nodes, sourceOf, available, log }: QuorumDeps) {
  return async (block: ChainBlock, transfers: readonly Transfer[]): Promise<void> => {
    if (nodes.length < 2 || transfers.length === 0) return;
    const source = sourceOf(block);
    const others = available().filter((node) => node !== source);
    const opinions = await Promise.all(
      others.map(async (node) => ({ node, opinion: await opinionOf(node, block, transfers) })),
    );
    const differing = opinions.flatMap(({ node, opinion }) =>
      opinion.kind === 'differs' ? [{ node, ...opinion }] : [],
    );
    const agreeing = opinions.filter(({ opinion }) => opinion.kind === 'agrees');
    if (differing.length === 0 && agreeing.length > 0) return;
    const context = { network, block: { hash: block.hash, height: block.height } };
    if (differing.length === 0) {
      log?.warn(context, 'a large deposit waits for a second node to show its block');
      throw new ChainUnavailable(network, `no second node shows block ${String(block.height)} yet`);
    }
    judge(context, source, agreeing.length + 1, differing);
    // The source has a quorum once all contradicting nodes have been dropped.
    if (agreeing.length > 0 && differing.every(({ node }) => node.dropped !== null)) return;
    throw new ChainUnavailable(network, `the nodes do not agree on block ${String(block.height)}`);
  };

  /** Drops the minority if at least two nodes contradict it. One against one is left to the operator. */
  function judge(
    context: object,
    source: PoolNode | null,
    agreed: number,
    differing: readonly { readonly node: PoolNode; readonly version: string; readonly what: string }[],
  ): void {
    const differences = differing.map(({ node, what }) => `${node.name}: ${what}`);
    log?.error(
      { ...context, source: source?.name, differences },
      'the nodes do not agree on a block with a large deposit',
    );
    const versions = Map.groupBy(differing, ({ version }) => version);
    const largest = Math.max(...[...versions.values()].map((group) => group.length));
    if (agreed >= 2 && agreed > largest) {
      for (const { node, what } of differing) drop(node, what);
    } else if (source && largest >= 2 && largest > agreed) {
      drop(source, `it alone has block ${JSON.stringify(context)}`);
    }
  }

  function drop(node: PoolNode, reason: string): void {
    node.dropped = reason;
    log?.error({ network, node: node.name, reason }, 'a node is dropped: two others contradict it');
  }
}

async function opinionOf(node: PoolNode, block: ChainBlock, transfers: readonly Transfer[]): Promise<Opinion> {
  const parent = { hash: block.parentHash, height: block.height - 1 };
  try {
    const answer = await ask(node, (adapter) => adapter.next(parent));
    if (answer.kind === 'tip') return { kind: 'silent' };
    // It lacks the parent too: it lags or is on another branch, and should catch up soon.
    if (answer.kind === 'reorganised') return { kind: 'silent' };
    if (answer.block.hash !== block.hash)
      return { kind: 'differs', version: answer.block.hash, what: `another block, ${answer.block.hash}` };
    const shown = new Set(answer.block.transfers.map(keyOf));
    const missing = transfers.filter((transfer) => !shown.has(keyOf(transfer)));
    if (missing.length === 0) return { kind: 'agrees' };
    const what = `no such transfer in ${missing.map(({ txHash }) => txHash).join(', ')}`;
    return { kind: 'differs', version: [...shown].sort().join(), what };
  } catch (error) {
    if (error instanceof ChainUnavailable) return { kind: 'silent' };
    throw error;
  }
}

const keyOf = ({ txHash, ordinal, addressKey, currency, amount }: Transfer): string =>
  [txHash, ordinal, addressKey, currency, amount].join('/');
