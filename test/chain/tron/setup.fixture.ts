// TRON's double with an adapter on it, and a wallet whose payments the adapter builds.

import { HDKey } from '@scure/bip32';
import type { AccountAdapter, ChainAdapter } from '../../../src/chain/adapter.ts';
import type { BlockHead, BlockRef, ChainBlock } from '../../../src/chain/blocks.ts';
import type { Quote, TransactionRequest } from '../../../src/chain/transactions.ts';
import { createTronAdapter, type TronAdapterOptions } from '../../../src/chain/tron/adapter.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { startTronDouble, type TronDouble } from '../../doubles/tron/double.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';

export const TRX = 1_000_000n;

const SEED = Uint8Array.from({ length: 64 }, (_, position) => position);
const signer = createSeedSigner(SEED);
export const XPUB = HDKey.fromMasterSeed(SEED).derive("m/44'/195'/0'").publicExtendedKey;

export interface TronSetup {
  readonly double: TronDouble;
  readonly adapter: AccountAdapter;
  adapterOf(options?: Partial<TronAdapterOptions>): AccountAdapter;
  /** The address at an index of the wallet. */
  address(index: number): string;
  /** Pays an address from the faucet, in a block of its own. */
  fund(address: string, currency: string, amount: bigint): string;
  /** Builds and signs a transaction. */
  sign(request: TransactionRequest, nonce: number, quote: Quote): Promise<{ raw: string; txHash: string }>;
  stop(): Promise<void>;
}

export async function createTronSetup(): Promise<TronSetup> {
  const double = await startTronDouble();
  const { url, chainId, contracts } = double;
  const adapterOf = (options: Partial<TronAdapterOptions> = {}) =>
    createTronAdapter({ network: 'TRON', url, chainId, contracts, timeoutMs: NODE_TIMEOUT_MS, ...options });
  const adapter = adapterOf();
  const address = (index: number) => adapter.derive(XPUB, index).address;
  return {
    ...{ double, adapter, adapterOf, address },
    fund: (to, currency, amount) => {
      const id = double.pay({ to, currency, amount });
      double.chain.mine();
      return id;
    },
    sign: async (request, nonce, quote) => {
      const unsigned = adapter.buildTransaction({ ...request, nonce, quote });
      const index = [0, 1, 2, 3, 4, 5].find((known) => address(known) === request.from) ?? -1;
      const signing = unsigned.toSign.map(({ message }) => signer.sign(`m/44'/195'/0'/0/${String(index)}`, message));
      return unsigned.finish(await Promise.all(signing));
    },
    stop: () => double.stop(),
  };
}

/** Reads the block after the cursor, which must be there. */
export async function nextBlock(adapter: ChainAdapter, cursor: BlockRef): Promise<ChainBlock> {
  const next = await adapter.next(cursor);
  if (next.kind !== 'block') throw new Error(`Expected a block, got: ${next.kind}`);
  return next.block;
}

/** Reads every block after a cursor, up to the tip. */
export async function readOn(adapter: ChainAdapter, from: BlockHead): Promise<ChainBlock[]> {
  const blocks: ChainBlock[] = [];
  for (let cursor: BlockRef = from; ;) {
    const next = await adapter.next(cursor);
    if (next.kind !== 'block') return blocks;
    blocks.push(next.block);
    cursor = next.block;
  }
}
