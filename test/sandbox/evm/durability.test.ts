// The sandbox chain keeps what it confirmed, exactly once, whatever is killed and whenever; what was dropped stays
// dropped.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  ask,
  balanceOf,
  blockAt,
  type ChainApart,
  confirmationsOf,
  hashes,
  type Home,
  makeHome,
  poolOf,
  seeded,
  transactions,
  until,
} from './probe.fixture.ts';

const SHOP = '0x00000000000000000000000000000000000000c1';
const deposit = (amount: bigint, confirmations: number, currency = 'ETH') => ({
  ...{ address: SHOP, currency, amount, confirmations },
});
let home: Home;
/** A second network's chain, on the same folder. */
let beside: Home;

beforeEach(() => {
  home = makeHome();
  beside = makeHome('POLYGON', home);
});

afterEach(async () => {
  await beside.remove();
  await home.remove();
});

describe('two networks on one data folder', () => {
  it('are two chains, and what was answered is on both after everything was killed', async () => {
    const [ethereum, polygon] = await Promise.all([home.openApart(), beside.openApart()]);
    await ethereum.deposit(deposit(5n, 1));
    await polygon.deposit(deposit(7n, 2, 'POL'));
    await polygon.deposit(deposit(8n, 0, 'USDC'));
    const before = [await hashes(ethereum), await hashes(polygon)];
    expect(before[0]?.at(-1)).not.toBe(before[1]?.at(-1));
    await Promise.all([ethereum.killAll(), polygon.killAll()]);

    const [first, second] = await Promise.all([home.open(), beside.open()]);
    expect([first.chainId, second.chainId]).toEqual([31_337, 80_002]);
    expect([await hashes(first), await hashes(second)]).toEqual(before);
    expect(await balanceOf(first, 'ETH', SHOP)).toBe(5n);
    expect(await balanceOf(second, 'ETH', SHOP)).toBe(7n);
    expect(await balanceOf(second, 'USDC', SHOP)).toBe(8n);
    await expect(second.deposit(deposit(1n, 0, 'ETH'))).rejects.toMatchObject({ errorName: 'UNSUPPORTED_ASSET' });
    await Promise.all([first.stop(), second.stop()]);
  });
});

describe('a stop and a start', () => {
  it('keep every block by its hash, the mempool, and the ways to go on', async () => {
    const first = await home.open();
    await first.deposit(deposit(5n, 3));
    await first.deposit(deposit(6n, 0, 'USDT'));
    await first.reorg(1);
    const waiting = await first.deposit(deposit(7n, -1, 'USDC'));
    const before = await hashes(first);
    await first.stop();
    expect(await home.pids()).toEqual([]);

    const second = await home.open();
    expect(await hashes(second)).toEqual(before);
    expect(await poolOf(second)).toEqual([waiting.txHash]);
    await second.deposit(deposit(8n, 0));
    await second.mine(1);
    expect(await balanceOf(second, 'ETH', SHOP)).toBe(13n);
    expect(await balanceOf(second, 'USDC', SHOP)).toBe(7n);
    expect(await balanceOf(second, 'USDT', SHOP)).toBe(0n);
    await second.stop();
    await expect(second.mine(1)).rejects.toThrow(/stopped/);
  });

  it('let a reorganisation reach blocks that were mined before, and no further', async () => {
    const first = await home.open();
    const kept = await first.deposit(deposit(5n, 2));
    const { height } = await first.tip();
    const dropped = await first.deposit(deposit(6n, 2, 'USDT'));
    const before = await hashes(first);
    await first.stop();

    const second = await home.open();
    expect(await second.reorg(3)).toEqual({ height: height + 4 });
    expect((await hashes(second)).slice(0, height + 1)).toEqual(before.slice(0, height + 1));
    expect(await confirmationsOf(second, kept.txHash)).toBe(6);
    await second.stop();

    const third = await home.open();
    await third.mine(1);
    expect(await confirmationsOf(third, dropped.txHash)).toBeNull();
    expect(await third.deposit(deposit(6n, 2, 'USDT'))).toEqual(dropped);
    expect(await balanceOf(third, 'USDT', SHOP)).toBe(6n);
    await third.stop();
  });
});

describe('kill -9 of everything', () => {
  it('right after each answer loses and doubles nothing, and gives the same hashes', async () => {
    let chain = await home.openApart();
    const restart = async () => {
      const before = { hashes: await hashes(chain), pool: await poolOf(chain) };
      await chain.killAll();
      chain = await home.openApart();
      expect({ hashes: await hashes(chain), pool: await poolOf(chain) }).toEqual(before);
    };
    await chain.deposit(deposit(1n, 0));
    await restart();
    await chain.deposit(deposit(2n, 2, 'USDT'));
    await restart();
    const { txHash: waiting } = await chain.deposit(deposit(4n, -1));
    await restart();
    const dropped = await chain.deposit(deposit(8n, 1));
    await restart();
    expect(await confirmationsOf(chain, waiting)).toBe(1);
    await chain.reorg(2);
    await restart();
    await chain.mine(2);
    await restart();
    expect(await confirmationsOf(chain, dropped.txHash)).toBeNull();
    expect(await balanceOf(chain, 'ETH', SHOP)).toBe(1n);
    expect(await balanceOf(chain, 'USDT', SHOP)).toBe(2n);
    await chain.killAll();
  });

  it('leaves a torn last line in the journal that is passed over', async () => {
    const chain = await home.openApart();
    await chain.deposit(deposit(5n, 0));
    const before = await hashes(chain);
    await chain.killAll();
    appendFileSync(join(home.dataDir, 'chain', 'journal.log'), '{"n":2,"sends":["0x02f8');
    const next = await home.open();
    expect(await hashes(next)).toEqual(before);
    await next.mine(1);
    await next.stop();
  });

  it('of the program alone leaves an anvil that the next start ends', async () => {
    const chain = await home.openApart();
    await chain.deposit(deposit(5n, 1));
    const before = await hashes(chain);
    const orphans = await home.pids();
    await chain.killProgram();
    expect(await home.pids()).toEqual(orphans);
    const next = await home.open();
    expect(await hashes(next)).toEqual(before);
    expect(await home.pids()).toHaveLength(1);
    expect(await home.pids()).not.toEqual(orphans);
    await next.stop();
  });
});

describe('anvil dying alone', () => {
  it('is started again at the same port with the same chain', async () => {
    const chain = await home.open();
    await chain.deposit(deposit(5n, 1));
    const waiting = await chain.deposit(deposit(6n, -1));
    const before = await hashes(chain);
    for (const pid of await home.pids()) process.kill(pid, 'SIGKILL');
    await until(async () => (await ask(chain, 'eth_blockNumber')) === `0x${(before.length - 1).toString(16)}`);
    expect(await hashes(chain)).toEqual(before);
    expect(await poolOf(chain)).toEqual([waiting.txHash]);
    // A node that dies during a call does not make the call fail.
    const [next] = await Promise.all([
      chain.deposit(deposit(7n, 2)),
      home.pids().then((pids) => pids.forEach((pid) => process.kill(pid, 'SIGKILL'))),
    ]);
    // It may also have died after the call, and be restarting.
    await until(async () => (await confirmationsOf(chain, next.txHash)) === 2);
    expect(await balanceOf(chain, 'ETH', SHOP)).toBe(18n);
    await chain.stop();
  });
});

describe('transactions and blocks sent past us to the node', () => {
  it('are kept as soon as we mine or act after them', async () => {
    const chain = await home.openApart();
    const [from] = await ask<string[]>(chain, 'eth_accounts');
    const pay = () => ask<string>(chain, 'eth_sendTransaction', { from, to: SHOP, value: '0x5' });
    const mined = await pay();
    await chain.mine(1);
    const minedByOthers = await pay();
    await ask(chain, 'evm_mine');
    await chain.deposit(deposit(1n, 0));
    const before = await hashes(chain);
    await chain.killAll();
    const next = await home.open();
    expect(await hashes(next)).toEqual(before);
    expect(await confirmationsOf(next, mined)).toBe(2);
    expect(await confirmationsOf(next, minedByOthers)).toBe(1);
    await next.stop();
  });
});

describe('the journal', () => {
  it('becomes part of the snapshot before replaying it would take long', async () => {
    const chain = await home.open();
    const covered = () => {
      const mark = readFileSync(join(home.dataDir, 'chain', 'state.json'), 'utf8').split('\n', 1)[0] ?? '';
      return (JSON.parse(`${mark}}`) as { sandbox: { seq: number } }).sandbox.seq;
    };
    // How many blocks come before the save depends on the machine's speed; while blocks keep coming, it will happen.
    for (let round = 0; round < 12 || covered() === 0; round += 1) {
      expect(round).toBeLessThan(200);
      await chain.mine(150);
    }
    await until(async () => statSync(join(home.dataDir, 'chain', 'journal.log')).size < 1_000);
    const names = readdirSync(join(home.dataDir, 'chain'));
    expect(names.filter((name) => name.startsWith('checkpoint-')).length).toBeLessThan(24);
    await chain.stop();
  });
});

describe('300 operations with kills at random moments', () => {
  it('leave every answered one on the chain by its block hash, and none twice', async () => {
    const random = seeded(20_250_607);
    let amount = 0n;
    /** Hash by height, and what waited in the mempool, as of the last answer. */
    const known = new Map<number, string>();
    let waiting: string[] = [];
    let chain = await home.openApart();

    const operate = async (one: ChainApart): Promise<void> => {
      const kind = random(10);
      const { height } = await one.tip();
      if (kind === 0 && height > 12) {
        // Removed from the expected blocks before the call, because from then on they may go.
        const depth = 1 + random(8);
        for (let at = height - depth + 1; at <= height; at += 1) known.delete(at);
        await one.reorg(depth);
      } else if (kind < 3) await one.mine(1 + random(3));
      else await one.deposit(deposit((amount += 1n), random(5) - 1, random(2) ? 'ETH' : 'USDT'));
      waiting = await poolOf(one);
      const tip = await one.tip();
      known.set(tip.height, tip.hash);
    };

    for (let done = 0; done < 300;) {
      const until = done + 20 + random(30);
      while (done < until && done < 300) {
        await operate(chain);
        done += 1;
      }
      // One more is killed in the middle, at any time.
      const cut = operate(chain).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, random(60)));
      await chain.killAll();
      await cut;
      chain = await home.openApart();
      for (const [at, hash] of known) expect([at, (await blockAt(chain, at)).hash]).toEqual([at, hash]);
      const all = await transactions(chain);
      const pool = await poolOf(chain);
      const found = [...all.map((one) => one.hash), ...pool];
      expect(new Set(found).size).toBe(found.length);
      for (const hash of waiting) expect(found).toContain(hash);
    }
    await chain.killAll();
  }, 300_000);
});
