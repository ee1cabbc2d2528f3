// Runs the adapter guarantees on the UTXO adapter (Bitcoin and its relatives), on litecoind, a real node.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ParsedAddress } from '../../../src/chain/adapter.ts';
import type { SpentOutput } from '../../../src/chain/transactions.ts';
import { createUtxoAdapter } from '../../../src/chain/utxo/adapter.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { createLitecoinChain } from '../../../src/sandbox/litecoin/chain.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { log } from '../evm/node.fixture.ts';
import type { ContractSetup } from './guarantees.fixture.ts';
import { holdToContract } from './hold.fixture.ts';

/** Our payments' outputs are among this many first outputs of their transactions. */
const OUTPUTS = 4;

async function open(): Promise<ContractSetup> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-contract-'));
  const litecoin = await createLitecoinChain({ dataDir: folder, log });
  const adapter = createUtxoAdapter({
    ...{ network: 'LTC', chain: 'regtest', kind: 'CORE', url: litecoin.rpcUrl, cookiePath: litecoin.cookiePath },
    ...{ minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS },
  });
  const signer = createSeedSigner(Uint8Array.from({ length: 64 }, (_, index) => index));
  const paths = new Map<string, string>();
  const paid: { readonly to: string; readonly txHash: string; readonly amount: bigint }[] = [];

  /** The unspent outputs that the address was paid. */
  async function outputsOf({ key }: ParsedAddress): Promise<SpentOutput[]> {
    const publicKey = await signer.publicKey(paths.get(key) ?? '');
    const found: SpentOutput[] = [];
    for (const { txHash, amount } of paid.filter(({ to }) => to === key)) {
      const names = Array.from({ length: OUTPUTS }, (_, index) => `${txHash}:${String(index)}`);
      for (const [outpoint, output] of (await adapter.unspent(names)) ?? [])
        if (output.amount === amount) found.push({ outpoint, amount, addressKey: key, publicKey });
    }
    return found;
  }

  return {
    adapter,
    currencies: ['LTC'],
    strangers: [
      'rltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kqqqqqq',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
      'So11111111111111111111111111111111111111112',
    ],
    newAddress: async () => {
      const path = `${adapter.accountPath}/0/${String(paths.size)}`;
      const address = adapter.addressOf(await signer.publicKey(path));
      paths.set(address.key, path);
      return address;
    },
    pay: async (to, currency, amount) => {
      const { txHash } = await litecoin.deposit({ address: to.address, currency, amount, confirmations: -1 });
      paid.push({ to: to.key, txHash, amount });
      return txHash;
    },
    mine: async (count = 1) => void (await litecoin.mine(count)),
    reorganise: async (depth) => void (await litecoin.reorg(depth)),
    holds: async (address) => (await outputsOf(address)).reduce((sum, { amount }) => sum + amount, 0n),
    sign: async (from, to, _currency, amount) => {
      const inputs = await outputsOf(from);
      const held = inputs.reduce((sum, input) => sum + input.amount, 0n);
      const size = adapter.sizeOf(inputs.length, [to, from.address]);
      const maxCost = size * (await adapter.fees()).maxPerGas;
      const change = { to: from.address, amount: held - amount - maxCost };
      const unsigned = adapter.buildSpend(inputs, [{ to, amount }, change]);
      const signing = unsigned.toSign.map((part) => signer.sign(paths.get(part.signer) ?? '', part.message));
      return { ...unsigned.finish(await Promise.all(signing)), maxCost };
    },
    amountOf: () => 100_000n,
    stop: async () => {
      await litecoin.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describeWithLitecoind('Litecoin', () => {
  holdToContract('LTC on litecoind', open);
});
