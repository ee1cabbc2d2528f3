// The anvil that we run ourselves: its chain outlives every process, because each step is on disk before it is answered.

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from 'viem';
import type { Logger } from 'pino';
import type { BlockHead } from '../../chain/blocks.ts';
import { type Rpc, RpcError } from '../../chain/evm/rpc.ts';
import type { Network } from '../../values/assets.ts';
import type { ChainHost } from './host.ts';
import { openChainJournal, type ChainJournal } from './journal.ts';
import { mineEmptyBlocks, rollBack, tipOf } from './steps.ts';
import { rebuildBelow } from './rebuild.ts';
import { endNode, launchNode, relaunchNode, type HostedNode } from './anvil-node.ts';
import { perform, replay, saveSnapshot } from './replay.ts';
import type { Mutex } from '../mutex.ts';
import { endOrphans } from '../leftover-processes.ts';

/** Where and how to run it. `setUp` makes what every chain begins with; it runs once in the life of the folder. */
export interface HostOptions {
  readonly network: Network;
  readonly chainId: number;
  readonly folder: string;
  readonly log: Logger;
  readonly mutex: Mutex;
  readonly binary: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly setUp: (rpc: Rpc) => Promise<void>;
}

/** Everything that changes while it runs. */
export interface HostedChain {
  readonly options: HostOptions;
  readonly journal: ChainJournal;
  /** The node that everybody sees. */
  node: HostedNode;
  tip: BlockHead;
  /** Signed transactions in the mempool by hash, in the order in which they came. */
  pending: Map<Hex, Hex>;
  /** How long the journal's steps took, and so will take again. */
  replayMs: number;
  timer: NodeJS.Timeout | undefined;
  stopped: boolean;
}

/** A snapshot is taken this long after the last change, and at once when replaying the journal would slow a start down. */
const SNAPSHOT_AFTER_MS = 5_000;
const MAX_REPLAY_MS = 400;

/**
 * Starts anvil with the chain as it was left: the snapshot, and the journal's steps since. Ends an anvil that a killed
 * process of ours left on the same folder, so one folder is for one program at a time.
 */
export async function openHostedChain(options: HostOptions): Promise<ChainHost> {
  const { folder, log } = options;
  const marker = join(folder, 'anvil');
  await endOrphans(marker, log);
  // Killed, anvil leaves its temporary folders behind.
  await rm(marker, { recursive: true, force: true });
  await mkdir(marker, { recursive: true, mode: 0o700 });
  const journal = await openChainJournal(folder);
  let node: HostedNode | undefined;
  try {
    node = await launchNode({ options, marker, stateFile: journal.mark && journal.statePath });
    const chain: HostedChain = {
      ...{ options, journal, node, pending: new Map<Hex, Hex>() },
      ...{ replayMs: 0, timer: undefined, stopped: false },
      tip: await tipOf(node.rpc),
    };
    await (journal.mark ? replay(chain) : beginChain(chain));
    guard(chain);
    return hostOf(chain);
  } catch (error) {
    if (node) await endNode(node);
    await journal.close();
    throw error;
  }
}

function hostOf(chain: HostedChain): ChainHost {
  return {
    url: chain.node.url,
    get rpc() {
      return chain.node.rpc;
    },
    ready: () => ready(chain),
    commit: (step) => commit(chain, step),
    replaceNewest: (depth) => replaceNewest(chain, depth),
    stop: () => stop(chain),
  };
}

/** Nothing of a first start counts until its snapshot is on disk: killed before, it begins anew. */
async function beginChain(chain: HostedChain): Promise<void> {
  await chain.options.setUp(chain.node.rpc);
  chain.tip = await tipOf(chain.node.rpc);
  await saveSnapshot(chain);
}

/** Starts the node again when it ends without our doing. */
function guard(chain: HostedChain): void {
  const { node } = chain;
  const { log, mutex } = chain.options;
  void node.exited.then(() => {
    if (chain.stopped || chain.node !== node || node.ended) return;
    mutex(() => ready(chain)).catch((error: unknown) => {
      if (!chain.stopped) log.error({ err: error }, 'anvil ended and could not be started again');
    });
  });
}

async function ready(chain: HostedChain): Promise<BlockHead> {
  if (chain.stopped) throw new Error('The sandbox chain is stopped');
  if (!chain.node.alive) await revive(chain);
  const head = await tipOf(chain.node.rpc).catch(async (error: unknown) => {
    chain.options.log.warn({ err: error }, 'anvil does not answer');
    await revive(chain);
    return chain.tip;
  });
  if (head.hash !== chain.tip.hash) {
    // Somebody mined past us, by the node's own interface: the journal does not know how, so the state is taken as it is.
    chain.tip = head;
    await saveSnapshot(chain);
  }
  return chain.tip;
}

async function commit(chain: HostedChain, { sends, blocks }: { sends: readonly Hex[]; blocks: number }): Promise<void> {
  const step = { sends, blocks, time: blockTime(chain) };
  await chain.journal.append(step);
  let known = true;
  try {
    known = await perform(chain, step);
  } catch (error) {
    if (error instanceof RpcError) throw error;
    // The node died under our hands. The step is in the journal, so it is done when the chain is back.
    await revive(chain);
  }
  if (known) planSnapshot(chain);
  else await saveSnapshot(chain);
}

/**
 * The snapshot at the end is what makes it final: killed before, the old blocks come back, and nothing was answered;
 * killed after, there is nothing on disk of which they could.
 */
async function replaceNewest(chain: HostedChain, depth: number): Promise<void> {
  const { tip } = chain;
  try {
    if (!(await rollBack(chain.node.rpc, depth))) await goBackByCheckpoint(chain, tip.height - depth);
    const request = { blocks: depth + 1, time: blockTime(chain), producer: `0x${tip.hash.slice(-40)}` };
    chain.pending = await mineEmptyBlocks(chain.node.rpc, { ...request, pending: [...chain.pending.values()] });
    chain.tip = await tipOf(chain.node.rpc);
    await saveSnapshot(chain);
  } catch (error) {
    // Whatever was reached, the chain is again the one on disk.
    await revive(chain);
    throw error;
  }
}

async function goBackByCheckpoint(chain: HostedChain, height: number): Promise<void> {
  const { node, journal, options } = chain;
  const statePath = join(options.folder, 'rebuilt.json');
  await rebuildBelow({
    ...{ url: node.url, rpc: node.rpc, height, statePath },
    checkpoints: await journal.checkpoints(),
    openWorkshop: (stateFile) => launchNode({ options, marker: node.marker, stateFile }),
  });
  await endNode(node);
  chain.node = await relaunchNode({ options, marker: node.marker, stateFile: statePath }, node.place);
  guard(chain);
}

/** The chain on disk, at the same place. Watchers must not see it half restored, so it is made whole elsewhere first. */
async function revive(chain: HostedChain): Promise<void> {
  const { options, journal, node } = chain;
  options.log.warn(node.place, 'starting anvil again with the chain on disk');
  await endNode(node);
  const start = { options, marker: node.marker, stateFile: journal.statePath };
  if (journal.steps.length > 0) {
    const workshop = await launchNode(start);
    chain.node = workshop;
    try {
      await replay(chain);
      await saveSnapshot(chain);
    } finally {
      chain.node = node;
      await endNode(workshop);
    }
  }
  chain.node = await relaunchNode(start, node.place);
  try {
    await replay(chain);
  } catch (error) {
    // A chain that is restored in part must not be taken for one that somebody else changed.
    await endNode(chain.node);
    throw error;
  }
  guard(chain);
}

/** Never before the newest block's, even if the machine's clock was set back. */
function blockTime({ tip, options }: HostedChain): number {
  return Math.floor(Math.max(tip.time.getTime(), options.now()) / 1_000);
}

function planSnapshot(chain: HostedChain): void {
  clearTimeout(chain.timer);
  const { mutex, log } = chain.options;
  const save = () => {
    mutex(async () => {
      if (!chain.stopped && chain.node.alive && chain.journal.steps.length > 0) await saveSnapshot(chain);
    }).catch((error: unknown) => log.error({ err: error }, 'no snapshot of the sandbox chain; its journal grows'));
  };
  if (chain.replayMs > MAX_REPLAY_MS) save();
  else chain.timer = setTimeout(save, SNAPSHOT_AFTER_MS).unref();
}

async function stop(chain: HostedChain): Promise<void> {
  if (chain.stopped) return;
  chain.stopped = true;
  clearTimeout(chain.timer);
  const { log } = chain.options;
  if (chain.node.alive && chain.journal.steps.length > 0) {
    await saveSnapshot(chain).catch((error: unknown) =>
      log.warn({ err: error }, 'no snapshot at the stop; the journal has it all'),
    );
  }
  await endNode(chain.node);
  await chain.journal.close();
}
