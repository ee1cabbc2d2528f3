// Anvil as the hosted chain runs it: its flags, its client, and whether it is there.

import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRpc, type Rpc } from '../../chain/evm/rpc.ts';
import type { Network } from '../../values/assets.ts';
import { startAnvil, type AnvilPlace } from './anvil.ts';
import { NODE_TIMEOUT_MS } from './host.ts';
import { setProducer } from './steps.ts';

export interface HostedNode {
  readonly url: string;
  readonly place: AnvilPlace;
  readonly rpc: Rpc;
  readonly marker: string;
  readonly exited: Promise<void>;
  alive: boolean;
  /** We ended it ourselves. */
  ended: boolean;
  stop(): Promise<void>;
}

interface NodeStart {
  readonly options: {
    readonly network: Network;
    readonly chainId: number;
    readonly log: Logger;
    readonly binary: string | undefined;
  };
  /** A folder of ours for the node's own files; by this argument one that outlived us is recognised. */
  readonly marker: string;
  readonly stateFile: string | null;
}

/** The same in each run, and in the past, so that a journalled block time is never refused. */
const GENESIS_TIME = '1700000000';
/** Room for thousands of waiting transactions in one block. */
const BLOCK_GAS_LIMIT = '1000000000';
const PORT_ATTEMPTS = 20;
const PORT_REST_MS = 100;

export async function launchNode({ options, marker, stateFile }: NodeStart, place?: AnvilPlace): Promise<HostedNode> {
  const extraArgs = ['--timestamp', GENESIS_TIME, '--gas-limit', BLOCK_GAS_LIMIT];
  if (stateFile !== null) extraArgs.push('--load-state', stateFile);
  const { network, chainId, log, binary } = options;
  const anvil = await startAnvil({
    log,
    binary,
    chainId,
    cachePath: marker,
    extraArgs,
    ...(place && { place }),
  });
  const rpc = createRpc({ network, url: anvil.url, timeoutMs: NODE_TIMEOUT_MS });
  const { url, exited, stop } = anvil;
  const node: HostedNode = { url, place: anvil.place, rpc, marker, exited, alive: true, ended: false, stop };
  void exited.then(() => (node.alive = false));
  // A loaded state brings back the producer of its newest block.
  await setProducer(rpc);
  // Every block after the first of a step has its time. Left alone they take the clock's, and not the same in a replay.
  await rpc.call('anvil_setBlockTimestampInterval', [0]);
  return node;
}

/** Starts it where it was before. Somebody's outgoing connection may have been given the port meanwhile: that passes. */
export async function relaunchNode(start: NodeStart, place: AnvilPlace): Promise<HostedNode> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchNode(start, place);
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error;
      await rest(PORT_REST_MS);
    }
  }
}

/** Ends it on purpose, dead or alive. */
export async function endNode(node: HostedNode): Promise<void> {
  node.ended = true;
  await node.stop();
  node.alive = false;
}
