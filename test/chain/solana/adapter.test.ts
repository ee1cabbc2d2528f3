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
import { createSolanaSetup, nextBlock, readOn, SOL, type SolanaSetup } from './setup.fixture.ts';

let setup: SolanaSetup;
let start: BlockHead;
let shop: string;

beforeEach(async () => {
  setup = await createSolanaSetup();
  start = await setup.adapter.tip();
  shop = setup.wallet().address;
});
afterEach(() => setup.stop());

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

const everyQuestion = ({ adapter }: Pick<SolanaSetup, 'adapter'>): Array<Promise<unknown>> => [
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

const usdt = () => setup.node.contracts.get('USDT') ?? '';

describe('blocks', () => {
  it('the tip, and nothing after it, is what follows the tip', async () => {
    expect(await setup.adapter.next(start)).toEqual({ kind: 'tip', tip: start });
    expect(await setup.adapter.headAt(start.height)).toEqual(start);
    expect(await setup.adapter.headAt(start.height + 1)).toBeNull();
  });

  it('coins and tokens are reported with their owners, in base units', async () => {
    const coin = setup.node.pay({ to: shop, currency: 'SOL', amount: 2n * SOL });
    const tokens = setup.node.pay({ to: shop, currency: 'USDT', amount: 34n });
    const others = setup.node.pay({ to: shop, currency: 'USDC', amount: 56n });
    setup.node.chain.mine();
    const block = await nextBlock(setup.adapter, start);
    expect(block).toMatchObject({ height: start.height + 1, parentHash: start.hash });
    expect(block.transfers).toEqual([
      { txHash: coin, ordinal: 1, addressKey: shop, currency: 'SOL', amount: 2n * SOL },
      { txHash: tokens, ordinal: 1_001, addressKey: shop, currency: 'USDT', amount: 34n },
      { txHash: others, ordinal: 1_001, addressKey: shop, currency: 'USDC', amount: 56n },
    ]);
  });

  it('of one transaction that pays several, and one of them twice, each is told once with all that it got', async () => {
    const other = setup.wallet().address;
    const { faucet } = setup.node;
    const txHash = setup.node.submit([
      ...paymentOf(faucet.address, undefined, shop, SOL),
      ...paymentOf(faucet.address, undefined, other, 3n * SOL),
      ...paymentOf(faucet.address, undefined, shop, SOL),
      ...paymentOf(faucet.address, usdt(), shop, 7n),
      ...paymentOf(faucet.address, usdt(), shop, 8n),
    ]);
    setup.node.chain.mine();
    const { transfers } = await nextBlock(setup.adapter, start);
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
    const { faucet, chain } = setup.node;
    chain.place(mintAccount(worthless, faucet.address));
    chain.place(tokenAccount(faucet.address, worthless));
    setup.fund(shop, 'USDT', 5n);
    const before = await setup.adapter.tip();
    setup.node.submit(paymentOf(faucet.address, worthless, shop, 5n));
    setup.node.submit(paymentOf(faucet.address, usdt(), faucet.address, 5n));
    chain.mine();
    expect((await nextBlock(setup.adapter, before)).transfers).toEqual([]);
  });

  it("tokens in another account than the owner's associated one are no payment: nobody sweeps them", async () => {
    const aside = newKey().address;
    const { faucet, chain } = setup.node;
    chain.place(tokenAccount(shop, usdt(), 0n, { at: aside }));
    const token = { mint: usdt(), program: TOKEN_PROGRAM, decimals: 6 };
    const from = associatedTokenAccount(faucet.address, usdt(), TOKEN_PROGRAM);
    setup.node.submit([message.transferToken({ from, owner: faucet.address, to: aside, units: 9n }, token)]);
    chain.mine();
    expect((await nextBlock(setup.adapter, start)).transfers).toEqual([]);
  });

  it('a failed transaction pays nothing, and costs its fee', async () => {
    const txHash = setup.node.pay({ to: shop, currency: 'USDT', amount: 5n });
    setup.node.chain.place(tokenAccount(shop, usdt(), 0n, { frozen: true }));
    setup.node.chain.mine();
    expect((await nextBlock(setup.adapter, start)).transfers).toEqual([]);
    expect(await setup.adapter.txState(txHash)).toMatchObject({ kind: 'mined', succeeded: false });
    expect(await setup.adapter.receipt(txHash)).toMatchObject({ succeeded: false, paid: [], cost: 5_001n });
  });

  it('slots without a block are passed over, and the block after them follows the one before', async () => {
    setup.node.chain.mine(1, { skip: 3 });
    setup.node.chain.mine(2);
    // Finality makes no progress without blocks, and so neither does what may be reported.
    setup.node.chain.holdFinal(null);
    setup.node.chain.mine(40);
    const blocks = await readOn(setup.adapter, start);
    expect(blocks[0]).toMatchObject({ height: start.height + 4, parentHash: start.hash });
    expect(blocks[1]?.parentHash).toBe(blocks[0]?.hash);
    expect(await setup.adapter.headAt(start.height + 2)).toEqual(start);
    expect(await setup.adapter.isCanonical({ hash: start.hash, height: start.height + 2 })).toBe(false);
    expect(await setup.adapter.isCanonical({ hash: blocks[0]?.hash ?? '', height: start.height + 4 })).toBe(true);
  });

  it('many at a time are the same as one after the other, slots without a block left out', async () => {
    for (let count = 0; count < 6; count += 1) {
      setup.node.pay({ to: shop, currency: count % 2 === 0 ? 'SOL' : 'USDT', amount: SOL });
      setup.node.chain.mine(1, { skip: count % 3 });
    }
    setup.node.chain.mine(40);
    const { height } = await setup.adapter.tip();
    const read = await readOn(setup.adapter, start);
    const count = height - start.height;
    expect(await setup.adapter.following?.(start.height + 1, count, height)).toEqual(read);
    expect(await setup.adapter.following?.(start.height + 3, 2, height)).toEqual(
      read.filter((block) => block.height === start.height + 3 || block.height === start.height + 4),
    );
  });

  it('whole stretches without a block are passed over', async () => {
    setup.node.chain.mine(1, { skip: 1_500 });
    setup.node.chain.mine(40);
    expect(await nextBlock(setup.adapter, start)).toMatchObject({ height: start.height + 1_501 });
  });

  it('a transaction is unknown, then mined, and then it has the confirmations on top of it', async () => {
    expect(await setup.adapter.txState(NOWHERE)).toEqual({ kind: 'unknown' });
    const txHash = setup.node.pay({ to: shop, currency: 'SOL', amount: SOL });
    expect(await setup.adapter.txState(txHash)).toEqual({ kind: 'unknown' });
    setup.node.chain.mine(4);
    const { hash, height } = await nextBlock(setup.adapter, start);
    expect(await setup.adapter.txState(txHash)).toEqual({ kind: 'mined', block: { hash, height }, succeeded: true });
    expect((await setup.adapter.tip()).height - height + 1).toBe(4);
    expect((await setup.adapter.mempool()).transfers).toEqual([]);
    expect(await setup.adapter.conflictAt({ txHash, spends: '' }, height)).toBeNull();
  });
});

describe('finality', () => {
  it('a block has its 32nd confirmation when it is final, and not before, however many are on top of it', async () => {
    const { chain } = setup.node;
    const paid = chain.mine();
    chain.holdFinal(paid.slot - 1);
    chain.mine(100);
    const confirmations = async () => (await setup.adapter.tip()).height - paid.slot + 1;
    expect(await confirmations()).toBe(31);
    const last = (await readOn(setup.adapter, start)).at(-1);
    expect((last?.height ?? 0) - paid.slot + 1).toBe(31);
    chain.holdFinal(paid.slot);
    expect(await confirmations()).toBe(32);
    chain.holdFinal(null);
    expect(await confirmations()).toBe(101);
  });
});

describe('forks', () => {
  it('are noticed when the cursor was replaced, and the replaced block is not canonical', async () => {
    setup.fund(shop, 'SOL', SOL);
    setup.node.chain.mine();
    const [first, second] = await readOn(setup.adapter, start);
    setup.node.chain.fork(1);
    expect(await setup.adapter.next(second ?? start)).toEqual({ kind: 'reorganised' });
    expect(await setup.adapter.isCanonical(second ?? start)).toBe(false);
    expect(await setup.adapter.isCanonical(first ?? start)).toBe(true);
    expect((await nextBlock(setup.adapter, first ?? start)).hash).not.toBe(second?.hash);
  });

  it('a transaction that moves to another block keeps its id and its ordinals', async () => {
    const txHash = setup.fund(shop, 'USDT', 5n);
    const before = await nextBlock(setup.adapter, start);
    setup.node.chain.fork(1, { keep: true });
    const after = await readOn(setup.adapter, start);
    expect(after.flatMap(({ transfers }) => transfers)).toEqual(before.transfers);
    expect(after.at(-1)?.hash).not.toBe(before.hash);
    expect(await setup.adapter.txState(txHash)).toMatchObject({ block: { hash: after.at(-1)?.hash } });
  });

  it('random histories, followed block by block, end in what the last chain holds', async () => {
    let seed = 11;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const shops = Array.from({ length: 4 }, () => setup.wallet({ SOL }).address);
    start = await setup.adapter.tip();
    const book = [{ ...start, transfers: [] as readonly unknown[] }];
    const follow = async () => {
      for (let rounds = 0; rounds < 200; rounds += 1) {
        const next = await setup.adapter.next(book.at(-1) ?? start);
        if (next.kind === 'tip') return;
        if (next.kind === 'block') book.push(next.block);
        while (next.kind === 'reorganised' && !(await setup.adapter.isCanonical(book.at(-1) ?? start))) book.pop();
      }
    };
    for (let step = 0; step < 30; step += 1) {
      const currency = ['SOL', 'USDT', 'USDC'][random(3)] ?? 'SOL';
      for (let paid = random(3); paid > 0; paid -= 1)
        setup.node.pay({ to: shops[random(4)] ?? '', currency, amount: BigInt(1 + random(1_000)) });
      setup.node.chain.mine(1 + random(2), { skip: random(4) === 0 ? 1 : 0 });
      if (random(3) === 0) setup.node.chain.fork(1 + random(Math.min(4, book.length)), { keep: random(2) === 0 });
      if (random(2) === 0) await follow();
    }
    setup.node.chain.mine(40);
    await follow();
    const fresh = await readOn(setup.adapterOf(), start);
    expect(book.slice(1)).toEqual(fresh);
    expect(fresh.flatMap(({ transfers }) => transfers).length).toBeGreaterThan(10);
  });
});

describe('what addresses hold', () => {
  it('is read of the coin and of tokens; an address that was never paid holds nothing', async () => {
    setup.fund(shop, 'SOL', 5n * SOL);
    setup.fund(shop, 'USDT', 7n);
    const other = setup.wallet().address;
    const both = (one: bigint) =>
      new Map([
        [shop, one],
        [other, 0n],
      ]);
    expect(await setup.adapter.balances([shop, other], 'SOL')).toEqual(both(5n * SOL));
    expect(await setup.adapter.balances([shop, other], 'USDT')).toEqual(both(7n));
    expect(await setup.adapter.nonces([shop])).toEqual(new Map([[shop, 0]]));
  });

  it('at an earlier block is reckoned back from the blocks since', async () => {
    const payer = setup.wallet({ SOL: 10n * SOL, USDT: 100n });
    const then = await setup.adapter.tip();
    const other = setup.wallet({ SOL });
    setup.fund(payer.address, 'USDT', 5n);
    setup.node.submit([message.transferCoin(payer.address, other.address, 3n * SOL)], [payer]);
    setup.node.chain.mine(2, { skip: 1 });
    setup.fund(payer.address, 'SOL', SOL);
    const keys = [payer.address, other.address, shop];
    const held = async (currency: string, height?: number) => [
      ...(await setup.adapter.balances(keys, currency, height)).values(),
    ];
    expect(await held('SOL', then.height)).toEqual([10n * SOL, 0n, 0n]);
    expect(await held('USDT', then.height)).toEqual([100n, 0n, 0n]);
    expect(await held('SOL')).toEqual([8n * SOL, 4n * SOL, 0n]);
    expect(await held('USDT')).toEqual([105n, 0n, 0n]);
  });

  it('at a block that is long gone, or not there yet, is not told', async () => {
    const { height } = await setup.adapter.tip();
    await expect(setup.adapter.balances([shop], 'SOL', height + 1)).rejects.toThrow(StateNotKept);
    setup.node.chain.mine(65);
    await expect(setup.adapter.balances([shop], 'SOL', height)).rejects.toThrow(StateNotKept);
  });
});

describe('a node that is down, or wrong', () => {
  it('is unavailable when nothing listens, without telling its URL', async () => {
    const adapter = setup.adapterOf({ url: 'http://user:hush-password@127.0.0.1:9/hush-key' });
    for (const attempt of everyQuestion({ adapter }))
      expect((await unavailability(attempt)).message).toMatch(/^SOL: the node could not be reached \(\w+\)$/);
  });

  it.each<[what: string, answer: Override]>([
    ['an error of its own', () => Promise.reject(new Failure(-32_603, 'internal error'))],
    ['results of the wrong shape', () => ({ value: 'yes', blockhash: 5 })],
    ['a list of nonsense', () => ['yes', {}]],
    ['HTTP 500', () => 500],
  ])('is unavailable when it answers with %s', async (_what, answer) => {
    setup.node.override(answer);
    for (const attempt of everyQuestion(setup)) await unavailability(attempt);
  });

  it('that limits rates says when it wants to be asked again', async () => {
    setup.node.override(() => 429);
    for (const attempt of everyQuestion(setup)) expect((await unavailability(attempt)).retryAfterMs).toBe(7_000);
  });

  it('on another chain is not verified, and brings no news of a reorganisation', async () => {
    const elsewhere = setup.adapterOf({ genesisHash: start.hash });
    expect((await unavailability(elsewhere.verify())).message).toContain('expected');
    const gone = { height: start.height - 1, hash: newKey().address };
    expect(await setup.adapter.next(gone)).toEqual({ kind: 'reorganised' });
    await unavailability(elsewhere.next(gone));
    await setup.adapter.verify();
  });

  it('that lost a block is asked again: it is not passed over, and its loss is no reorganisation', async () => {
    const paid = setup.node.chain.mine();
    setup.node.chain.mine();
    setup.node.override(({ method, params }) => {
      if (method === 'getBlocks')
        return setup.node.chain.blocks
          .map(({ slot }) => slot)
          .filter((slot) => slot !== paid.slot && slot >= Number(params[0]) && slot <= Number(params[1]));
      if (method === 'getBlock' && params[0] === paid.slot) throw new Failure(-32_007, 'missing');
      return undefined;
    });
    expect((await unavailability(setup.adapter.next(start))).message).toContain('lost the block');
    const cursor = { hash: paid.hash, height: paid.slot };
    expect((await unavailability(setup.adapter.isCanonical(cursor))).message).toContain('lost the block');
    setup.node.override(null);
    expect(await nextBlock(setup.adapter, start)).toMatchObject({ hash: paid.hash });
  });

  it('that lags behind what was read is no news', async () => {
    setup.node.chain.mine(3);
    const tip = await setup.adapter.tip();
    setup.node.chain.blocks.splice(-2);
    expect((await unavailability(setup.adapter.next(tip))).message).toContain('lags');
  });

  it('that has no token, or another one, behind a contract is not verified', async () => {
    const contracts = new Map([['USDT', shop]]);
    expect((await unavailability(setup.adapterOf({ contracts }).verify())).message).toContain('no token');
    const odd = newKey().address;
    setup.node.chain.place(mintAccount(odd, shop, 9));
    const other = setup.adapterOf({ contracts: new Map([['USDT', odd]]) });
    expect((await unavailability(other.verify())).message).toContain('has 9 decimals');
    const account = associatedTokenAccount(setup.node.faucet.address, usdt(), TOKEN_PROGRAM);
    const wrong = setup.adapterOf({ contracts: new Map([['USDT', account]]) });
    expect((await unavailability(wrong.verify())).message).toContain('no token');
  });
});

describe('configuration', () => {
  it('a payment URI names the token, the amount as a decimal, and the order by a reference', () => {
    const orderId = 'ord_1';
    expect(setup.adapter.paymentUri({ address: shop, currency: 'SOL', amount: SOL / 2n, orderId })).toBe(
      `solana:${shop}?amount=0.5&reference=${referenceOf(orderId)}`,
    );
    expect(setup.adapter.paymentUri({ address: shop, currency: 'USDT', amount: 1_500_000n, orderId })).toBe(
      `solana:${shop}?amount=1.5&spl-token=${usdt()}&reference=${referenceOf(orderId)}`,
    );
  });

  it('addresses are made ahead, and derived by nobody', () => {
    expect(setup.adapter.addresses).toBe('POOLED');
    expect(() => setup.adapter.derive('xpub', 1)).toThrow('made ahead');
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
