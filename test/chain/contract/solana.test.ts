// Runs the adapter guarantees on the Solana adapter, on litesvm behind a small RPC server; docs/limits.md says what
// that cannot show.

import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { createSolanaSetup } from '../solana/setup.fixture.ts';
import { heldByAccount, signByAccount, type ContractSetup } from './guarantees.fixture.ts';
import { holdToContract } from './hold.fixture.ts';

async function open(): Promise<ContractSetup> {
  const { node, adapter } = await createSolanaSetup();
  const signer = createSeedSigner(Uint8Array.from({ length: 64 }, (_, index) => index));
  const paths = new Map<string, string>();
  return {
    adapter,
    currencies: ['SOL', 'USDT', 'USDC'],
    strangers: [
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
      'Cu7NwqCXSmsR5vgGA3Vw9uYVViPi3kQvkbKByVQ8nPY9',
    ],
    newAddress: async () => {
      const path = `m/44'/501'/${String(paths.size)}'/0'`;
      const address = adapter.addressOf(await signer.publicKey(path, 'ed25519'));
      paths.set(address.key, path);
      return address;
    },
    pay: (to, currency, amount) => Promise.resolve(node.pay({ to: to.address, currency, amount })),
    mine: (count = 1) => Promise.resolve(void node.chain.mine(count)),
    reorganise: (depth) => {
      node.chain.fork(depth);
      return Promise.resolve();
    },
    sign: (from, to, currency, amount) =>
      signByAccount({ adapter }, { from, to, currency, amount }, (key, message) =>
        signer.sign(paths.get(key) ?? '', message, 'ed25519'),
      ),
    holds: (address, currency) => heldByAccount({ adapter }, address, currency),
    amountOf: () => 20_000_000n,
    stop: () => node.stop(),
  };
}

holdToContract('Solana on litesvm', open);
