// The operations on a development node, whether ours or not, and how they are done on one that someone else runs.

import type { Hex } from 'viem';
import type { BlockHead } from '../../chain/blocks.ts';
import { createRpc, type Rpc } from '../../chain/evm/rpc.ts';
import type { Network } from '../../values/assets.ts';
import { invalid } from '../../values/errors.ts';
import { hex, mineEmptyBlocks, rollBack, sendSigned, tipOf } from './steps.ts';

/** A node and the operations on it. `commit` and `replaceNewest` are called one at a time, inside the chain's mutex. */
export interface ChainHost {
  readonly url: string;
  readonly rpc: Rpc;
  /** Makes sure that the node is up and its chain is the one we know; returns the newest block. */
  ready(): Promise<BlockHead>;
  /** Sends signed transactions and mines blocks. If the chain is ours, it is durable when this resolves. */
  commit(step: { sends: readonly Hex[]; blocks: number }): Promise<void>;
  /** Replaces the newest `depth` blocks by `depth` + 1 empty ones; their transactions do not come back. */
  replaceNewest(depth: number): Promise<void>;
  stop(): Promise<void>;
}

/** The node does not let us mine and set balances; today only anvil does. */
export class NotADevChain extends Error {
  constructor(readonly clientVersion: string) {
    super(`The node at the RPC URL is not a development chain that the sandbox can simulate on: ${clientVersion}`);
    this.name = 'NotADevChain';
  }
}

/** For mining thousands of blocks at once, or a node under load. */
export const NODE_TIMEOUT_MS = 120_000;

interface AttachOptions {
  readonly network: Network;
  readonly url: string;
  readonly now: () => number;
}

/**
 * Connects to a development node that someone else runs, and turns off its automatic mining. Nothing is journalled: how
 * durable that chain is, is up to them. Throws `NotADevChain`, or `ChainUnavailable` when there is no answer.
 */
export async function attachChain({ network, url, now }: AttachOptions): Promise<ChainHost> {
  const rpc = createRpc({ network, url, timeoutMs: NODE_TIMEOUT_MS });
  const version = String(await rpc.call('web3_clientVersion', []));
  if (!/^anvil\b/i.test(version)) throw new NotADevChain(version.slice(0, 100));

  // From here on it mines only when told to: a deposit has exactly the confirmations that were asked for. Automatic
  // mining cannot be turned off just for the moment, because turning it on again mines at once what waits.
  await rpc.call('evm_setAutomine', [false]);

  return {
    url,
    rpc,
    ready: () => tipOf(rpc),
    commit: async ({ sends, blocks }) => {
      for (const raw of sends) await sendSigned(rpc, raw);
      if (blocks > 0) await rpc.call('anvil_mine', [hex(blocks)]);
    },
    replaceNewest: async (depth) => {
      const { hash, time } = await tipOf(rpc);
      const pending = await poolOf(rpc);
      if (!(await rollBack(rpc, depth))) {
        throw invalid([{ path: 'input.depth', message: 'the node no longer holds the state below that many blocks' }]);
      }
      const seconds = Math.floor(Math.max(time.getTime(), now()) / 1_000);
      const producer = `0x${hash.slice(-40)}`;
      await mineEmptyBlocks(rpc, { blocks: depth + 1, time: seconds, producer, pending });
    },
    stop: () => Promise.resolve(),
  };
}

/** The signed transactions that wait in a node's mempool. */
async function poolOf(rpc: Rpc): Promise<Hex[]> {
  type Pool = Record<string, Record<string, Record<string, { hash: string }>>>;
  const pool = (await rpc.call('txpool_content', [])) as Pool;
  const waiting = Object.values(pool).flatMap((bySender) => Object.values(bySender).flatMap((tx) => Object.values(tx)));
  const raws: Hex[] = [];
  for (const { hash } of waiting) {
    const raw = await rpc.call('eth_getRawTransactionByHash', [hash]);
    if (typeof raw === 'string') raws.push(raw as Hex);
  }
  return raws;
}
