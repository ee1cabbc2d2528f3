// The anvil that we run ourselves: its chain outlives every process, because each step is on disk before it is answered.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { keccak256, type Hex } from 'viem';
import type { Logger } from 'pino';
import type { BlockHead } from '../chain/adapter.ts';
import { createRpc, type Rpc, RpcError } from '../chain/evm/rpc.ts';
import { type Anvil, startAnvil } from './anvil.ts';
import { dumpState } from './anvil-state.ts';
import { type ChainHost, NODE_TIMEOUT_MS } from './chain-host.ts';
import { openChainJournal } from './chain-journal.ts';
import { applyStep, mineEmptyBlocks, rollBack, sendAgain, type Step, tipOf } from './chain-steps.ts';
import { rebuildBelow } from './chain-rebuild.ts';
import type { Mutex } from './mutex.ts';
import { endOrphans } from './orphans.ts';

/** Where and how to run it. `setUp` makes what every chain begins with; it runs once in the life of the folder. */
export interface HostOptions {
  readonly folder: string;
  readonly log: Logger;
  readonly mutex: Mutex;
  readonly binary: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly setUp: (rpc: Rpc) => Promise<void>;
}

/** Snapshots are taken this long after the last change, and when replaying the journal would delay a start by more than the second. */
const SNAPSHOT_AFTER_MS = 5_000;
const MAX_REPLAY_MS = 400;
/** The same in each run, and in the past, so that a journalled block time is never refused. */
const GENESIS_TIME = '1700000000';
/** Room for thousands of waiting transactions in one block. */
const BLOCK_GAS_LIMIT = '1000000000';
const PORT_ATTEMPTS = 10;

/** The node's own files: in a folder of ours, and by this argument an anvil that outlived us is recognised. */
const anvilMarker = (folder: string) => join(folder, 'anvil');

/**
 * Starts anvil with the chain as it was left: the snapshot, and the journal's steps since. Ends an anvil that a killed
 * process of ours left on the same folder, so one folder is for one program at a time.
 */
export async function openHostedChain(options: HostOptions): Promise<ChainHost> {
  const { folder, log, mutex, binary, now } = options;
  const journal = await openChainJournal(folder);
  const marker = anvilMarker(folder);
  await mkdir(marker, { recursive: true });
  await endOrphans(marker, log);

  let anvil: Anvil;
  let rpc: Rpc;
  let alive = false;
  let stopped = false;
  let tip: BlockHead;
  let pending = new Map<Hex, Hex>();
  let replayMs = 0;
  let timer: NodeJS.Timeout | undefined;

  async function launch(stateFile: string | null, port?: number): Promise<void> {
    const extraArgs = ['--cache-path', marker, '--timestamp', GENESIS_TIME, '--gas-limit', BLOCK_GAS_LIMIT];
    if (stateFile) extraArgs.push('--load-state', stateFile);
    const started = await startAnvil({ log, binary, extraArgs, ...(port === undefined ? {} : { port }) });
    anvil = started;
    rpc = createRpc({ network: 'ETH', url: started.url, timeoutMs: NODE_TIMEOUT_MS });
    alive = true;
    void started.exited.then(() => {
      if (anvil !== started) return;
      alive = false;
      if (!stopped) mutex(async () => void (await ready())).catch((error: unknown) => log.error({ err: error }, 'anvil ended and could not be started again'));
    });
  }

  async function relaunch(stateFile: string, port: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await launch(stateFile, port);
      } catch (error) {
        // Somebody's outgoing connection may have been given the port meanwhile; such things pass.
        if (attempt === PORT_ATTEMPTS) throw error;
        await rest(100);
      }
    }
  }

  /** Brings a node that has just loaded the snapshot to where the journal ends. */
  async function replay(): Promise<void> {
    pending = await sendAgain(rpc, journal.mark?.pending ?? []);
    tip = await tipOf(rpc);
    for (const step of journal.steps) {
      // What was refused when it was first done is refused again.
      await perform(step).catch((error: unknown) => {
        if (!(error instanceof RpcError)) throw error;
      });
    }
  }

  /** Does a step; false when foreign transactions came into its blocks, which the journal does not know. */
  async function perform(step: Step): Promise<boolean> {
    const startedMs = performance.now();
    await applyStep(rpc, step);
    for (const raw of step.sends) pending.set(keccak256(raw), raw);
    let ours = true;
    if (step.blocks > 0) {
      const first = await rpc.call('eth_getBlockByNumber', [`0x${(tip.height + 1).toString(16)}`, false]);
      for (const hash of (first as { transactions: Hex[] }).transactions) ours = pending.delete(hash) && ours;
      tip = await tipOf(rpc);
    }
    replayMs += performance.now() - startedMs;
    return ours;
  }

  async function snapshot(): Promise<void> {
    clearTimeout(timer);
    const dump = await dumpState(anvil.url);
    await journal.save({ height: tip.height, hash: tip.hash, pending: [...pending.values()] }, dump);
    replayMs = 0;
  }

  /** After a death: the same chain at the same port. Watchers must not see it half restored, so it is made whole elsewhere first. */
  async function revive(): Promise<void> {
    const { port } = anvil;
    log.warn({ port }, 'anvil ended by itself; starting it again');
    if (journal.steps.length > 0) {
      await launch(journal.statePath);
      await replay();
      await snapshot();
      await end();
    }
    await relaunch(journal.statePath, port);
    await replay();
  }

  /** Ends the node on purpose. */
  async function end(): Promise<void> {
    const ending = anvil;
    alive = false;
    const { port, pid, url } = ending;
    anvil = { port, pid, url, exited: Promise.resolve(), stop: () => Promise.resolve() };
    await ending.stop();
  }
