// Chains whose blocks a test mines, behind one interface for random histories: TRON's double, and litesvm with its
// chain. Watchers know only a proxy that fails.

import { randomBytes } from 'node:crypto';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import { createSolanaAdapter } from '../../../src/chain/solana/adapter.ts';
import { keyOfBytes } from '../../../src/chain/tron/address.ts';
import { createTronAdapter } from '../../../src/chain/tron/adapter.ts';
import type { Network } from '../../../src/values/assets.ts';
import { START } from '../../domain/book.fixture.ts';
import { startTronDouble } from '../../doubles/tron/double.ts';
import { newKey } from '../../doubles/solana/accounts.ts';
import { startSolanaNode } from '../../doubles/solana/node.ts';
import { startFailingProxy, type FailingProxy } from '../../support/proxies/failing-proxy.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';

export interface CommandedChain {
  readonly network: Network;
  /** The coin first. */
  readonly currencies: readonly string[];
  readonly proxy: FailingProxy;
  /** An adapter as in a process that has just started, through the proxy. */
  adapter(): ChainAdapter;
  /** A fresh address, which was never paid. */
  newAddress(): string;
  /** The transaction waits for a block; null if the chain rejects it. */
  pay(to: string, currency: string, amount: bigint): string | null;
  mine(blocks: number): void;
  /** Delays the next block. */
  skip(slots: number): void;
  /** Replaces the newest blocks; their transactions are in the new ones, or gone. */
  fork(depth: number, keep: boolean): void;
  /** In blocks, not slots. */
  height(): number;
  time(): Date;
  /** Whether the canonical chain has a transaction, executed with success. */
  holds(id: string): boolean;
  stop(): Promise<void>;
}

/** The time at which the first histories begin. */
const BEFORE_MS = 600_000;

/** A payment that a node rejects is no part of a history. */
function unlessRefused(pay: () => string): string | null {
  try {
    return pay();
  } catch {
    return null;
  }
}

export async function startTronChain(): Promise<CommandedChain> {
  const double = await startTronDouble({ startMs: START.getTime() - BEFORE_MS });
  const { url, chainId, contracts, chain } = double;
  const proxy = await startFailingProxy(url);
  return {
    ...{ network: 'TRON', currencies: ['TRX', 'USDT', 'USDC'], proxy },
    adapter: () =>
      createTronAdapter({ network: 'TRON', url: proxy.url, chainId, contracts, timeoutMs: NODE_TIMEOUT_MS }),
    newAddress: () => keyOfBytes(Buffer.concat([Buffer.from([0x41]), randomBytes(20)])) ?? '',
    pay: (to, currency, amount) => unlessRefused(() => double.pay({ to, currency, amount })),
    mine: chain.mine,
    skip: (slots) => chain.skip((slots + 1) * 3_000),
    fork: (depth, keep) => chain.fork(depth, { keep }),
    height: () => chain.tip().height,
    time: () => new Date(chain.tip().time),
    holds: (id) => chain.find(id)?.outcome.contractRet === 'SUCCESS',
    stop: async () => {
      await proxy.stop();
      await double.stop();
    },
  };
}

export async function startSolanaChain(): Promise<CommandedChain> {
  const node = await startSolanaNode({ startSeconds: (START.getTime() - BEFORE_MS) / 1_000 });
  const { url, genesisHash, contracts, chain } = node;
  const proxy = await startFailingProxy(url);
  return {
    ...{ network: 'SOL', currencies: ['SOL', 'USDT', 'USDC'], proxy },
    adapter: () =>
      createSolanaAdapter({ network: 'SOL', url: proxy.url, genesisHash, contracts, timeoutMs: NODE_TIMEOUT_MS }),
    newAddress: () => newKey().address,
    pay: (to, currency, amount) => unlessRefused(() => node.pay({ to, currency, amount })),
    mine: (blocks) => void chain.mine(blocks),
    skip: (slots) => void chain.mine(1, { skip: slots }),
    // As long as the branch that is left, and a block more, since votes go to the longer one.
    fork: (depth, keep) => chain.fork(depth, { keep, blocks: depth + 1 }),
    height: () => chain.tip().height,
    time: () => new Date(chain.tip().time * 1_000),
    holds: (id) => chain.find(id)?.entry.err === null,
    stop: async () => {
      await proxy.stop();
      await node.stop();
    },
  };
}
