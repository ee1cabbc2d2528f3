// The EVM adapter on anvil, a real node.

import { createSeedSigner } from '../../../src/custody/signer.ts';
import { SHOP, startTestChain } from '../evm/node.ts';
import { signByAccount, type ContractWorld } from './guarantees.ts';
import { holdToContract } from './hold.ts';

const ETHER = 10n ** 18n;

async function open(): Promise<ContractWorld> {
  const chain = await startTestChain();
  await chain.mine(3);
  const adapter = chain.adapter();
  if (adapter.model !== 'ACCOUNT') throw new Error('EVM networks have accounts');
  const signer = createSeedSigner(Uint8Array.from({ length: 64 }, (_, index) => index));
  const paths = new Map<string, string>();
  return {
    adapter,
    currencies: ['ETH', 'USDT'],
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
    pay: async (to, currency, amount) => {
      if (currency === 'ETH') return chain.send({ to: to.key, value: amount, gas: 21_000 });
      return chain.sendToken('transfer', amount, undefined, to.key);
    },
    mine: (count = 1) => chain.mine(count),
    reorganise: async (depth) => {
      await chain.rpc('anvil_rollback', depth);
      await chain.rpc('anvil_dropAllTransactions');
      // Another transaction, so that no block is by chance the one that it replaces.
      await chain.send({ to: SHOP, value: 1n });
      await chain.mine(depth + 1);
    },
    sign: (from, to, currency, amount) =>
      signByAccount({ adapter }, { from, to, currency, amount }, (key, message) =>
        signer.sign(paths.get(key) ?? '', message),
      ),
    amountOf: (currency) => (currency === 'ETH' ? ETHER / 1_000n : 1_000_000n),
    stop: () => chain.stop(),
  };
}

holdToContract('ETH on anvil', open);
