// The sandbox chain while it runs: the effect of deposits, mined blocks and reorganisations on a real node.

import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { privateKeyToAccount } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import { WebSocket } from 'ws';
import { AnvilMissing, startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { NotADevChain } from '../../../src/sandbox/evm/host.ts';
import { createDevChain, type DevChain } from '../../../src/sandbox/evm/dev-chain.ts';
import { createMutex } from '../../../src/sandbox/mutex.ts';
import { FAUCET } from '../../../src/sandbox/evm/test-tokens.ts';
import { ask, balanceOf, blockAt, confirmationsOf, type Home, makeHome, poolOf } from './probe.fixture.ts';

const log = pino({ level: 'silent' });
const ETHER = 10n ** 18n;
let home: Home;
let chain: DevChain;
let lastCustomer = 0xc000;
const newAddress = () => `0x${(lastCustomer += 1).toString(16).padStart(40, '0')}`;
const refusal = (path: string) => ({ errorName: 'VALIDATION', details: [expect.objectContaining({ path })] });

beforeAll(async () => {
  home = makeHome();
  chain = await home.open();
});

afterAll(async () => {
  await chain.stop();
  await home.remove();
});

describe('a deposit', () => {
  it.each([
    ['ETH', 0, 5n],
    ['USDT', 0, 5_000_000n],
    ['USDC', 0, 1n],
    ['ETH', 2, ETHER],
    ['USDT', 2, 7n],
    ['USDC', 2, 10n ** 12n],
  ])('of %s with %s confirmations has exactly these, and its amount', async (currency, confirmations, amount) => {
    const address = newAddress();
    const { txHash } = await chain.deposit({ address, currency, amount, confirmations });
    expect(await confirmationsOf(chain, txHash)).toBe(confirmations);
    expect(await balanceOf(chain, currency, address)).toBe(amount);
  });

  it.each(['ETH', 'USDT', 'USDC'])(
    'of %s with -1 waits in the mempool and is mined with the next block',
    async (currency) => {
      const address = newAddress();
      const before = await chain.tip();
      const { txHash } = await chain.deposit({ address, currency, amount: 9n, confirmations: -1 });
      expect(await chain.tip()).toEqual(before);
      expect(await poolOf(chain)).toEqual([txHash]);
      expect(await chain.mine(1)).toEqual({ height: before.height + 1 });
      expect(await confirmationsOf(chain, txHash)).toBe(0);
      expect(await balanceOf(chain, currency, address)).toBe(9n);
    },
  );

  it('of a million ether can be made again and again', async () => {
    const address = newAddress();
    const request = { address, currency: 'ETH', amount: 1_000_000n * ETHER, confirmations: 0 };
    await Promise.all([chain.deposit(request), chain.deposit(request), chain.deposit(request)]);
    expect(await balanceOf(chain, 'ETH', address)).toBe(3_000_000n * ETHER);
  });

  it('after one that waits overtakes nothing: both are mined', async () => {
    const waiting = await chain.deposit({ address: newAddress(), currency: 'ETH', amount: 1n, confirmations: -1 });
    const next = await chain.deposit({ address: newAddress(), currency: 'USDT', amount: 1n, confirmations: 1 });
    expect(await confirmationsOf(chain, waiting.txHash)).toBe(1);
    expect(await confirmationsOf(chain, next.txHash)).toBe(1);
  });

  it('of an unknown currency, of nothing, or to what is no address is refused', async () => {
    const request = { address: newAddress(), currency: 'ETH', amount: 1n, confirmations: 0 };
    await expect(chain.deposit({ ...request, currency: 'DOGE' })).rejects.toMatchObject({
      errorName: 'UNSUPPORTED_ASSET',
    });
    await expect(chain.deposit({ ...request, amount: 0n })).rejects.toMatchObject(refusal('amount'));
    await expect(chain.deposit({ ...request, address: '0x12' })).rejects.toMatchObject(refusal('address'));
    await expect(chain.deposit({ ...request, confirmations: -2 })).rejects.toMatchObject(refusal('confirmations'));
  });
});

describe('the chain', () => {
  it('gives all blocks of one call the time of the call, however long it takes and however many they are', async () => {
    const started = Math.floor(Date.now() / 1_000);
    const { height } = await chain.mine(400);
    const times = [399, 200, 0].map(async (down) => Number((await blockAt(chain, height - down)).timestamp));
    const [first = 0, ...others] = await Promise.all(times);
    expect(first).toBeGreaterThanOrEqual(started);
    expect(first).toBeLessThanOrEqual(Date.now() / 1_000);
    expect(others).toEqual([first, first]);
    expect((await chain.tip()).height).toBe(height);
  });

  it("takes the gateway's own signed transactions, once each, and refuses bad ones", async () => {
    const wallet = privateKeyToAccount(keccak256('0x01'));
    await chain.deposit({ address: wallet.address, currency: 'ETH', amount: ETHER, confirmations: 0 });
    const sign = (nonce: number, gas = 21_000n) =>
      wallet.signTransaction({ chainId: chain.chainId, nonce, to: FAUCET, value: 1n, gas, maxFeePerGas: 10n ** 11n });
    const signed = await sign(0);
    const { txHash } = await chain.sendRaw(signed);
    expect(await chain.sendRaw(signed)).toEqual({ txHash });
    expect(await poolOf(chain)).toEqual([txHash]);
    await chain.mine(1);
    expect(await confirmationsOf(chain, txHash)).toBe(0);
    expect(await chain.sendRaw(signed)).toEqual({ txHash });
    await expect(chain.sendRaw(await sign(0, 30_000n))).rejects.toThrow(/nonce too low/);
  });

  it('has a USDT whose transfer returns nothing and a USDC whose transfer returns true', async () => {
    const call = (currency: string) =>
      ask<string>(chain, 'eth_call', {
        from: FAUCET,
        to: chain.contracts.get(currency),
        data: `0xa9059cbb${'1'.padStart(64, '0')}${'1'.padStart(64, '0')}`,
      });
    expect(await call('USDT')).toBe('0x');
    expect(BigInt(await call('USDC'))).toBe(1n);
    await chain.verify();
  });
});

describe('a reorganisation', () => {
  it('replaces the newest blocks by as many empty ones plus one, and what was in them is gone', async () => {
    const deposit = { address: newAddress(), currency: 'USDT', amount: 3n, confirmations: 2 };
    const { txHash } = await chain.deposit(deposit);
    const { height } = await chain.tip();
    const below = await blockAt(chain, height - 3);
    const old = await Promise.all([2, 1, 0].map((up) => blockAt(chain, height - up)));
    expect(await chain.reorg(3)).toEqual({ height: height + 1 });
    const fresh = await Promise.all([2, 1, 0, -1].map((up) => blockAt(chain, height - up)));
    expect(fresh[0]?.parentHash).toBe(below.hash);
    expect(fresh.flatMap((block) => block.transactions)).toEqual([]);
    expect(old.filter((block, at) => block.hash === fresh[at]?.hash)).toEqual([]);
    expect(await poolOf(chain)).toEqual([]);
    await chain.mine(2);
    expect(await confirmationsOf(chain, txHash)).toBeNull();
    expect(await balanceOf(chain, 'USDT', deposit.address)).toBe(0n);

    // The identical transfer has the same nonce and so the same hash, and is mined all the same.
    expect(await chain.deposit(deposit)).toEqual({ txHash });
    expect(await confirmationsOf(chain, txHash)).toBe(2);
    expect(await balanceOf(chain, 'USDT', deposit.address)).toBe(3n);
  });

  it('leaves what waits in the mempool there, and later deposits free it', async () => {
    const to = () => ({ address: newAddress(), currency: 'ETH', amount: 4n });
    const mined = await chain.deposit({ ...to(), confirmations: 0 });
    const waiting = await chain.deposit({ ...to(), confirmations: -1 });
    await chain.reorg(1);
    expect(await poolOf(chain)).toEqual([waiting.txHash]);
    await chain.mine(1);
    expect(await confirmationsOf(chain, waiting.txHash)).toBeNull();
    const next = await chain.deposit({ ...to(), confirmations: 0 });
    expect(await confirmationsOf(chain, next.txHash)).toBe(0);
    expect(await confirmationsOf(chain, waiting.txHash)).toBe(0);
    expect(await confirmationsOf(chain, mined.txHash)).toBeNull();
  });

  it("reaches deeper than anvil's memory of states, with the blocks below unchanged", async () => {
    const kept = await chain.deposit({ address: newAddress(), currency: 'USDC', amount: 6n, confirmations: 0 });
    const { height, hash } = await chain.tip();
    const dropped = await chain.deposit({ address: newAddress(), currency: 'USDC', amount: 6n, confirmations: 100 });
    expect(await chain.reorg(101)).toEqual({ height: height + 102 });
    expect((await blockAt(chain, height)).hash).toBe(hash);
    expect(await confirmationsOf(chain, kept.txHash)).toBe(102);
    expect(await confirmationsOf(chain, dropped.txHash)).toBeNull();
  });

  it("that reaches the test tokens' block, or has no depth, is refused", async () => {
    const { height } = await chain.tip();
    for (const depth of [0, -1, 1.5, height, height + 1, 10 ** 9]) {
      await expect(chain.reorg(depth)).rejects.toMatchObject(refusal('input.depth'));
    }
    expect((await chain.tip()).height).toBe(height);
    expect(await chain.reorg(height - 1)).toEqual({ height: height + 1 });
    await chain.verify();
  });
});

describe('a chain that two processes drive', () => {
  it('stays whole while one goes back and the other mines', async () => {
    const exclusive = createMutex();
    const place = makeHome();
    const host = await createDevChain({ dataDir: place.dataDir, log, exclusive });
    try {
      const other = await createDevChain({ dataDir: place.dataDir, log, rpcUrl: host.rpcUrl, exclusive });
      const pay = () => ({ address: newAddress(), currency: 'ETH', amount: 2n, confirmations: 1 });
      await host.mine(3);
      const drive = async (work: () => Promise<unknown>) => {
        for (let round = 0; round < 60; round += 1) await work();
      };
      await Promise.all([drive(() => host.deposit(pay())), drive(() => other.reorg(2)), drive(() => other.mine(1))]);
      await expectWhole(host);
    } finally {
      await host.stop();
      await place.remove();
    }
  });

  /** Checks that each block follows the one below it, and that each of its transactions has a receipt of this block. */
  async function expectWhole(driven: DevChain): Promise<void> {
    const { height } = await driven.tip();
    let parent: string | undefined;
    for (let at = 0; at <= height; at += 1) {
      const block = await blockAt(driven, at);
      if (parent !== undefined) expect([at, block.parentHash]).toEqual([at, parent]);
      parent = block.hash;
      for (const txHash of block.transactions) {
        const receipt = await ask<{ blockHash: string } | null>(driven, 'eth_getTransactionReceipt', txHash);
        expect([at, receipt?.blockHash]).toEqual([at, block.hash]);
      }
    }
  }
});

describe('a page in a browser', () => {
  it('cannot know where the chain is: not at 127.0.0.1, and elsewhere each time', async () => {
    const anvils = [await startAnvil({ log }), await startAnvil({ log })];
    try {
      const hosts = anvils.map(({ url }) => new URL(url).hostname);
      for (const host of hosts) expect(host).toMatch(/^127\.\d+\.\d+\.\d+$/);
      expect(new Set([...hosts, '127.0.0.1'])).toHaveProperty('size', 3);
      for (const { place, url } of anvils) {
        const open = (host: string) =>
          once(new WebSocket(`ws://${host}:${place.port}`, { origin: 'https://evil.example' }), 'open');
        await expect(open('127.0.0.1')).rejects.toThrow('ECONNREFUSED');
        expect(await ask({ rpcUrl: url }, 'eth_chainId')).toBe('0x7a69');
      }
    } finally {
      await Promise.all(anvils.map((anvil) => anvil.stop()));
    }
  });
});

describe('a chain that somebody else runs', () => {
  it('gets the test tokens once, and simulates on it though it mines by itself', async () => {
    const anvil = await startAnvil({ log });
    try {
      await ask({ rpcUrl: anvil.url }, 'evm_setAutomine', true);
      const first = await createDevChain({ dataDir: home.dataDir, log, rpcUrl: anvil.url });
      const { height } = await first.tip();
      const again = await createDevChain({ dataDir: home.dataDir, log, rpcUrl: anvil.url });
      expect((await again.tip()).height).toBe(height);
      const deposit = { address: newAddress(), currency: 'USDT', amount: 8n };
      const { txHash } = await again.deposit({ ...deposit, confirmations: 2 });
      expect(await confirmationsOf(again, txHash)).toBe(2);
      const waiting = await again.deposit({ ...deposit, confirmations: -1 });
      await again.reorg(3);
      expect(await confirmationsOf(again, txHash)).toBeNull();
      expect(await poolOf(again)).toEqual([waiting.txHash]);
      await again.stop();
      expect(await ask(again, 'eth_chainId')).toBe('0x7a69');
    } finally {
      await anvil.stop();
    }
  });

  it('must be a development chain', async () => {
    const server = createServer((_, response) => {
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'Geth/v1.16.0' }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const rpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(createDevChain({ dataDir: home.dataDir, log, rpcUrl })).rejects.toThrow(NotADevChain);
    server.closeAllConnections();
    server.close();
  });

  it('without anvil there is one line that says what to install or to set', async () => {
    const missing = createDevChain({ dataDir: `${home.dataDir}/none`, log, anvilPath: '/no/such/anvil' });
    await expect(missing).rejects.toThrow(AnvilMissing);
    await expect(missing).rejects.toThrow(/^No anvil .*ANVIL_PATH.*ETH_RPC_URL[^\n]*$/);
  });
});
