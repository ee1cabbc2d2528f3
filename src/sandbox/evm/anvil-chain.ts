// The anvil that the sandbox runs itself: its chain survives every process, because each step is on disk before it is
// answered.

import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hex } from 'viem';
import type { BlockHead } from '../../chain/blocks.ts';
import { RpcError } from '../../chain/evm/rpc.ts';
import type { AnvilChain, AnvilChainOptions } from './chain-state.ts';
import type { ChainHost } from './host.ts';
import { openChainJournal } from './journal.ts';
import { mineEmptyBlocks, rollBack, tipOf } from './steps.ts';
import { rebuildBelow } from './rebuild.ts';
import { endNode, launchNode, relaunchNode, type AnvilNode } from './anvil-node.ts';
import { perform, replay, saveSnapshot } from './replay.ts';
import { endLeftoverProcesses } from '../leftover-processes.ts';

/** A snapshot is taken this long after the last change, or at once if replaying the journal would slow down a start. */
const SNAPSHOT_AFTER_MS = 5_000;
const MAX_REPLAY_MS = 400;

/**
 * Starts anvil with the chain as it was left: the snapshot, and the journal's steps since. Ends an anvil that a killed
 * process of ours left on the same folder, so only one program may use a folder at a time.
 */
export async function openAnvilChain(options: AnvilChainOptions): Promise<ChainHost> {
  const { folder, log } = options;
  const marker = join(folder, 'anvil');
  await endLeftoverProcesses(marker, log);
  // A killed anvil leaves its temporary folders behind.
  await rm(marker, { recursive: true, force: true });
  await mkdir(marker, { recursive: true, mode: 0o700 });
  const journal = await openChainJournal(folder);
  let node: AnvilNode | undefined;
  try {
    node = await launchNode({ options, marker, stateFile: journal.mark && journal.statePath });
    const chain: AnvilChain = {
      ...{ options, journal, node, pending: new Map<Hex, Hex>() },
      ...{ replayMs: 0, timer: undefined, stopped: false },
      tip: await tipOf(node.rpc),
    };
    await (journal.mark ? replay(chain) : beginChain(chain));
    restartOnExit(chain);
    return hostOf(chain);
  } catch (error) {
    if (node) await endNode(node);
    await journal.close();
    throw error;
  }
}

function hostOf(chain: AnvilChain): ChainHost {
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

/** A first start counts only once its snapshot is on disk; if killed before, it starts over. */
async function beginChain(chain: AnvilChain): Promise<void> {
  await chain.options.setUp(chain.node.rpc);
  chain.tip = await tipOf(chain.node.rpc);
  await saveSnapshot(chain);
}

/** Restarts the node if it ends unexpectedly. */
function restartOnExit(chain: AnvilChain): void {
  const { node } = chain;
  const { log, mutex } = chain.options;
  void node.exited.then(() => {
    if (chain.stopped || chain.node !== node || node.ended) return;
    mutex(() => ready(chain)).catch((error: unknown) => {
      if (!chain.stopped) log.error({ err: error }, 'anvil ended and could not be started again');
    });
  });
}

async function ready(chain: AnvilChain): Promise<BlockHead> {
  if (chain.stopped) throw new Error('The sandbox chain is stopped');
  if (!chain.node.alive) await revive(chain);
  const head = await tipOf(chain.node.rpc).catch(async (error: unknown) => {
    chain.options.log.warn({ err: error }, 'anvil does not answer');
    await revive(chain);
    return chain.tip;
  });
  if (head.hash !== chain.tip.hash) {
    // Another client advanced the node. The journal does not know how, so the state is saved as it is.
    chain.tip = head;
    await saveSnapshot(chain);
  }
  return chain.tip;
}

async function commit(chain: AnvilChain, { sends, blocks }: { sends: readonly Hex[]; blocks: number }): Promise<void> {
  const step = { sends, blocks, time: blockTime(chain) };
  await chain.journal.append(step);
  let isKnown = true;
  try {
    isKnown = await perform(chain, step);
  } catch (error) {
    if (error instanceof RpcError) throw error;
    // The node died meanwhile. The step is in the journal, so it is done once the chain is back.
    await revive(chain);
  }
  if (isKnown) planSnapshot(chain);
  else await saveSnapshot(chain);
}

/**
 * The snapshot at the end makes it final. If killed before, the old blocks come back, and nothing was answered; if
 * killed after, nothing on disk could bring them back.
 */
async function replaceNewest(chain: AnvilChain, depth: number): Promise<void> {
  const { tip } = chain;
  try {
    if (!(await rollBack(chain.node.rpc, depth))) await goBackByCheckpoint(chain, tip.height - depth);
    const request = { blocks: depth + 1, time: blockTime(chain), producer: `0x${tip.hash.slice(-40)}` };
    chain.pending = await mineEmptyBlocks(chain.node.rpc, { ...request, pending: [...chain.pending.values()] });
    chain.tip = await tipOf(chain.node.rpc);
    await saveSnapshot(chain);
  } catch (error) {
    // However far it got, go back to the chain on disk.
    await revive(chain);
    throw error;
  }
}

async function goBackByCheckpoint(chain: AnvilChain, height: number): Promise<void> {
  const { node, journal, options } = chain;
  const statePath = join(options.folder, 'rebuilt.json');
  await rebuildBelow({
    ...{ url: node.url, rpc: node.rpc, height, statePath },
    checkpoints: await journal.checkpoints(),
    openScratchNode: (stateFile) => launchNode({ options, marker: node.marker, stateFile }),
  });
  await endNode(node);
  chain.node = await relaunchNode({ options, marker: node.marker, stateFile: statePath }, node.place);
  restartOnExit(chain);
}

/**
 * Restarts the node at the same address with the chain on disk. Watchers must not see it half restored, so it is
 * restored in another node first.
 */
async function revive(chain: AnvilChain): Promise<void> {
  const { options, journal, node } = chain;
  options.log.warn(node.place, 'starting anvil again with the chain on disk');
  await endNode(node);
  const start = { options, marker: node.marker, stateFile: journal.statePath };
  if (journal.steps.length > 0) {
    const scratch = await launchNode(start);
    chain.node = scratch;
    try {
      await replay(chain);
      await saveSnapshot(chain);
    } finally {
      chain.node = node;
      await endNode(scratch);
    }
  }
  chain.node = await relaunchNode(start, node.place);
  try {
    await replay(chain);
  } catch (error) {
    // A partly restored chain must not be mistaken for one that another client changed.
    await endNode(chain.node);
    throw error;
  }
  restartOnExit(chain);
}

/** Never earlier than the newest block's time, even if the machine's clock was set back. */
function blockTime({ tip, options }: AnvilChain): number {
  return Math.floor(Math.max(tip.time.getTime(), options.now()) / 1_000);
}

function planSnapshot(chain: AnvilChain): void {
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

async function stop(chain: AnvilChain): Promise<void> {
  if (chain.stopped) return;
  chain.stopped = true;
  clearTimeout(chain.timer);
  const { log } = chain.options;
  if (chain.node.alive && chain.journal.steps.length > 0) {
    await saveSnapshot(chain).catch((error: unknown) =>
      log.warn({ err: error }, 'no snapshot at the stop; the journal has everything'),
    );
  }
  await endNode(chain.node);
  await chain.journal.close();
}
