// One anvil node of the sandbox's chain: its flags, its client, and whether it is running.

import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRpc, type Rpc } from '../../chain/evm/rpc.ts';
import type { Network } from '../../values/assets.ts';
import { startAnvil, type AnvilPlace } from './anvil.ts';
import { NODE_TIMEOUT_MS } from './host.ts';
import { setProducer } from './steps.ts';

export interface AnvilNode {
  readonly url: string;
  readonly place: AnvilPlace;
  readonly rpc: Rpc;
  readonly marker: string;
  readonly exited: Promise<void>;
  alive: boolean;
  /** Whether we ended it ourselves. */
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
  /** Our folder for the node's own files; as an argument it identifies a node that outlived us. */
  readonly marker: string;
  readonly stateFile: string | null;
}

/** The same in each run, and in the past, so that a journalled block time is never refused. */
const GENESIS_TIME = '1700000000';
/** Room for thousands of waiting transactions in one block. */
const BLOCK_GAS_LIMIT = '1000000000';
const PORT_ATTEMPTS = 20;
const PORT_REST_MS = 100;

export async function launchNode({ options, marker, stateFile }: NodeStart, place?: AnvilPlace): Promise<AnvilNode> {
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
  const node: AnvilNode = { url, place: anvil.place, rpc, marker, exited, alive: true, ended: false, stop };
  void exited.then(() => (node.alive = false));
  // Loading a state restores the producer of its newest block.
  await setProducer(rpc);
  // Every later block of a step has the time of the first. Otherwise they would take the clock's time, which is another
  // in a replay.
  await rpc.call('anvil_setBlockTimestampInterval', [0]);
  return node;
}

/** Restarts it at its previous address. An outgoing connection may have been given the port meanwhile: that passes. */
export async function relaunchNode(start: NodeStart, place: AnvilPlace): Promise<AnvilNode> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launchNode(start, place);
    } catch (error) {
      if (attempt === PORT_ATTEMPTS) throw error;
      await rest(PORT_REST_MS);
    }
  }
}

/** Ends it on purpose, whether or not it still runs. */
export async function endNode(node: AnvilNode): Promise<void> {
  node.ended = true;
  await node.stop();
  node.alive = false;
}
