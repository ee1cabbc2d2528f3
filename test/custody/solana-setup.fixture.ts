// Set-up for payout tests on Solana: litesvm behind a small RPC server.

import { createSolanaAdapter } from '../../src/chain/solana/adapter.ts';
import { pooledPaths } from '../../src/custody/keys/account-keys.ts';
import type { Chain } from '../../src/domain/deps.ts';
import { createSeedSigner } from '../../src/custody/keys/signer.ts';
import { startSolanaNode, type SolanaTestNode } from '../doubles/solana/node.ts';
import { NODE_TIMEOUT_MS } from '../support/node-timeout.ts';
import { createChainPayoutSetup, type ChainPayoutSetup } from './chain-payout-setup.fixture.ts';

export const CONFIRMATIONS = 32;
const SOL = 1_000_000_000n;

export interface SolanaPayoutSetup extends ChainPayoutSetup {
  readonly node: SolanaTestNode;
}

export async function createSolanaPayoutSetup(more: Partial<Chain> = {}): Promise<SolanaPayoutSetup> {
  const stage = await createChainPayoutSetup(async (now, seed) => {
    const node = await startSolanaNode({ startSeconds: now.getTime() / 1_000 });
    const { url, genesisHash, contracts, pay, chain, stop } = node;
    const adapter = createSolanaAdapter({ network: 'SOL', url, genesisHash, contracts, timeoutMs: NODE_TIMEOUT_MS });
    const [signer, paths] = [createSeedSigner(seed), pooledPaths('sol')];
    return {
      ...{ node, adapter, pay, stop, confirmations: CONFIRMATIONS, gas: { currency: 'SOL', amount: SOL } },
      addressAt: async (index: number) =>
        adapter.addressOf(await signer.publicKey(paths.deposit(index), adapter.curve)),
      mine: (blocks: number) => chain.mine(blocks),
      time: () => new Date(chain.tip().time * 1_000),
    };
  }, more);
  return { ...stage, node: stage.tested.node };
}
