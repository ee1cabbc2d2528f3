// The state of a chain on the sandbox's own anvil, with the options that it was opened with.

import type { Hex } from 'viem';
import type { Logger } from 'pino';
import type { BlockHead } from '../../chain/blocks.ts';
import type { Rpc } from '../../chain/evm/rpc.ts';
import type { Network } from '../../values/assets.ts';
import type { Mutex } from '../mutex.ts';
import type { AnvilNode } from './anvil-node.ts';
import type { ChainJournal } from './journal.ts';

/** Where and how to run it. `setUp` prepares a new chain; it runs once in the life of the folder. */
export interface AnvilChainOptions {
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

/** A running chain: what it was opened with, and what changes while it runs. */
export interface AnvilChain {
  readonly options: AnvilChainOptions;
  readonly journal: ChainJournal;
  /** The node that serves clients. */
  node: AnvilNode;
  tip: BlockHead;
  /** Signed transactions in the mempool by hash, in the order of arrival. */
  pending: Map<Hex, Hex>;
  /** How long the journal's steps took, and so how long replaying them will take. */
  replayMs: number;
  timer: NodeJS.Timeout | undefined;
  stopped: boolean;
}
