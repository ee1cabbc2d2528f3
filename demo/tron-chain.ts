// The TRON of the story of the networks: its double, on which blocks come by themselves, and a gas wallet that has TRX.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSeedWallets } from '../src/cli/wallet-verify.ts';
import { createKeystore } from '../src/custody/keystore.ts';
import { parseAmount } from '../src/values/amount.ts';
import { startTronDouble } from '../test/doubles/tron/double.ts';
import type { DemoChain } from './networks.ts';

const BLOCK_EVERY_MS = 250;
const CONFIRMATIONS = 20;
const GAS = 1_000_000_000n;
const PASSPHRASE = 'of a demonstration, known to all';

/** Starts it, with a seed of the story's own, so that its gas wallet is known before it is needed. */
export async function startTronChain(): Promise<DemoChain> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-demo-tron-'));
  const path = join(folder, 'keystore');
  const { seed } = await createKeystore({ path, passphrase: PASSPHRASE });
  const { gas } = await openSeedWallets(seed, 'tron');
  const double = await startTronDouble();
  const blocks = setInterval(() => double.chain.mine(), BLOCK_EVERY_MS);
  return {
    env: {
      ...{ KEYSTORE_PATH: path, KEYSTORE_PASSPHRASE: PASSPHRASE },
      ...{ TRON_RPC_URL: double.url, TRON_CHAIN_ID: String(double.chainId) },
      TRON_USDT_CONTRACT: double.contracts.get('USDT') ?? '',
      TRON_USDC_CONTRACT: double.contracts.get('USDC') ?? '',
    },
    pay: async ({ address, amount, currency }) => {
      double.pay({ to: address, currency, amount: parseAmount(amount, 6) ?? 0n });
      double.pay({ to: gas.address, currency: 'TRX', amount: GAS });
      double.chain.mine(CONFIRMATIONS);
    },
    stop: async () => {
      clearInterval(blocks);
      await double.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
