// A Solana test chain (litesvm behind an RPC server) with an adapter on it, and wallets whose payments the adapter
// builds.

import type { AccountAdapter } from '../../../src/chain/adapter.ts';
import type { BlockHead, BlockRef, ChainBlock } from '../../../src/chain/blocks.ts';
import type { Quote, TransactionRequest } from '../../../src/chain/transactions.ts';
import { createSolanaAdapter, type SolanaAdapterOptions } from '../../../src/chain/solana/adapter.ts';
import { newKey, type TestKey } from '../../doubles/solana/accounts.ts';
import { startSolanaNode, type SolanaTestNode } from '../../doubles/solana/node.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';

export const SOL = 1_000_000_000n;

export interface SolanaSetup {
  readonly node: SolanaTestNode;
  readonly adapter: AccountAdapter;
  adapterOf(options?: Partial<SolanaAdapterOptions>): AccountAdapter;
  /** A new wallet, paid this much of each currency from the faucet, in a block of its own. */
  wallet(funds?: Readonly<Record<string, bigint>>): TestKey;
  /** Pays an address from the faucet, in a block of its own. */
  fund(address: string, currency: string, amount: bigint): string;
  /** Builds with this adapter or another one, and signs. */
  sign(request: TransactionRequest, nonce: number, quote: Quote, by?: AccountAdapter): { raw: string; txHash: string };
  stop(): Promise<void>;
}

export async function createSolanaSetup(): Promise<SolanaSetup> {
  const node = await startSolanaNode();
  const { url, genesisHash, contracts } = node;
  const adapterOf = (options: Partial<SolanaAdapterOptions> = {}) =>
    createSolanaAdapter({ network: 'SOL', url, genesisHash, contracts, timeoutMs: NODE_TIMEOUT_MS, ...options });
  const adapter = adapterOf();
  const keys = new Map<string, TestKey>();
  const fund = (to: string, currency: string, amount: bigint) => {
    const id = node.pay({ to, currency, amount });
    node.chain.mine();
    return id;
  };
  return {
    ...{ node, adapter, adapterOf, fund },
    wallet: (funds = {}) => {
      const key = newKey();
      keys.set(key.address, key);
      for (const [currency, amount] of Object.entries(funds)) fund(key.address, currency, amount);
      return key;
    },
    sign: (request, nonce, quote, by = adapter) => {
      const { toSign, finish } = by.buildTransaction({ ...request, nonce, quote });
      return finish(
        toSign.map(({ signer, message }) => {
          const key = keys.get(signer);
          if (!key) throw new Error(`No wallet of ours: ${signer}`);
          return { compact: key.sign(message), recoveryId: 0 };
        }),
      );
    },
    stop: () => node.stop(),
  };
}

/** Reads the block after the cursor, which must be there. */
export async function nextBlock(adapter: AccountAdapter, cursor: BlockRef): Promise<ChainBlock> {
  const next = await adapter.next(cursor);
  if (next.kind !== 'block') throw new Error(`Expected a block, got: ${next.kind}`);
  return next.block;
}

/** Reads every block after a cursor, up to the tip. */
export async function readOn(adapter: AccountAdapter, from: BlockHead): Promise<ChainBlock[]> {
  const blocks: ChainBlock[] = [];
  for (let cursor: BlockRef = from; ;) {
    const next = await adapter.next(cursor);
    if (next.kind !== 'block') return blocks;
    blocks.push(next.block);
    cursor = next.block;
  }
}
