// Pools of TRON nodes (simulated) and of Litecoin nodes (a real litecoind), behind proxies that fail in turn: no block
// is lost, and each node is sent only its own credentials.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import type { BlockHead, BlockRef } from '../../../src/chain/blocks.ts';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import { openAdapter } from '../../../src/chain/open-adapter.ts';
import type { NodeEndpoint, NodeSettings } from '../../../src/chain/settings.ts';
import { createNodePool } from '../../../src/chain/pool/node-pool.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createLitecoinChain, type LitecoinChain } from '../../../src/sandbox/litecoin/chain.ts';
import { FAILURES, startFailingProxy, type Failure, type FailingProxy } from '../../support/proxies/failing-proxy.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { log } from '../evm/node.fixture.ts';
import { createTronSetup, TRX, type TronSetup } from '../tron/setup.fixture.ts';

const NODE: NodeSettings = { nodes: [], contracts: new Map(), chainId: null, trace: false };
const statesOf = (pool: ChainAdapter) => pool.nodes?.().map(({ state }) => state);
let at = 0;
/** Advances only when a test advances it, so that rests and response times do not depend on the machine. */
const now = () => at;

/** What the blocks after `start` pay to an address, read while one of the two nodes is failing. */
async function readThrough(
  pool: ChainAdapter,
  proxies: readonly FailingProxy[],
  failure: Failure,
  { start, to, count }: { start: BlockHead; to: string; count: number },
): Promise<bigint[]> {
  const amounts: bigint[] = [];
  let cursor: BlockRef = start;
  for (let turn = 0; turn < 200 && amounts.length < count; turn += 1) {
    for (const [nth, proxy] of proxies.entries())
      if (turn % 2 === nth) proxy.fail(failure, turn % 3);
      else proxy.heal();
    // Lets time pass for nodes that rest after a failure.
    at += 60_000;
    const next = await pool.next(cursor).catch((error: unknown) => {
      if (error instanceof ChainUnavailable) return null;
      throw error;
    });
    expect(next?.kind).not.toBe('reorganised');
    if (next?.kind !== 'block') continue;
    expect(next.block.parentHash).toBe(cursor.hash);
    amounts.push(...next.block.transfers.filter((one) => one.addressKey === to).map(({ amount }) => amount));
    cursor = next.block;
  }
  for (const proxy of proxies) proxy.heal();
  return amounts;
}

describe('two nodes of TRON’s double', () => {
  let setup: TronSetup;
  let proxies: FailingProxy[];
  const attemptMs = getDefaultAutoSelectFamilyAttemptTimeout();

  beforeAll(async () => {
    // For a name with two addresses, Node gives up the first one after a quarter of a second. If the machine stood
    // still that long, the connection would be refused at the other one, where nothing listens.
    setDefaultAutoSelectFamilyAttemptTimeout(NODE_TIMEOUT_MS);
    setup = await createTronSetup();
    proxies = await Promise.all([0, 1].map(() => startFailingProxy(setup.double.url)));
  });
  afterAll(async () => {
    setDefaultAutoSelectFamilyAttemptTimeout(attemptMs);
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await setup.stop();
  });

  const settings = () => ({ ...NODE, chainId: setup.double.chainId });
  const open = () =>
    createNodePool({
      adapters: proxies.map(({ url }) => openAdapter('TRON', { ...settings(), nodes: [{ url }] })),
      now,
    });

  it.each(FAILURES)('%s: every block is read once and in order', async (failure) => {
    const start = await setup.adapter.tip();
    const to = setup.address(3);
    for (const amount of [1n, 2n, 3n, 4n]) setup.fund(to, 'TRX', amount);
    expect(await readThrough(open(), proxies, failure, { start, to, count: 4 })).toEqual([1n, 2n, 3n, 4n]);
  });

  it('each is told its own key and no other’s, also when one fails and the next is asked', async () => {
    for (const proxy of proxies) proxy.heal();
    const urls = proxies.map(({ url }) => url).join(',');
    const source = { TRON_RPC_URL: urls, TRON_API_KEY: 'key-of-one,key-of-the-other' };
    const { nodes = [] } = readConfig(source).networks.get('TRON') ?? {};
    const adapters = nodes.map((node) => openAdapter('TRON', { ...settings(), nodes: [node] }));
    const pool = createNodePool({ adapters, now });
    const told = proxies.map(() => new Set<unknown>());
    const ask = async (question: () => Promise<unknown>) => {
      await question();
      for (const [nth, proxy] of proxies.entries())
        for (const headers of proxy.allHeaders()) told[nth]?.add(headers['tron-pro-api-key']);
    };
    await ask(() => pool.verify());
    for (const proxy of proxies) {
      // The node that failed before may be asked again.
      at += 60_000;
      proxy.fail('status', 0, 1);
      await ask(() => pool.tip());
      proxy.heal();
    }
    expect(statesOf(pool)).toContain('resting');
    expect(told).toEqual([new Set(['key-of-one']), new Set(['key-of-the-other'])]);
  });

  it('a key goes to where the node tells what is final only on the node’s own host', async () => {
    for (const proxy of proxies) proxy.heal();
    const [firstProxy, secondProxy] = proxies;
    const elsewhere = secondProxy?.url.replace('127.0.0.1', 'localhost') ?? '';
    const [from, to] = [setup.address(0), setup.address(1)];
    setup.fund(from, 'TRX', 100n * TRX);
    for (const [finalUrl, told] of [
      [secondProxy?.url ?? '', 'a-key'],
      [elsewhere, undefined],
    ] as const) {
      secondProxy?.heal();
      const adapter = openAdapter('TRON', {
        ...settings(),
        nodes: [{ url: firstProxy?.url ?? '', apiKey: 'a-key', finalUrl }],
      });
      if (adapter.model !== 'ACCOUNT') throw new Error('TRON has accounts');
      // A transaction is tied to a final block.
      await adapter.quote({ from, to, currency: 'TRX', amount: TRX });
      expect(firstProxy?.headers()['tron-pro-api-key']).toBe('a-key');
      expect(secondProxy?.asked()).toBeGreaterThan(0);
      expect(secondProxy?.headers()['tron-pro-api-key']).toBe(told);
    }
  });

  it('a payout that one does not take is handed to the other', async () => {
    const [from, to] = [setup.address(0), setup.address(1)];
    setup.fund(from, 'TRX', 100n * TRX);
    const request = { from, to, currency: 'TRX', amount: TRX };
    const { raw, txHash } = await setup.sign(request, 0, await setup.adapter.quote(request));
    proxies[0]?.fail('reset');
    expect(await open().broadcast(raw)).toBe('sent');
    setup.double.chain.mine();
    expect(await setup.adapter.txState(txHash)).toMatchObject({ kind: 'mined' });
  });
});

describe('three nodes of Litecoin that know us by other secrets', () => {
  it('are told their own: a cookie, a password in the URL, nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'turnpike-cookie-'));
    const cookiePath = join(folder, '.cookie');
    await writeFile(cookiePath, '__cookie__:secret-of-one');
    // No node has to answer: the test checks what is asked, and that a failing node does not keep the next from being
    // asked.
    const proxies = await Promise.all([0, 1, 2].map(() => startFailingProxy('http://127.0.0.1:9')));
    for (const proxy of proxies) proxy.fail('status');
    const [one, two = '', three] = proxies.map(({ url }) => url);
    const named = new URL(two);
    [named.username, named.password] = ['turnpike', 'secret-of-two'];
    const { nodes = [] } =
      readConfig({
        LTC_RPC_URL: `${one ?? ''},${named.href}`,
        LTC_COOKIE_PATH: `${cookiePath}, none`,
        LTC_ESPLORA_URL: three,
      }).networks.get('LTC') ?? {};
    await expect(openAdapter('LTC', { ...NODE, chainName: 'main', nodes }).tip()).rejects.toThrow(ChainUnavailable);
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const told = proxies.map((proxy) => [...new Set(proxy.allHeaders().map(({ authorization }) => authorization))]);
    expect(told).toEqual([[basic('__cookie__:secret-of-one')], [basic('turnpike:secret-of-two')], [undefined]]);
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await rm(folder, { recursive: true, force: true });
  });
});

describeWithLitecoind('two nodes of Litecoin', () => {
  const address = 'rltc1qcr8te4kr609gcawutmrza0j4xv80jy8z8dz7lc';
  let folder: string;
  let litecoin: LitecoinChain;
  let proxies: FailingProxy[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnpike-pool-'));
    litecoin = await createLitecoinChain({ dataDir: folder, log });
    proxies = await Promise.all([0, 1].map(() => startFailingProxy(litecoin.rpcUrl)));
  });
  afterAll(async () => {
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await litecoin.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The first node takes the credentials of the cookie file, the other has its own in its URL. */
  async function open(password?: string): Promise<ChainAdapter> {
    const { cookiePath } = litecoin;
    const url = new URL(proxies[1]?.url ?? '');
    [url.username = '', url.password = ''] = (await readFile(cookiePath, 'utf8')).trim().split(':');
    if (password !== undefined) url.password = password;
    const nodes = [{ url: proxies[0]?.url ?? '', cookiePath }, { url: url.href }];
    const adapterOf = (node: NodeEndpoint) =>
      openAdapter('LTC', { ...NODE, chainName: 'regtest', nodes: [node] }, { minesOnDemand: true });
    return createNodePool({ adapters: nodes.map(adapterOf), now });
  }

  it.each(FAILURES)('%s: every block is read once and in order', async (failure) => {
    const pool = await open();
    const to = pool.parseAddress(address)?.key ?? '';
    const start = await pool.tip();
    const amounts = [100_000n, 200_000n, 300_000n, 400_000n];
    for (const amount of amounts) await litecoin.deposit({ address, currency: 'LTC', amount, confirmations: 0 });
    expect(await readThrough(pool, proxies, failure, { start, to, count: amounts.length })).toEqual(amounts);
  });

  it('one that refuses its credentials is out of service, and the network is not', async () => {
    const pool = await open('not-the-password');
    await pool.verify();
    expect(statesOf(pool)).toEqual(['up', 'wrong']);
    expect((await pool.tip()).height).toBeGreaterThan(100);
  });
});
