// A hostile Litecoin for the histories: a real litecoind in regtest behind a proxy that meddles.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUtxoAdapter } from '../../../src/chain/utxo/adapter.ts';
import { accountKey } from '../../../src/custody/keys/account-keys.ts';
import { createLitecoinChain } from '../../../src/sandbox/litecoin/chain.ts';
import { log } from '../../domain/book.fixture.ts';
import { PASS, startMeddlingProxy, type Asked, type Meddling } from '../../support/proxies/meddling-proxy.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import type { HostileChain, TroubleKind } from './chain.fixture.ts';

const LITE = 100_000_000n;

export async function openHostileUtxo(): Promise<HostileChain> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-hostile-'));
  const litecoin = await createLitecoinChain({ dataDir: folder, log });
  const proxy = await startMeddlingProxy(litecoin.rpcUrl);
  const { cookiePath } = litecoin;
  const common = { network: 'LTC', chain: 'regtest', kind: 'CORE', minesOnDemand: true } as const;
  const open = (url: string) => createUtxoAdapter({ ...common, url, cookiePath, timeoutMs: NODE_TIMEOUT_MS });
  const [adapter, honest] = [open(proxy.url), open(litecoin.rpcUrl)];

  return {
    ...{ kind: 'utxo', adapter, honest, confirmations: 2, currencies: ['LTC'], deepest: 3, pace: 1 },
    unit: new Map([['LTC', LITE / 10n]]),
    gas: null,
    time: async () => {
      const head = await litecoin.rpc.call('getblockheader', await litecoin.rpc.call('getbestblockhash'));
      return new Date((head as { time: number }).time * 1_000);
    },
    addressOf: (seed, index) => Promise.resolve(adapter.derive(accountKey(seed, adapter.accountPath).xpub, index)),
    pay: async (address, currency, amount) => {
      await litecoin.deposit({ address, currency, amount, confirmations: -1 });
    },
    mine: async (blocks) => {
      await litecoin.mine(blocks);
    },
    reorganise: async (depth) => {
      await litecoin.reorg(depth);
    },
    recipient: async () => String(await litecoin.rpc.call('getnewaddress', 'outside', 'bech32')),
    received: async (address) => {
      const [whole = '0', fraction = ''] = String(await litecoin.rpc.call('getreceivedbyaddress', address, 1)).split(
        '.',
      );
      return BigInt(whole) * LITE + BigInt(fraction.padEnd(8, '0'));
    },
    trouble: (kind) => proxy.meddle((asked) => (kind === null ? PASS : meddle(kind, asked))),
    setTokenFee: () => Promise.resolve(),
    stop: async () => {
      await proxy.stop();
      await litecoin.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function meddle(kind: TroubleKind, { body }: Asked): Meddling {
  if (kind === 'silent') return { kind: 'say', status: 503, body: 'busy' };
  if (kind === 'behind' || !body.includes('"sendrawtransaction"')) return PASS;
  if (kind === 'swallow') return { kind: 'lose' };
  const { id } = JSON.parse(body) as { id?: number };
  const error = { code: -26, message: 'not today' };
  return { kind: 'say', status: 500, body: JSON.stringify({ id, result: null, error }) };
}
