// A hostile TRON for the histories: the double of a node, which meddles by itself.

import { randomBytes } from 'node:crypto';
import { createTronAdapter } from '../../../src/chain/tron/adapter.ts';
import { accountXpub, COIN_TYPES } from '../../../src/custody/keys/account-keys.ts';
import { startTronDouble } from '../../doubles/tron/double.ts';
import { PASS, startMeddlingProxy, type Asked, type Meddling } from '../../support/proxies/meddling-proxy.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import type { HostileChain, TroubleKind } from './chain.fixture.ts';

const TRX = 1_000_000n;

export async function openHostileTron(): Promise<HostileChain> {
  const double = await startTronDouble();
  const { url, chainId, contracts, chain } = double;
  const proxy = await startMeddlingProxy(url);
  const open = (at: string) =>
    createTronAdapter({ network: 'TRON', url: at, chainId, contracts, timeoutMs: NODE_TIMEOUT_MS });
  const [adapter, honest] = [open(proxy.url), open(url)];

  return {
    ...{ kind: 'tron', adapter, honest, confirmations: 20, currencies: ['TRX', 'USDT'], deepest: 12, pace: 8 },
    unit: new Map([
      ['TRX', 20n * TRX],
      ['USDT', 10_000_000n],
    ]),
    gas: { currency: 'TRX', amount: 5_000n * TRX },
    time: () => Promise.resolve(new Date(chain.tip().time)),
    addressOf: (seed, index) => Promise.resolve(honest.derive(accountXpub(seed, COIN_TYPES.tron).xpub, index)),
    pay: (to, currency, amount) => {
      double.pay({ to, currency, amount });
      return Promise.resolve();
    },
    idle: (ms) => chain.skip(ms),
    mine: (blocks) => Promise.resolve(chain.mine(blocks)),
    reorganise: (depth) => Promise.resolve(void chain.fork(depth)),
    recipient: (kind) => {
      const { address, key } = honest.derive(accountXpub(randomBytes(64), COIN_TYPES.tron).xpub, 0);
      if (kind === 'reverts') double.bar('USDT', key);
      return Promise.resolve(address);
    },
    received: async (address, currency) => {
      const key = honest.parseAddress(address)?.key ?? '';
      return (await honest.balances([key], currency)).get(key) ?? 0n;
    },
    trouble: (kind) => proxy.meddle((asked) => (kind === null ? PASS : meddle(kind, asked))),
    setTokenFee: (basisPoints) => Promise.resolve(double.charge('USDT', BigInt(basisPoints))),
    stop: async () => {
      await proxy.stop();
      await double.stop();
    },
  };
}

function meddle(kind: TroubleKind, { path }: Asked): Meddling {
  if (kind === 'silent') return { kind: 'say', status: 503, body: 'busy' };
  if (kind === 'behind' || !path.endsWith('/broadcasthex')) return PASS;
  if (kind === 'swallow') return { kind: 'lose' };
  const answer = { result: false, code: 'OTHER_ERROR', message: Buffer.from('not today').toString('hex') };
  return { kind: 'say', status: 200, body: JSON.stringify(answer) };
}
