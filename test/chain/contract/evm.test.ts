// Runs the adapter guarantees on the EVM adapter, on anvil, a real node.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvmAdapter } from '../../../src/chain/evm/adapter.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { createDevChain } from '../../../src/sandbox/evm/dev-chain.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { log } from '../evm/node.fixture.ts';
import { heldByAccount, signByAccount, type ContractSetup } from './guarantees.fixture.ts';
import { holdToContract } from './hold.fixture.ts';

const ETHER = 10n ** 18n;

async function open(): Promise<ContractSetup> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-contract-'));
  const dev = await createDevChain({ dataDir: folder, log });
  await dev.mine(3);
  const adapter = createEvmAdapter({
    ...{
      network: 'ETH',
      rpcUrl: dev.rpcUrl,
      chainId: dev.chainId,
      minesOnDemand: true,
      timeoutMs: NODE_TIMEOUT_MS,
      log,
    },
    contracts: new Map<string, string | null>([['ETH', null], ...dev.contracts]),
  });
  const signer = createSeedSigner(Uint8Array.from({ length: 64 }, (_, index) => index));
  const paths = new Map<string, string>();
  return {
    adapter,
    currencies: ['ETH', 'USDT', 'USDC'],
    strangers: [
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee',
      '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      'So11111111111111111111111111111111111111112',
      'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS',
    ],
    newAddress: async () => {
      const path = `m/44'/60'/0'/0/${String(paths.size)}`;
      const address = adapter.addressOf(await signer.publicKey(path));
      paths.set(address.key, path);
      return address;
    },
    pay: async (to, currency, amount) =>
      (await dev.deposit({ address: to.address, currency, amount, confirmations: -1 })).txHash,
    mine: async (count = 1) => void (await dev.mine(count)),
    reorganise: async (depth) => void (await dev.reorg(depth)),
    sign: (from, to, currency, amount) =>
      signByAccount({ adapter }, { from, to, currency, amount }, (key, message) =>
        signer.sign(paths.get(key) ?? '', message),
      ),
    holds: (address, currency) => heldByAccount({ adapter }, address, currency),
    amountOf: (currency) => (currency === 'ETH' ? ETHER / 1_000n : 1_000_000n),
    stop: async () => {
      await dev.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

holdToContract('ETH on anvil', open);
