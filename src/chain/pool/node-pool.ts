// Makes one adapter of several nodes: asks the best one, fails over to the others, and asks two where much money
// depends on it. A failover never skips or repeats a block, because every node is asked by the cursor's hash.

import type { Logger } from 'pino';
import type { Network } from '../../values/assets.ts';
import type { ChainAdapter } from '../adapter.ts';
import type { BlockRef, ChainBlock, Next } from '../blocks.ts';
import { ChainUnavailable, TransactionRefused } from '../errors.ts';
import { createAgreement } from './agreement.ts';
import { createQuorumCheck } from './quorum.ts';
import { createPrices } from './prices.ts';
import { ask, createPoolNode, inOrder, rest, stateOf, type PoolNode } from './node-health.ts';

interface PoolOptions {
  /** One per node, in the order of the configuration; at least one. */
  readonly adapters: readonly ChainAdapter[];
  readonly log?: Logger | undefined;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

interface Pool {
  readonly network: Network;
  readonly nodes: readonly PoolNode[];
  readonly log: Logger | undefined;
  /** The node that each block was read from. */
  readonly sources: WeakMap<ChainBlock, PoolNode>;
  inUse: PoolNode | null;
}

/** Methods that ask no node. */
const PURE = new Set([
  ...['derive', 'parseAddress', 'addressFor', 'paymentUri', 'addressOf', 'buildTransaction'],
  ...['dustOf', 'sizeOf', 'buildSpend', 'spendsOf', 'outputsOf'],
]);

/**
 * The pooled adapter throws `ChainUnavailable` only if no node can answer. A rejected transaction
 * (`TransactionRefused`) is an answer, so no other node is asked.
 */
export function createNodePool({ adapters, log, now = () => performance.now() }: PoolOptions): ChainAdapter {
  const nodes = adapters.map((adapter, position) => createPoolNode(adapter, position, now));
  const [model] = adapters;
  if (!model) throw new Error('A network has at least one node');
  const { network } = model;
  const pool: Pool = { network, nodes, log, sources: new WeakMap(), inUse: null };
  const available = () => availableNodes(pool);
  const sourceOf = (block: ChainBlock) => pool.sources.get(block) ?? null;
  const prices = createPrices(available);
  const own = {
    next: (cursor: BlockRef) => next(pool, cursor),
    ...(model.following && {
      following: (height: number, count: number, tipHeight: number) => following(pool, height, count, tipHeight),
    }),
    verify: () => verify(pool),
    broadcast: (raw: string) => broadcast(pool, raw),
    requireQuorum: createQuorumCheck({ network, nodes, sourceOf, available, log }),
    ...(nodes.length > 1 && { agreed: createAgreement({ network, nodes, available }) }),
    fees: prices.fees,
    ...(model.model === 'ACCOUNT' && { quote: prices.quote }),
    nodes: () => nodes.map(stateOf),
  };
  const forwarded = Object.entries(model as unknown as Record<string, unknown>)
    .filter(([name, member]) => typeof member === 'function' && !PURE.has(name) && !(name in own))
    .map(([name]) => [
      name,
      (...args: unknown[]) => askAny(pool, (adapter) => call(adapter, name, args)).then(([value]) => value),
    ]);
  // All nodes of a network are of one kind, so the first one stands for all.
  return { ...model, ...(Object.fromEntries(forwarded) as object), ...own };
}

/** The nodes that can be asked, best first. Throws if there are none. */
function availableNodes({ network, nodes, inUse }: Pool): PoolNode[] {
  const found = inOrder(nodes, inUse);
  if (found.length > 0) return found;
  const states = nodes.map((node) => `${node.name} ${describe(node)}`).join(', ');
  throw new ChainUnavailable(network, `no node can be asked: ${states}`);
}

/** Asks one node after the other until one answers. */
async function askAny<Value>(
  pool: Pool,
  question: (adapter: ChainAdapter) => Promise<Value>,
): Promise<[Value, PoolNode]> {
  const { network, log } = pool;
  let failure: unknown;
  for (const node of availableNodes(pool)) {
    try {
      const value = await ask(node, question);
      if (pool.inUse !== node)
        log?.info({ network, node: node.name, before: pool.inUse?.name }, 'switched to another node');
      pool.inUse = node;
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
 * The block after the cursor. A reorganisation is believed only if no other node still has the cursor: a node that
 * lags, or follows another branch, must not undo deposits that exist.
 */
async function next(pool: Pool, cursor: BlockRef): Promise<Next> {
  const { network, log, sources } = pool;
  const [answer, source] = await askAny(pool, (adapter) => adapter.next(cursor));
  if (answer.kind === 'block') sources.set(answer.block, source);
  if (answer.kind !== 'reorganised') return answer;
  for (const other of availableNodes(pool).filter((node) => node !== source)) {
    const hasCursor = await ask(other, (adapter) => adapter.isCanonical(cursor)).catch(() => false);
    if (!hasCursor) continue;
    rest(source);
    log?.warn(
      { network, node: source.name, cursor },
      'a node lacks a block that another node has; it rests for a while',
    );
    const followed = await ask(other, (adapter) => adapter.next(cursor));
    if (followed.kind === 'block') sources.set(followed.block, other);
    pool.inUse = other;
    return followed;
  }
  return answer;
}

async function following(pool: Pool, height: number, count: number, tipHeight: number): Promise<readonly ChainBlock[]> {
  const read = (adapter: ChainAdapter) => adapter.following?.(height, count, tipHeight) ?? Promise.resolve([]);
  const [blocks, source] = await askAny(pool, read);
  for (const block of blocks) pool.sources.set(block, source);
  return blocks;
}

/** Checks every node; one healthy node is enough. If there is none, throws the first fault. */
async function verify(pool: Pool): Promise<void> {
  const { nodes, log } = pool;
  await Promise.all(nodes.filter(({ dropped }) => dropped === null).map((node) => verifyNode(node, log)));
  const faulty = nodes.find(({ fault }) => fault !== null);
  if (nodes.every(({ fault, dropped }) => fault !== null || dropped !== null)) {
    if (faulty?.fault) throw faulty.fault;
    availableNodes(pool);
  }
}

/**
 * Sends to all nodes at once, so that a node that withholds a transaction delays nothing. A rejection counts only if
 * all nodes reject.
 */
async function broadcast(pool: Pool, raw: string): Promise<'sent' | 'known'> {
  const [first, ...others] = availableNodes(pool);
  const answers = others.map((node) => ask(node, (adapter) => adapter.broadcast(raw)).catch(() => 'failed' as const));
  try {
    if (!first) throw new ChainUnavailable(pool.network, 'no node can be asked');
    return await ask(first, (adapter) => adapter.broadcast(raw));
  } catch (error) {
    if (!(error instanceof ChainUnavailable || error instanceof TransactionRefused)) throw error;
    const accepted = (await Promise.all(answers)).find((answer) => answer !== 'failed');
    if (accepted === undefined) throw error;
    return accepted;
  }
}

function call(adapter: ChainAdapter, name: string, args: readonly unknown[]): Promise<unknown> {
  const member = (adapter as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[name];
  if (!member) throw new Error(`The nodes of one network differ: one has no ${name}`);
  return member(...args);
}

async function verifyNode(node: PoolNode, log: Logger | undefined): Promise<void> {
  if (node.restsUntilMs > node.now()) return;
  const { adapter } = node;
  const { network } = adapter;
  try {
    await ask(node, () => adapter.verify());
    node.height = (await ask(node, () => adapter.tip())).height;
    if (node.fault) log?.warn({ network, node: node.name }, 'a node is healthy again');
    node.fault = null;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    if (node.fault?.message !== error.message)
      log?.error({ network, node: node.name, reason: error.message }, 'a node is faulty');
    node.fault = error;
  }
}

function describe(node: PoolNode): string {
  if (node.dropped !== null) return `was dropped (${node.dropped})`;
  return node.fault ? `is out of service (${node.fault.message})` : 'rests after a failure';
}
