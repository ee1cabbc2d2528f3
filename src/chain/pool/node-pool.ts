// Several nodes of one network as one: the best is asked, another one when it fails, and what counts for much money is
// asked of two. A block is never skipped or repeated by a change of nodes, because each is asked by the cursor's hash.

import type { Logger } from 'pino';
import type { ChainAdapter } from '../adapter.ts';
import type { BlockRef, ChainBlock, Next } from '../blocks.ts';
import { ChainUnavailable, TransactionRefused } from '../errors.ts';
import { createAgreed } from './agreed.ts';
import { createQuorumCheck } from './quorum.ts';
import { createPrices } from './prices.ts';
import { ask, createPoolNode, inOrder, rest, stateOf, type PoolNode } from './node-health.ts';

interface PoolOptions {
  /** One for each node, in the order of the configuration; at least one. */
  readonly adapters: readonly ChainAdapter[];
  readonly log?: Logger | undefined;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

/** What asks no node, and what is not a question to any one of them. */
const PURE = new Set([
  ...['derive', 'parseAddress', 'paymentUri', 'addressOf', 'buildTransaction'],
  ...['dustOf', 'sizeOf', 'buildSpend', 'spendsOf', 'outputsOf'],
]);

/**
 * Makes one adapter of several. It throws `ChainUnavailable` when none of them can answer. What a node refuses
 * (`TransactionRefused`) is an answer, and is not asked of another.
 */
export function createNodePool({ adapters, log, now = () => performance.now() }: PoolOptions): ChainAdapter {
  const nodes = adapters.map((adapter, place) => createPoolNode(adapter, place, now));
  const [model] = adapters;
  if (!model) throw new Error('A network has at least one node');
  const { network } = model;
  let inUse: PoolNode | null = null;
  const sources = new WeakMap<ChainBlock, PoolNode>();

  function able(): PoolNode[] {
    const found = inOrder(nodes, inUse);
    if (found.length > 0) return found;
    const states = nodes.map((node) => `${node.name} ${describe(node)}`).join(', ');
    throw new ChainUnavailable(network, `no node can be asked: ${states}`);
  }

  /** Asks one node after the other until one answers. */
  async function askAny<Value>(question: (adapter: ChainAdapter) => Promise<Value>): Promise<[Value, PoolNode]> {
    let failure: unknown;
    for (const node of able()) {
      try {
        const value = await ask(node, question);
        if (inUse !== node)
          log?.info({ network, node: node.name, before: inUse?.name }, 'another node is asked from now on');
        inUse = node;
        return [value, node];
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
        log?.warn({ network, node: node.name, reason: error.message }, 'a node failed');
        failure = error;
      }
    }
    throw failure;
  }

  /**
   * What follows a cursor. That the cursor left the chain is believed when no other node still has it: a node that is
   * behind, or on a branch of its own, would have deposits taken back that are there.
   */
  async function next(cursor: BlockRef): Promise<Next> {
    const [answer, teller] = await askAny((adapter) => adapter.next(cursor));
    if (answer.kind === 'block') sources.set(answer.block, teller);
    if (answer.kind !== 'reorganised') return answer;
    for (const other of able().filter((node) => node !== teller)) {
      const has = await ask(other, (adapter) => adapter.isCanonical(cursor)).catch(() => false);
      if (!has) continue;
      rest(teller);
      log?.warn(
        { network, node: teller.name, cursor },
        'a node lacks a block that another has; it is left alone for a while',
      );
      const followed = await ask(other, (adapter) => adapter.next(cursor));
      if (followed.kind === 'block') sources.set(followed.block, other);
      inUse = other;
      return followed;
    }
    return answer;
  }

  async function following(height: number, count: number, tipHeight: number): Promise<readonly ChainBlock[]> {
    const read = (adapter: ChainAdapter) => adapter.following?.(height, count, tipHeight) ?? Promise.resolve([]);
    const [blocks, teller] = await askAny(read);
    for (const block of blocks) sources.set(block, teller);
    return blocks;
  }

  /** Each is looked at; one that is as it should be is enough. The first fault is thrown where none is. */
  async function verify(): Promise<void> {
    await Promise.all(nodes.filter(({ dropped }) => dropped === null).map((node) => verifyNode(node, log)));
    const faulty = nodes.find(({ fault }) => fault !== null);
    if (nodes.every(({ fault, dropped }) => fault !== null || dropped !== null)) {
      if (faulty?.fault) throw faulty.fault;
      able();
    }
  }

  /**
   * Handed to all that are there, so that one that keeps it to itself delays nothing. What the best one does not take
   * another may: a refusal counts when all of them refuse.
   */
  async function broadcast(raw: string): Promise<'sent' | 'known'> {
    const [first, ...others] = able();
    const elsewhere = others.map((node) =>
      ask(node, (adapter) => adapter.broadcast(raw)).catch(() => 'failed' as const),
    );
    try {
      if (!first) throw new ChainUnavailable(network, 'no node can be asked');
      return await ask(first, (adapter) => adapter.broadcast(raw));
    } catch (error) {
      if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
      const took = (await Promise.all(elsewhere)).find((answer) => answer !== 'failed');
      if (took === undefined) throw error;
      return took;
    }
  }

  const requireQuorum = createQuorumCheck({
    network,
    nodes,
    sourceOf: (block) => sources.get(block) ?? null,
    able,
    log,
  });
  const agreed = createAgreed({ network, nodes, able });
  const prices = createPrices(able);
  const own = {
    next,
    ...(model.following && { following }),
    verify,
    broadcast,
    requireQuorum,
    ...(nodes.length > 1 && { agreed }),
    fees: prices.fees,
    ...(model.model === 'ACCOUNT' && { quote: prices.quote }),
    nodes: () => nodes.map(stateOf),
  };
  const asked = Object.entries(model as unknown as Record<string, unknown>)
    .filter(([name, member]) => typeof member === 'function' && !PURE.has(name) && !(name in own))
    .map(([name]) => [
      name,
      (...args: unknown[]) => askAny((adapter) => call(adapter, name, args)).then(([value]) => value),
    ]);
  // What pays as the first one pays: all of them are of one kind.
  return { ...model, ...(Object.fromEntries(asked) as object), ...own };
}

function call(adapter: ChainAdapter, name: string, args: readonly unknown[]): Promise<unknown> {
  const member = (adapter as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[name];
  if (!member) throw new Error(`The nodes of one network differ: one has no ${name}`);
  return member(...args);
}

async function verifyNode(node: PoolNode, log: Logger | undefined): Promise<void> {
  if (node.restsUntilMs > node.now()) return;
  const { adapter } = node;
  try {
    await ask(node, () => adapter.verify());
    node.height = (await ask(node, () => adapter.tip())).height;
    if (node.fault) log?.warn({ network: adapter.network, node: node.name }, 'a node is as it should be again');
    node.fault = null;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    if (node.fault?.message !== error.message)
      log?.error(
        { network: adapter.network, node: node.name, reason: error.message },
        'a node is not what it should be',
      );
    node.fault = error;
  }
}

function describe(node: PoolNode): string {
  if (node.dropped !== null) return `was dropped (${node.dropped})`;
  return node.fault ? `is out of service (${node.fault.message})` : 'rests after a failure';
}
