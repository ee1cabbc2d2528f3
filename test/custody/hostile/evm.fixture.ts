// A hostile EVM chain for the histories: a real anvil behind a proxy that meddles.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { createEvmAdapter } from '../../../src/chain/evm/adapter.ts';
import { createRpc } from '../../../src/chain/evm/rpc.ts';
import { accountXpub, COIN_TYPES } from '../../../src/custody/keys/account-keys.ts';
import { createDevChain } from '../../../src/sandbox/evm/dev-chain.ts';
import { log } from '../../domain/book.fixture.ts';
import { PASS, startMeddlingProxy, type Asked, type Meddling } from '../../support/proxies/meddling-proxy.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { chargeTransfers } from '../fee-token.fixture.ts';
import type { HostileChain, RecipientKind, TroubleKind } from './chain.fixture.ts';

const ETHER = 10n ** 18n;
/** Runtime code by what it does when coin comes. */
const CODE: Readonly<Partial<Record<RecipientKind, string>>> = {
  reverts: '0x60006000fd',
  halts: '0xfe',
  loops: '0x5b600056',
  // keccak256 over 256 KiB of memory: some 200,000 units of gas.
  eatsGas: '0x6204000060002050',
};

export async function openHostileEvm(): Promise<HostileChain> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-hostile-'));
  const dev = await createDevChain({ dataDir: folder, log });
  const proxy = await startMeddlingProxy(dev.rpcUrl);
  const rpc = createRpc({ network: 'ETH', url: dev.rpcUrl, timeoutMs: NODE_TIMEOUT_MS });
  const common = {
    network: 'ETH',
    chainId: dev.chainId,
    minesOnDemand: true,
    timeoutMs: NODE_TIMEOUT_MS,
    log,
  } as const;
  const contracts = new Map<string, string | null>([['ETH', null], ...dev.contracts]);
  const open = (rpcUrl: string) => createEvmAdapter({ ...common, contracts, rpcUrl });
  const [adapter, honest] = [open(proxy.url), open(dev.rpcUrl)];
  let height = (await honest.tip()).height;
  const look = async () => void (height = (await honest.tip()).height);

  return {
    ...{ kind: 'evm', adapter, honest, confirmations: 2, currencies: ['ETH', 'USDT'], deepest: 3, pace: 1 },
    unit: new Map([
      ['ETH', ETHER / 10n],
      ['USDT', 10_000_000n],
    ]),
    gas: { currency: 'ETH', amount: 5n * ETHER },
    time: async () => (await honest.tip()).time,
    addressOf: (seed, index) => Promise.resolve(honest.derive(accountXpub(seed, COIN_TYPES.evm).xpub, index)),
    pay: async (address, currency, amount) => {
      await dev.deposit({ address, currency, amount, confirmations: -1 });
    },
    mine: async (blocks) => {
      await dev.mine(blocks);
      await look();
    },
    reorganise: async (depth) => {
      await dev.reorg(depth);
      await look();
    },
    recipient: async (kind) => {
      const address = `0x${randomBytes(20).toString('hex')}`;
      const code = CODE[kind];
      if (code !== undefined) await rpc.call('anvil_setCode', [address, code]);
      return honest.parseAddress(address)?.address ?? '';
    },
    received: async (address, currency) => {
      const key = address.toLowerCase();
      return (await honest.balances([key], currency)).get(key) ?? 0n;
    },
    trouble: (kind) => proxy.meddle((asked) => (kind === null ? PASS : meddle(kind, asked, height))),
    setTokenFee: (basisPoints) =>
      chargeTransfers((method, ...params) => rpc.call(method, params), dev.contracts.get('USDT') ?? '', {
        basisPoints: BigInt(basisPoints),
      }),
    stop: async () => {
      await proxy.stop();
      await dev.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function meddle(kind: TroubleKind, { body }: Asked, height: number): Meddling {
  if (kind === 'silent') return { kind: 'say', status: 503, body: 'busy' };
  if (kind === 'behind')
    return { kind: 'instead', body: body.replaceAll('"latest"', `"0x${(height - 1).toString(16)}"`) };
  if (!body.includes('"eth_sendRawTransaction"')) return PASS;
  if (kind === 'swallow') return { kind: 'lose' };
  const { id } = JSON.parse(body) as { id?: number };
  const error = { code: -32_000, message: 'not today' };
  return { kind: 'say', status: 200, body: JSON.stringify({ jsonrpc: '2.0', id, error }) };
}
