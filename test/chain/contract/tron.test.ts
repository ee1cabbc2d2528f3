// Runs the adapter guarantees on the TRON adapter, on a double of a node; docs/limits.md says what that cannot show.

import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { createTronSetup } from '../tron/setup.fixture.ts';
import { heldByAccount, signByAccount, type ContractSetup } from './guarantees.fixture.ts';
import { holdToContract } from './hold.fixture.ts';

async function open(): Promise<ContractSetup> {
  const { double, adapter } = await createTronSetup();
  const signer = createSeedSigner(Uint8Array.from({ length: 64 }, (_, index) => index));
  const paths = new Map<string, string>();
  return {
    adapter,
    currencies: ['TRX', 'USDT', 'USDC'],
    strangers: [
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      'So11111111111111111111111111111111111111112',
    ],
    newAddress: async () => {
      const path = `m/44'/195'/0'/0/${String(paths.size)}`;
      const address = adapter.addressOf(await signer.publicKey(path));
      paths.set(address.key, path);
      return address;
    },
    pay: (to, currency, amount) => Promise.resolve(double.pay({ to: to.address, currency, amount })),
    mine: (count = 1) => Promise.resolve(void double.chain.mine(count)),
    reorganise: (depth) => {
      double.chain.fork(depth);
      return Promise.resolve();
    },
    sign: (from, to, currency, amount) =>
      signByAccount({ adapter }, { from, to, currency, amount }, (key, message) =>
        signer.sign(paths.get(key) ?? '', message),
      ),
    holds: (address, currency) => heldByAccount({ adapter }, address, currency),
    amountOf: () => 2_000_000n,
    stop: () => double.stop(),
  };
}

holdToContract('TRON on its double', open);
