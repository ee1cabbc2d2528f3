// The TRON adapter as a reader, over the double: blocks, transfers, reorganisations, and nodes that are down or wrong.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BlockHead } from '../../../src/chain/blocks.ts';
import { ChainUnavailable, StateNotKept } from '../../../src/chain/errors.ts';
import { createTronAdapter } from '../../../src/chain/tron/adapter.ts';
import type { Override } from '../../doubles/tron/double.ts';
import { createTronSetup, nextBlock, readOn, TRX, XPUB, type TronSetup } from './setup.fixture.ts';

let setup: TronSetup;
let start: BlockHead;
let shop: string;

beforeEach(async () => {
  setup = await createTronSetup();
  start = await setup.adapter.tip();
  shop = setup.address(3);
});
afterEach(() => setup.stop());

/** Expects `ChainUnavailable` and returns the error. */
async function unavailability(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ChainUnavailable);
  return (error as ChainUnavailable).message;
}

const everyQuestion = ({ adapter }: Pick<TronSetup, 'adapter'>): Array<Promise<unknown>> => [
  adapter.verify(),
  adapter.tip(),
  adapter.headAt(1),
  adapter.next(start),
  adapter.isCanonical(start),
  adapter.txState('12'.repeat(32)),
  adapter.receipt('12'.repeat(32)),
  adapter.balances([shop], 'TRX'),
  adapter.balances([shop], 'USDT'),
  adapter.fees(),
  adapter.quote({ from: shop, to: setup.address(4), currency: 'TRX', amount: 1n }),
  adapter.broadcast('00'),
  adapter.hasExpired({ txHash: '12'.repeat(32), validUntil: 1, raw: '' }),
];

describe('blocks', () => {
  it('the tip, and nothing after it, is what follows the tip', async () => {
    const { adapter } = setup;
    expect(await adapter.next(start)).toEqual({ kind: 'tip', tip: start });
    expect(await adapter.headAt(start.height)).toEqual(start);
    expect(await adapter.headAt(start.height + 1)).toBeNull();
  });

  it('coins and tokens are reported with their receivers, in base units', async () => {
    const coin = setup.double.pay({ to: shop, currency: 'TRX', amount: 12n });
    const usdt = setup.double.pay({ to: shop, currency: 'USDT', amount: 34n });
    const usdc = setup.double.pay({ to: shop, currency: 'USDC', amount: 56n });
    setup.double.chain.mine();
    const block = await nextBlock(setup.adapter, start);
    expect(block).toMatchObject({ height: start.height + 1, parentHash: start.hash });
    expect(block.time.getTime()).toBe(start.time.getTime() + 3_000);
    expect(block.transfers).toEqual([
      { txHash: coin, ordinal: 0, addressKey: shop, currency: 'TRX', amount: 12n },
      { txHash: usdt, ordinal: 1, addressKey: shop, currency: 'USDT', amount: 34n },
      { txHash: usdc, ordinal: 1, addressKey: shop, currency: 'USDC', amount: 56n },
    ]);
  });

  it('come one after the other, with the distance to the tip', async () => {
    setup.double.chain.mine(3);
    const next = await setup.adapter.next(start);
    expect(next).toMatchObject({ kind: 'block', tipHeight: start.height + 3 });
    const blocks = await readOn(setup.adapter, start);
    expect(blocks.map(({ height }) => height - start.height)).toEqual([1, 2, 3]);
  });

  it('a TRC-10 token, which anybody can make, is no payment of the coin', async () => {
    setup.double.pay({ to: shop, currency: 'TRX', amount: 1_000n * TRX, asset: true });
    setup.double.chain.mine();
    expect((await nextBlock(setup.adapter, start)).transfers).toEqual([]);
  });

  it('a failed transaction pays nothing, whatever it says of logs', async () => {
    const txHash = setup.double.pay({ to: shop, currency: 'USDT', amount: 5n });
    setup.double.bar('USDT', shop);
    setup.double.chain.mine();
    expect((await nextBlock(setup.adapter, start)).transfers).toEqual([]);
    expect(await setup.adapter.txState(txHash)).toMatchObject({ kind: 'mined', succeeded: false });
  });

  it('currencies that are not configured are not reported', async () => {
    setup.double.pay({ to: shop, currency: 'TRX', amount: 1n });
    setup.double.pay({ to: shop, currency: 'USDT', amount: 2n });
    setup.double.chain.mine();
    const coinOnly = setup.adapterOf({ contracts: new Map([['TRX', null]]) });
    const tokenOnly = setup.adapterOf({ contracts: new Map([['USDT', setup.double.contracts.get('USDT') ?? null]]) });
    expect((await nextBlock(coinOnly, start)).transfers.map(({ currency }) => currency)).toEqual(['TRX']);
    expect((await nextBlock(tokenOnly, start)).transfers.map(({ currency }) => currency)).toEqual(['USDT']);
  });

  it('a transaction is unknown, then waiting, then mined, and then it has the confirmations on top of it', async () => {
    expect(await setup.adapter.txState('12'.repeat(32))).toEqual({ kind: 'unknown' });
    const txHash = setup.double.pay({ to: shop, currency: 'TRX', amount: 1n });
    expect(await setup.adapter.txState(txHash)).toEqual({ kind: 'mempool' });
    setup.double.chain.mine(4);
    const { hash, height } = await nextBlock(setup.adapter, start);
    expect(await setup.adapter.txState(txHash)).toEqual({ kind: 'mined', block: { hash, height }, succeeded: true });
    expect((await setup.adapter.tip()).height - height + 1).toBe(4);
    expect((await setup.adapter.mempool()).transfers).toEqual([]);
    expect(await setup.adapter.conflictAt({ txHash, spends: '' }, height)).toBeNull();
  });
});

describe('reorganisations', () => {
  it('are noticed when the cursor was replaced, and the replaced block is not canonical', async () => {
    setup.double.pay({ to: shop, currency: 'TRX', amount: 1n });
    setup.double.chain.mine(2);
    const [first, second] = await readOn(setup.adapter, start);
    setup.double.chain.fork(1);
    expect(await setup.adapter.next(second ?? start)).toEqual({ kind: 'reorganised' });
    expect(await setup.adapter.isCanonical(second ?? start)).toBe(false);
    expect(await setup.adapter.isCanonical(first ?? start)).toBe(true);
    expect((await nextBlock(setup.adapter, first ?? start)).hash).not.toBe(second?.hash);
  });

  it('are noticed at the same height, before another block comes', async () => {
    setup.double.chain.mine();
    const { hash } = await nextBlock(setup.adapter, start);
    setup.double.override(({ path, body }) =>
      path === '/wallet/getblock' && body.id_or_num === undefined ? other : undefined,
    );
    const other = { blockID: hash.slice(0, 16) + 'ab'.repeat(24), block_header: headerOf(start, 3_000) };
    const first = { hash, height: start.height + 1 };
    expect(await setup.adapter.next(first)).toEqual({ kind: 'reorganised' });
  });

  const headerOf = ({ height, hash, time }: BlockHead, later: number) => ({
    raw_data: { number: height + 1, parentHash: hash, timestamp: time.getTime() + later },
  });

  it('a transaction that moves to another block keeps its id and its ordinals', async () => {
    const txHash = setup.double.pay({ to: shop, currency: 'USDT', amount: 5n });
    setup.double.chain.mine();
    const before = await nextBlock(setup.adapter, start);
    setup.double.chain.fork(1, { keep: true });
    const after = await readOn(setup.adapter, start);
    expect(after.flatMap(({ transfers }) => transfers)).toEqual(before.transfers);
    expect(after.at(-1)?.hash).not.toBe(before.hash);
    expect(await setup.adapter.txState(txHash)).toMatchObject({ block: { hash: after.at(-1)?.hash } });
  });

  it('a chain that became shorter is a node that lags, and no news', async () => {
    setup.double.chain.mine(3);
    const tip = await setup.adapter.tip();
    setup.double.chain.blocks.splice(-2);
    expect(await unavailability(setup.adapter.next(tip))).toContain('was read already');
  });

  it('random histories, followed block by block, end in what the last chain holds', async () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const book = [{ ...start, transfers: [] as readonly unknown[] }];
    const follow = async () => {
      for (let rounds = 0; rounds < 100; rounds += 1) {
        const next = await setup.adapter.next(book.at(-1) ?? start);
        if (next.kind === 'tip') return;
        if (next.kind === 'block') book.push(next.block);
        while (next.kind === 'reorganised' && !(await setup.adapter.isCanonical(book.at(-1) ?? start))) book.pop();
      }
    };
    for (let step = 0; step < 40; step += 1) {
      const currency = ['TRX', 'USDT', 'USDC'][random(3)] ?? 'TRX';
      for (let paid = random(4); paid > 0; paid -= 1)
        setup.double.pay({ to: setup.address(random(5)), currency, amount: BigInt(1 + random(1_000)) });
      setup.double.chain.mine(1 + random(2));
      if (random(3) === 0) setup.double.chain.fork(1 + random(Math.min(4, book.length)), { keep: random(2) === 0 });
      if (random(2) === 0) await follow();
    }
    await follow();
    const fresh = await readOn(setup.adapterOf(), start);
    expect(book.slice(1)).toEqual(fresh);
    expect(fresh.flatMap(({ transfers }) => transfers).length).toBeGreaterThan(10);
  });
});

describe('what addresses hold', () => {
  it('is read of the coin and of tokens; an address that was never paid holds nothing', async () => {
    setup.fund(shop, 'TRX', 5n * TRX);
    setup.fund(shop, 'USDT', 7n);
    const other = setup.address(4);
    expect(await setup.adapter.balances([shop, other], 'TRX')).toEqual(
      new Map([
        [shop, 5n * TRX],
        [other, 0n],
      ]),
    );
    expect(await setup.adapter.balances([shop, other], 'USDT')).toEqual(
      new Map([
        [shop, 7n],
        [other, 0n],
      ]),
    );
    expect(await setup.adapter.nonces([shop])).toEqual(new Map([[shop, 0]]));
  });

  it('at a height is told while that block is the tip, and else not at all', async () => {
    setup.fund(shop, 'USDT', 7n);
    const { height } = await setup.adapter.tip();
    expect((await setup.adapter.balances([shop], 'USDT', height)).get(shop)).toBe(7n);
    await expect(setup.adapter.balances([shop], 'USDT', height - 1)).rejects.toThrow(StateNotKept);
    setup.double.override(({ path }) => {
      if (path === '/wallet/triggerconstantcontract') setup.double.chain.mine();
      return undefined;
    });
    await expect(setup.adapter.balances([shop], 'USDT', height)).rejects.toThrow(StateNotKept);
  });
});

describe('a node that is down, or wrong', () => {
  it('is unavailable when nothing listens, without telling its URL', async () => {
    const adapter = setup.adapterOf({ url: 'http://user:hush-password@127.0.0.1:9/hush-key' });
    for (const attempt of everyQuestion({ adapter }))
      expect(await unavailability(attempt)).toMatch(/^TRON: the node could not be reached \(\w+\)$/);
  });

  it.each<[what: string, answer: Override]>([
    ['an exception of its own', () => ({ Error: 'class java.lang.NullPointerException : null' })],
    ['its rate limiter', () => ({ Error: 'class java.lang.IllegalAccessException : lack of computing resources' })],
    ['a result of the wrong shape', () => ({ blockID: 5, result: 'yes', id: 7, chainParameter: 3, balance: -1 })],
    ['a list', () => [[]]],
    ['HTTP 500', () => Promise.reject(new Error('broken'))],
  ])('is unavailable when it answers with %s', async (_what, answer) => {
    setup.double.override(answer);
    for (const attempt of everyQuestion(setup)) await unavailability(attempt);
  });

  it('on another chain is not verified, and brings no news of a reorganisation', async () => {
    const elsewhere = setup.adapterOf({ chainId: 728_126_428 });
    expect(await unavailability(elsewhere.verify())).toContain('expected 728126428');
    const gone = { height: start.height - 1, hash: 'ab'.repeat(32) };
    expect(await setup.adapter.next(gone)).toEqual({ kind: 'reorganised' });
    await unavailability(elsewhere.next(gone));
    await setup.adapter.verify();
  });

  it('that shows a transaction under the id of another is not believed', async () => {
    setup.fund(shop, 'TRX', 5n);
    setup.double.override(async ({ path, body }) => {
      if (path !== '/wallet/getblockbynum') return undefined;
      const response = await fetch(`${setup.double.url}/wallet/getblock`, {
        ...{ method: 'POST', body: JSON.stringify({ id_or_num: String(body.num), detail: true }) },
      });
      const text = JSON.stringify(await response.json());
      // The signed bytes have a greater amount.
      return JSON.parse(text.replace(/1805(?=70)/g, '187f')) as object;
    });
    expect(await unavailability(setup.adapter.next(start))).toContain('has the id of another');
  });

  it('whose results are missing, or of another block, is asked again', async () => {
    setup.fund(shop, 'USDT', 5n);
    const list = '/wallet/gettransactioninfobyblocknum';
    setup.double.override(({ path }) => (path === list ? [] : undefined));
    expect(await unavailability(setup.adapter.next(start))).toContain('not what became of its transactions');
    setup.double.override(null);
    const [entry] = setup.double.chain.tip().entries;
    const info = { id: entry?.transaction.id, blockNumber: start.height + 1, blockTimeStamp: start.time.getTime() };
    setup.double.override(({ path }) => (path === list ? [info] : undefined));
    expect(await unavailability(setup.adapter.next(start))).toContain('not what became of its transactions');
    setup.double.override(null);
    expect((await nextBlock(setup.adapter, start)).transfers).toHaveLength(1);
  });

  it('that answers with another height, or a block with the id of another, is unavailable', async () => {
    setup.double.override(({ path }) => (path === '/wallet/getblock' ? first : undefined));
    const first = {
      blockID: start.hash,
      block_header: { raw_data: { number: start.height - 1, parentHash: 'ab'.repeat(32) } },
    };
    expect(await unavailability(setup.adapter.headAt(start.height - 1))).toContain('id of another');
    const [, second] = setup.double.chain.blocks;
    const wrong = { blockID: second?.id, block_header: { raw_data: { number: 1, parentHash: second?.parent } } };
    setup.double.override(({ path }) => (path === '/wallet/getblock' ? wrong : undefined));
    expect(await unavailability(setup.adapter.headAt(7))).toContain('answered with block 1 for 7');
  });

  it('that has no token, or another one, behind a contract is not verified', async () => {
    const contracts = new Map([['USDT', shop]]);
    expect(await unavailability(setup.adapterOf({ contracts }).verify())).toContain('not exist');
    setup.double.override(({ path }) =>
      path === '/wallet/triggerconstantcontract'
        ? { result: { result: true }, constant_result: ['12'.padStart(64, '0')], transaction: { ret: [{}] } }
        : undefined,
    );
    expect(await unavailability(setup.adapter.verify())).toContain('has 18 decimals');
  });

  it('gets the key of its host with every question', async () => {
    await setup.adapterOf({ apiKey: 'a-key' }).tip();
    expect(setup.double.asked.at(-1)?.headers['tron-pro-api-key']).toBe('a-key');
    await setup.adapter.tip();
    expect(setup.double.asked.at(-1)?.headers['tron-pro-api-key']).toBeUndefined();
  });
});

describe('configuration', () => {
  it('a payment URI is the plain address, for the coin as for a token', () => {
    for (const currency of ['TRX', 'USDT'])
      expect(setup.adapter.paymentUri({ address: shop, currency, amount: 1n, orderId: 'ord_1' })).toBe(shop);
  });

  it('addresses come from the account', () => {
    expect(setup.adapter.derive(XPUB, 3)).toEqual({ address: shop, key: shop });
    expect(setup.adapter.parseAddress(shop)).toEqual({ address: shop, key: shop });
  });

  it.each([
    ['a token without a contract', new Map([['USDT', null]]), 'a token has a contract'],
    ['the coin with one', new Map([['TRX', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t']]), 'the coin none'],
    [
      'a contract that is no address',
      new Map([['USDT', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c']]),
      'is no address',
    ],
    ['an unknown currency', new Map([['DOGE', null]]), 'There is no DOGE on TRON'],
  ])('%s is refused', (_what, contracts, message) => {
    const options = { network: 'TRON', url: 'http://127.0.0.1:9', timeoutMs: 1 } as const;
    expect(() => createTronAdapter({ ...options, contracts: new Map<string, string | null>(contracts) })).toThrow(
      message,
    );
  });

  it('one contract for two currencies is refused', () => {
    const contract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
    const contracts = new Map([
      ['USDT', contract],
      ['USDC', contract],
    ]);
    expect(() => setup.adapterOf({ contracts })).toThrow('share the contract');
  });
});
