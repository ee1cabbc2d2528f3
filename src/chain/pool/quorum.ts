// The second opinion: what is worth much is credited only after another node has shown the same block with the same
// transfers. A node that is alone with its story against two others is not asked any more.

import type { Logger } from 'pino';
import type { Network } from '../../values/assets.ts';
import type { ChainBlock, Transfer } from '../blocks.ts';
import { ChainUnavailable } from '../errors.ts';
import { ask, type PoolNode } from './node-health.ts';

interface QuorumDeps {
  readonly network: Network;
  readonly nodes: readonly PoolNode[];
  readonly sourceOf: (block: ChainBlock) => PoolNode | null;
  readonly able: () => PoolNode[];
  readonly log: Logger | undefined;
}

/** What another node shows in the place of a block: the same, something else, or nothing yet. */
type Opinion =
  | { readonly kind: 'agrees' }
  | { readonly kind: 'differs'; readonly story: string; readonly what: string }
  | { readonly kind: 'silent' };

/**
 * Makes the check. It returns once another node agrees, and throws `ChainUnavailable` until then: the block is read
 * again, and nothing of it is credited meanwhile.
 */
export function createQuorumCheck({ network, nodes, sourceOf, able, log }: QuorumDeps) {
  return async (block: ChainBlock, transfers: readonly Transfer[]): Promise<void> => {
    if (nodes.length < 2 || transfers.length === 0) return;
    const source = sourceOf(block);
    const others = able().filter((node) => node !== source);
    const opinions = await Promise.all(
      others.map(async (node) => ({ node, opinion: await opinionOf(node, block, transfers) })),
    );
    const differing = opinions.flatMap(({ node, opinion }) =>
      opinion.kind === 'differs' ? [{ node, ...opinion }] : [],
    );
    const agreeing = opinions.filter(({ opinion }) => opinion.kind === 'agrees');
    if (differing.length === 0 && agreeing.length > 0) return;
    const place = { network, block: { hash: block.hash, height: block.height } };
    if (differing.length === 0) {
      log?.warn(place, 'a large deposit waits for a second node to show its block');
      throw new ChainUnavailable(network, `no second node shows block ${String(block.height)} yet`);
    }
    judge(place, source, agreeing.length + 1, differing);
    // Where the one who told the block is in good company, the others have been dropped by now.
    if (agreeing.length > 0 && differing.every(({ node }) => node.dropped !== null)) return;
    throw new ChainUnavailable(network, `the nodes do not agree on block ${String(block.height)}`);
  };

  /** Two against one is a verdict; one against one is not, and waits for somebody to look. */
  function judge(
    place: object,
    source: PoolNode | null,
    agreed: number,
    differing: readonly { readonly node: PoolNode; readonly story: string; readonly what: string }[],
  ): void {
    const told = differing.map(({ node, what }) => `${node.name}: ${what}`);
    log?.error({ ...place, source: source?.name, told }, 'the nodes do not agree on a block with a large deposit');
    const stories = Map.groupBy(differing, ({ story }) => story);
    const largest = Math.max(...[...stories.values()].map((tellers) => tellers.length));
    if (agreed >= 2 && agreed > largest) {
      for (const { node, what } of differing) drop(node, what);
    } else if (source && largest >= 2 && largest > agreed) {
      drop(source, `it alone has block ${JSON.stringify(place)}`);
    }
  }

  function drop(node: PoolNode, reason: string): void {
    node.dropped = reason;
    log?.error({ network, node: node.name, reason }, 'a node is dropped: what it says is contradicted by two others');
  }
}

async function opinionOf(node: PoolNode, block: ChainBlock, transfers: readonly Transfer[]): Promise<Opinion> {
  const parent = { hash: block.parentHash, height: block.height - 1 };
  try {
    const answer = await ask(node, (adapter) => adapter.next(parent));
    if (answer.kind === 'tip') return { kind: 'silent' };
    // Its parent is not there either: behind, or on another branch; it will be one of the two before long.
    if (answer.kind === 'reorganised') return { kind: 'silent' };
    if (answer.block.hash !== block.hash)
      return { kind: 'differs', story: answer.block.hash, what: `another block, ${answer.block.hash}` };
    const shown = new Set(answer.block.transfers.map(nameOf));
    const missing = transfers.filter((transfer) => !shown.has(nameOf(transfer)));
    if (missing.length === 0) return { kind: 'agrees' };
    const what = `no such transfer in ${missing.map(({ txHash }) => txHash).join(', ')}`;
    return { kind: 'differs', story: [...shown].sort().join(), what };
  } catch (error) {
    if (error instanceof ChainUnavailable) return { kind: 'silent' };
    throw error;
  }
}

const nameOf = ({ txHash, ordinal, addressKey, currency, amount }: Transfer): string =>
  [txHash, ordinal, addressKey, currency, amount].join('/');
