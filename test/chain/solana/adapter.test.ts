// The Solana adapter as a reader, over litesvm behind a small RPC server: blocks, transfers, forks, finality, and nodes
// that are down or wrong.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BlockHead } from '../../../src/chain/blocks.ts';
import { ChainUnavailable, StateNotKept } from '../../../src/chain/errors.ts';
import { associatedTokenAccount, TOKEN_PROGRAM } from '../../../src/chain/solana/address.ts';
import { createSolanaAdapter } from '../../../src/chain/solana/adapter.ts';
import * as message from '../../../src/chain/solana/message.ts';
import { mintAccount, newKey, tokenAccount } from '../../doubles/solana/accounts.ts';
import { Failure } from '../../doubles/solana/answers.ts';
import { paymentOf, type Override } from '../../doubles/solana/node.ts';
import { referenceOf } from '../../../src/chain/solana/uri.ts';
import { createSolanaWorld, nextBlock, readOn, SOL, type SolanaWorld } from './world.fixture.ts';

let world: SolanaWorld;
let start: BlockHead;
let shop: string;

beforeEach(async () => {
  world = await createSolanaWorld();
  start = await world.adapter.tip();
  shop = world.wallet().address;
});
afterEach(() => world.stop());

/** Expects `ChainUnavailable` and returns the error. */
async function unavailability(attempt: Promise<unknown>): Promise<ChainUnavailable> {
  const error: unknown = await attempt.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ChainUnavailable);
  return error as ChainUnavailable;
}

const NOWHERE = '1'.repeat(64);

const everyQuestion = ({ adapter }: Pick<SolanaWorld, 'adapter'>): Array<Promise<unknown>> => [
  adapter.verify(),
  adapter.tip(),
  adapter.headAt(1),
  adapter.next(start),
  adapter.isCanonical(start),
  adapter.txState(NOWHERE),
  adapter.receipt(NOWHERE),
  adapter.balances([shop], 'SOL'),
  adapter.balances([shop], 'USDT'),
  adapter.fees(),
  adapter.quote({ from: shop, to: newKey().address, currency: 'SOL', amount: 1n }),
  adapter.broadcast('AAAA'),
  adapter.hasExpired({ txHash: NOWHERE, validUntil: 1, raw: '' }),
];

const usdt = () => world.node.contracts.get('USDT') ?? '';

describe('blocks', () => {
  it('the tip, and nothing after it, is what follows the tip', async () => {
    expect(await world.adapter.next(start)).toEqual({ kind: 'tip', tip: start });
    expect(await world.adapter.headAt(start.height)).toEqual(start);
    expect(await world.adapter.headAt(start.height + 1)).toBeNull();
  });

  it('coins and tokens are reported with their owners, in base units', async () => {
    const coin = world.node.pay({ to: shop, currency: 'SOL', amount: 2n * SOL });
    const tokens = world.node.pay({ to: shop, currency: 'USDT', amount: 34n });
    const others = world.node.pay({ to: shop, currency: 'USDC', amount: 56n });
    world.node.chain.mine();
    const block = await nextBlock(world.adapter, start);
    expect(block).toMatchObject({ height: start.height + 1, parentHash: start.hash });
    expect(block.transfers).toEqual([
      { txHash: coin, ordinal: 1, addressKey: shop, currency: 'SOL', amount: 2n * SOL },
      { txHash: tokens, ordinal: 1_001, addressKey: shop, currency: 'USDT', amount: 34n },
      { txHash: others, ordinal: 1_001, addressKey: shop, currency: 'USDC', amount: 56n },
    ]);
  });

  it('of one transaction that pays several, and one of them twice, each is told once with all that it got', async () => {
    const other = world.wallet().address;
    const { faucet } = world.node;
    const txHash = world.node.submit([
      ...paymentOf(faucet.address, undefined, shop, SOL),
      ...paymentOf(faucet.address, undefined, other, 3n * SOL),
      ...paymentOf(faucet.address, undefined, shop, SOL),
      ...paymentOf(faucet.address, usdt(), shop, 7n),
      ...paymentOf(faucet.address, usdt(), shop, 8n),
    ]);
    world.node.chain.mine();
    const { transfers } = await nextBlock(world.adapter, start);
    const told = transfers.map(({ addressKey, currency, amount }) => [addressKey, currency, amount]);
    expect(told).toHaveLength(3);
    expect(told).toEqual(
      expect.arrayContaining([
        [shop, 'SOL', 2n * SOL],
        [other, 'SOL', 3n * SOL],
        [shop, 'USDT', 15n],
      ]),
    );
    expect(new Set(transfers.map(({ ordinal }) => ordinal)).size).toBe(3);
    expect(transfers.every((transfer) => transfer.txHash === txHash)).toBe(true);
  });

  it('what stays where it was, the rent of token accounts, and a token nobody named are no payments', async () => {
    const worthless = newKey().address;
    const { faucet, chain } = world.node;
    chain.place(mintAccount(worthless, faucet.address));
    chain.place(tokenAccount(faucet.address, worthless));
    world.fund(shop, 'USDT', 5n);
    const before = await world.adapter.tip();
    world.node.submit(paymentOf(faucet.address, worthless, shop, 5n));
    world.node.submit(paymentOf(faucet.address, usdt(), faucet.address, 5n));
    chain.mine();
    expect((await nextBlock(world.adapter, before)).transfers).toEqual([]);
  });

  it("tokens in another account than the owner's associated one are no payment: nobody sweeps them", async () => {
    const aside = newKey().address;
    const { faucet, chain } = world.node;
    chain.place(tokenAccount(shop, usdt(), 0n, { at: aside }));
    const token = { mint: usdt(), program: TOKEN_PROGRAM, decimals: 6 };
    const from = associatedTokenAccount(faucet.address, usdt(), TOKEN_PROGRAM);
    world.node.submit([message.transferToken({ from, owner: faucet.address, to: aside, units: 9n }, token)]);
    chain.mine();
    expect((await nextBlock(world.adapter, start)).transfers).toEqual([]);
  });

  it('a failed transaction pays nothing, and costs its fee', async () => {
    const txHash = world.node.pay({ to: shop, currency: 'USDT', amount: 5n });
    world.node.chain.place(tokenAccount(shop, usdt(), 0n, { frozen: true }));
    world.node.chain.mine();
    expect((await nextBlock(world.adapter, start)).transfers).toEqual([]);
    expect(await world.adapter.txState(txHash)).toMatchObject({ kind: 'mined', succeeded: false });
    expect(await world.adapter.receipt(txHash)).toMatchObject({ succeeded: false, paid: [], cost: 5_001n });
  });

  it('slots without a block are passed over, and the block after them follows the one before', async () => {
    world.node.chain.mine(1, { skip: 3 });
    world.node.chain.mine(2);
    // Finality makes no progress without blocks, and so neither does what may be reported.
    world.node.chain.holdFinal(null);
    world.node.chain.mine(40);
    const blocks = await readOn(world.adapter, start);
    expect(blocks[0]).toMatchObject({ height: start.height + 4, parentHash: start.hash });
    expect(blocks[1]?.parentHash).toBe(blocks[0]?.hash);
    expect(await world.adapter.headAt(start.height + 2)).toEqual(start);
    expect(await world.adapter.isCanonical({ hash: start.hash, height: start.height + 2 })).toBe(false);
    expect(await world.adapter.isCanonical({ hash: blocks[0]?.hash ?? '', height: start.height + 4 })).toBe(true);
  });

  it('many at a time are the same as one after the other, slots without a block left out', async () => {
    for (let count = 0; count < 6; count += 1) {
      world.node.pay({ to: shop, currency: count % 2 === 0 ? 'SOL' : 'USDT', amount: SOL });
      world.node.chain.mine(1, { skip: count % 3 });
    }
    world.node.chain.mine(40);
    const { height } = await world.adapter.tip();
    const read = await readOn(world.adapter, start);
    const count = height - start.height;
    expect(await world.adapter.following?.(start.height + 1, count, height)).toEqual(read);
    expect(await world.adapter.following?.(start.height + 3, 2, height)).toEqual(
      read.filter((block) => block.height === start.height + 3 || block.height === start.height + 4),
    );
  });

  it('whole stretches without a block are passed over', async () => {
    world.node.chain.mine(1, { skip: 1_500 });
    world.node.chain.mine(40);
    expect(await nextBlock(world.adapter, start)).toMatchObject({ height: start.height + 1_501 });
  });

  it('a transaction is unknown, then mined, and then it has the confirmations on top of it', async () => {
    expect(await world.adapter.txState(NOWHERE)).toEqual({ kind: 'unknown' });
    const txHash = world.node.pay({ to: shop, currency: 'SOL', amount: SOL });
    expect(await world.adapter.txState(txHash)).toEqual({ kind: 'unknown' });
    world.node.chain.mine(4);
    const { hash, height } = await nextBlock(world.adapter, start);
    expect(await world.adapter.txState(txHash)).toEqual({ kind: 'mined', block: { hash, height }, succeeded: true });
    expect((await world.adapter.tip()).height - height + 1).toBe(4);
    expect((await world.adapter.mempool()).transfers).toEqual([]);
    expect(await world.adapter.conflictAt({ txHash, spends: '' }, height)).toBeNull();
  });
});

describe('finality', () => {
  it('a block has its 32nd confirmation when it is final, and not before, however many are on top of it', async () => {
    const { chain } = world.node;
    const paid = chain.mine();
    chain.holdFinal(paid.slot - 1);
    chain.mine(100);
    const confirmations = async () => (await world.adapter.tip()).height - paid.slot + 1;
    expect(await confirmations()).toBe(31);
    const last = (await readOn(world.adapter, start)).at(-1);
    expect((last?.height ?? 0) - paid.slot + 1).toBe(31);
    chain.holdFinal(paid.slot);
    expect(await confirmations()).toBe(32);
    chain.holdFinal(null);
    expect(await confirmations()).toBe(101);
  });
});

describe('forks', () => {
  it('are noticed when the cursor was replaced, and the replaced block is not canonical', async () => {
    world.fund(shop, 'SOL', SOL);
    world.node.chain.mine();
    const [first, second] = await readOn(world.adapter, start);
    world.node.chain.fork(1);
    expect(await world.adapter.next(second ?? start)).toEqual({ kind: 'reorganised' });
    expect(await world.adapter.isCanonical(second ?? start)).toBe(false);
    expect(await world.adapter.isCanonical(first ?? start)).toBe(true);
    expect((await nextBlock(world.adapter, first ?? start)).hash).not.toBe(second?.hash);
  });

  it('a transaction that moves to another block keeps its id and its ordinals', async () => {
    const txHash = world.fund(shop, 'USDT', 5n);
    const before = await nextBlock(world.adapter, start);
    world.node.chain.fork(1, { keep: true });
    const after = await readOn(world.adapter, start);
    expect(after.flatMap(({ transfers }) => transfers)).toEqual(before.transfers);
    expect(after.at(-1)?.hash).not.toBe(before.hash);
    expect(await world.adapter.txState(txHash)).toMatchObject({ block: { hash: after.at(-1)?.hash } });
  });

  it('random histories, followed block by block, end in what the last chain holds', async () => {
    let seed = 11;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const shops = Array.from({ length: 4 }, () => world.wallet({ SOL }).address);
    start = await world.adapter.tip();
    const book = [{ ...start, transfers: [] as readonly unknown[] }];
    const follow = async () => {
      for (let rounds = 0; rounds < 200; rounds += 1) {
        const next = await world.adapter.next(book.at(-1) ?? start);
        if (next.kind === 'tip') return;
        if (next.kind === 'block') book.push(next.block);
        while (next.kind === 'reorganised' && !(await world.adapter.isCanonical(book.at(-1) ?? start))) book.pop();
      }
    };
    for (let step = 0; step < 30; step += 1) {
      const currency = ['SOL', 'USDT', 'USDC'][random(3)] ?? 'SOL';
      for (let paid = random(3); paid > 0; paid -= 1)
        world.node.pay({ to: shops[random(4)] ?? '', currency, amount: BigInt(1 + random(1_000)) });
      world.node.chain.mine(1 + random(2), { skip: random(4) === 0 ? 1 : 0 });
      if (random(3) === 0) world.node.chain.fork(1 + random(Math.min(4, book.length)), { keep: random(2) === 0 });
      if (random(2) === 0) await follow();
    }
    world.node.chain.mine(40);
    await follow();
    const fresh = await readOn(world.adapterOf(), start);
    expect(book.slice(1)).toEqual(fresh);
    expect(fresh.flatMap(({ transfers }) => transfers).length).toBeGreaterThan(10);
  });
});

describe('what addresses hold', () => {
  it('is read of the coin and of tokens; an address that was never paid holds nothing', async () => {
    world.fund(shop, 'SOL', 5n * SOL);
    world.fund(shop, 'USDT', 7n);
    const other = world.wallet().address;
    const both = (one: bigint) =>
      new Map([
        [shop, one],
        [other, 0n],
      ]);
    expect(await world.adapter.balances([shop, other], 'SOL')).toEqual(both(5n * SOL));
    expect(await world.adapter.balances([shop, other], 'USDT')).toEqual(both(7n));
    expect(await world.adapter.nonces([shop])).toEqual(new Map([[shop, 0]]));
  });

  it('at an earlier block is reckoned back from the blocks since', async () => {
    const payer = world.wallet({ SOL: 10n * SOL, USDT: 100n });
    const then = await world.adapter.tip();
    const other = world.wallet({ SOL });
    world.fund(payer.address, 'USDT', 5n);
    world.node.submit([message.transferCoin(payer.address, other.address, 3n * SOL)], [payer]);
    world.node.chain.mine(2, { skip: 1 });
    world.fund(payer.address, 'SOL', SOL);
    const keys = [payer.address, other.address, shop];
    const held = async (currency: string, height?: number) => [
      ...(await world.adapter.balances(keys, currency, height)).values(),
    ];
    expect(await held('SOL', then.height)).toEqual([10n * SOL, 0n, 0n]);
    expect(await held('USDT', then.height)).toEqual([100n, 0n, 0n]);
    expect(await held('SOL')).toEqual([8n * SOL, 4n * SOL, 0n]);
    expect(await held('USDT')).toEqual([105n, 0n, 0n]);
  });

  it('at a block that is long gone, or not there yet, is not told', async () => {
    const { height } = await world.adapter.tip();
    await expect(world.adapter.balances([shop], 'SOL', height + 1)).rejects.toThrow(StateNotKept);
    world.node.chain.mine(65);
    await expect(world.adapter.balances([shop], 'SOL', height)).rejects.toThrow(StateNotKept);
  });
});

describe('a node that is down, or wrong', () => {
  it('is unavailable when nothing listens, without telling its URL', async () => {
    const adapter = world.adapterOf({ url: 'http://user:hush-password@127.0.0.1:9/hush-key' });
    for (const attempt of everyQuestion({ adapter }))
      expect((await unavailability(attempt)).message).toMatch(/^SOL: the node could not be reached \(\w+\)$/);
  });

  it.each<[what: string, answer: Override]>([
    ['an error of its own', () => Promise.reject(new Failure(-32_603, 'internal error'))],
    ['results of the wrong shape', () => ({ value: 'yes', blockhash: 5 })],
    ['a list of nonsense', () => ['yes', {}]],
    ['HTTP 500', () => 500],
  ])('is unavailable when it answers with %s', async (_what, answer) => {
    world.node.override(answer);
    for (const attempt of everyQuestion(world)) await unavailability(attempt);
  });

  it('that limits rates says when it wants to be asked again', async () => {
    world.node.override(() => 429);
    for (const attempt of everyQuestion(world)) expect((await unavailability(attempt)).retryAfterMs).toBe(7_000);
  });

  it('on another chain is not verified, and brings no news of a reorganisation', async () => {
    const elsewhere = world.adapterOf({ genesisHash: start.hash });
    expect((await unavailability(elsewhere.verify())).message).toContain('expected');
    const gone = { height: start.height - 1, hash: newKey().address };
    expect(await world.adapter.next(gone)).toEqual({ kind: 'reorganised' });
    await unavailability(elsewhere.next(gone));
    await world.adapter.verify();
  });

  it('that lost a block is asked again: it is not passed over, and its loss is no reorganisation', async () => {
    const paid = world.node.chain.mine();
    world.node.chain.mine();
    world.node.override(({ method, params }) => {
      if (method === 'getBlocks')
        return world.node.chain.blocks
          .map(({ slot }) => slot)
          .filter((slot) => slot !== paid.slot && slot >= Number(params[0]) && slot <= Number(params[1]));
      if (method === 'getBlock' && params[0] === paid.slot) throw new Failure(-32_007, 'missing');
      return undefined;
    });
    expect((await unavailability(world.adapter.next(start))).message).toContain('lost the block');
    const cursor = { hash: paid.hash, height: paid.slot };
    expect((await unavailability(world.adapter.isCanonical(cursor))).message).toContain('lost the block');
    world.node.override(null);
    expect(await nextBlock(world.adapter, start)).toMatchObject({ hash: paid.hash });
  });

  it('that lags behind what was read is no news', async () => {
    world.node.chain.mine(3);
    const tip = await world.adapter.tip();
    world.node.chain.blocks.splice(-2);
    expect((await unavailability(world.adapter.next(tip))).message).toContain('lags');
  });

  it('that has no token, or another one, behind a contract is not verified', async () => {
    const contracts = new Map([['USDT', shop]]);
    expect((await unavailability(world.adapterOf({ contracts }).verify())).message).toContain('no token');
    const odd = newKey().address;
    world.node.chain.place(mintAccount(odd, shop, 9));
    const other = world.adapterOf({ contracts: new Map([['USDT', odd]]) });
    expect((await unavailability(other.verify())).message).toContain('has 9 decimals');
    const account = associatedTokenAccount(world.node.faucet.address, usdt(), TOKEN_PROGRAM);
    const wrong = world.adapterOf({ contracts: new Map([['USDT', account]]) });
    expect((await unavailability(wrong.verify())).message).toContain('no token');
  });
});

describe('configuration', () => {
  it('a payment URI names the token, the amount as a decimal, and the order by a reference', () => {
    const orderId = 'ord_1';
    expect(world.adapter.paymentUri({ address: shop, currency: 'SOL', amount: SOL / 2n, orderId })).toBe(
      `solana:${shop}?amount=0.5&reference=${referenceOf(orderId)}`,
    );
    expect(world.adapter.paymentUri({ address: shop, currency: 'USDT', amount: 1_500_000n, orderId })).toBe(
      `solana:${shop}?amount=1.5&spl-token=${usdt()}&reference=${referenceOf(orderId)}`,
    );
  });

  it('addresses are made ahead, and derived by nobody', () => {
    expect(world.adapter.addresses).toBe('POOLED');
    expect(() => world.adapter.derive('xpub', 1)).toThrow('made ahead');
  });

  it.each([
    ['a token without a contract', new Map([['USDT', null]]), 'a token has a contract'],
    ['the coin with one', new Map([['SOL', TOKEN_PROGRAM]]), 'the coin none'],
    ['a contract that is no address', new Map([['USDT', '0x12']]), 'is no address'],
    ['an unknown currency', new Map([['DOGE', null]]), 'There is no DOGE on SOL'],
    [
      'one for two',
      new Map([
        ['USDT', TOKEN_PROGRAM],
        ['USDC', TOKEN_PROGRAM],
      ]),
      'share the contract',
    ],
  ])('%s is refused', (_what, contracts, text) => {
    const options = { network: 'SOL', url: 'http://127.0.0.1:9', timeoutMs: 1 } as const;
    expect(() => createSolanaAdapter({ ...options, contracts: new Map<string, string | null>(contracts) })).toThrow(
      text,
    );
  });
});
