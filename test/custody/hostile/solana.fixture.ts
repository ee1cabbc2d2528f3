// A hostile Solana for the histories: litesvm behind a small RPC server and a proxy that meddles.

import { createSolanaAdapter } from '../../../src/chain/solana/adapter.ts';
import { pooledPaths } from '../../../src/custody/keys/account-keys.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { newKey } from '../../doubles/solana/accounts.ts';
import { startSolanaNode } from '../../doubles/solana/node.ts';
import { PASS, startMeddlingProxy, type Asked, type Meddling } from '../../support/proxies/meddling-proxy.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import type { HostileChain, TroubleKind } from './chain.fixture.ts';

const SOL = 1_000_000_000n;

export async function openHostileSolana(): Promise<HostileChain> {
  const node = await startSolanaNode();
  const { url, genesisHash, contracts, chain } = node;
  const proxy = await startMeddlingProxy(url);
  const open = (at: string) =>
    createSolanaAdapter({ network: 'SOL', url: at, genesisHash, contracts, timeoutMs: NODE_TIMEOUT_MS });
  const [adapter, honest] = [open(proxy.url), open(url)];
  const paths = pooledPaths('sol');

  return {
    ...{ kind: 'solana', adapter, honest, confirmations: 32, currencies: ['SOL', 'USDT'], deepest: 12, pace: 12 },
    unit: new Map([
      ['SOL', SOL / 10n],
      ['USDT', 10_000_000n],
    ]),
    gas: { currency: 'SOL', amount: SOL },
    time: () => Promise.resolve(new Date(chain.tip().time * 1_000)),
    addressOf: async (seed, index) =>
      honest.addressOf(await createSeedSigner(seed).publicKey(paths.deposit(index), honest.curve)),
    pay: (to, currency, amount) => {
      node.pay({ to, currency, amount });
      return Promise.resolve();
    },
    idle: (ms) => {
      chain.idle(ms / 1_000);
      chain.mine(1);
    },
    mine: (blocks) => Promise.resolve(void chain.mine(blocks)),
    reorganise: (depth) => Promise.resolve(chain.fork(depth)),
    recipient: () => Promise.resolve(newKey().address),
    received: async (address, currency) => (await honest.balances([address], currency)).get(address) ?? 0n,
    trouble: (kind) => proxy.meddle((asked) => (kind === null ? PASS : meddle(kind, asked))),
    setTokenFee: () => Promise.resolve(),
    stop: async () => {
      await proxy.stop();
      await node.stop();
    },
  };
}

function meddle(kind: TroubleKind, { body }: Asked): Meddling {
  if (kind === 'silent') return { kind: 'say', status: 503, body: 'busy' };
  if (kind === 'behind' || !body.includes('"sendTransaction"')) return PASS;
  if (kind === 'swallow') return { kind: 'lose' };
  const { id } = JSON.parse(body) as { id?: number };
  const error = { code: -32_005, message: 'not today' };
  return { kind: 'say', status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error }) };
}
