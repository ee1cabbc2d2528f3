// Paying on Solana through the adapter, executed by litesvm: what is charged, what is refused, expiry, and resending.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountAdapter } from '../../../src/chain/adapter.ts';
import { TransactionRefused } from '../../../src/chain/errors.ts';
import { maxCostOf, type Quote, type TransactionRequest } from '../../../src/chain/transactions.ts';
import { createNodePool } from '../../../src/chain/pool/node-pool.ts';
import { associatedTokenAccount, TOKEN_PROGRAM } from '../../../src/chain/solana/address.ts';
import { newKey, tokenAccount, type TestKey } from '../../doubles/solana/accounts.ts';
import { decode } from '../../doubles/solana/svm.ts';
import { createSolanaSetup, nextBlock, SOL, type SolanaSetup } from './setup.fixture.ts';

let setup: SolanaSetup;
let gas: TestKey;
let shop: TestKey;
let customer: string;

beforeEach(async () => {
  setup = await createSolanaSetup();
  gas = setup.wallet({ SOL });
  shop = setup.wallet({ SOL: 2n * SOL, USDT: 100n });
  customer = newKey().address;
});
afterEach(() => setup.stop());

const request = (currency: string, amount: bigint, to = customer): TransactionRequest => ({
  ...{ from: shop.address, payer: gas.address, to, currency, amount },
});

const usdt = () => setup.node.contracts.get('USDT') ?? '';

async function held(key: string, currency = 'SOL'): Promise<bigint> {
  return (await setup.adapter.balances([key], currency)).get(key) ?? 0n;
}

/** Quotes, signs and sends. */
async function pay(what: TransactionRequest, nonce = 0): Promise<{ raw: string; txHash: string; quote: Quote }> {
  const quote = await setup.adapter.quote(what);
  const signed = setup.sign(what, nonce, quote);
  expect(await setup.adapter.broadcast(signed.raw)).toBe('sent');
  return { ...signed, quote };
}

/** Expects the attempt to be refused, and returns the reason. */
async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TransactionRefused);
  return (error as TransactionRefused).reason;
}

describe('a payment', () => {
  it('of the coin costs the gas wallet no more than was quoted, and leaves an emptied account with nothing', async () => {
    const had = await held(gas.address);
    const { txHash, quote } = await pay(request('SOL', 2n * SOL));
    setup.node.chain.mine();
    const receipt = await setup.adapter.receipt(txHash);
    expect(receipt).toMatchObject({ succeeded: true, paid: [] });
    expect(await held(customer)).toBe(2n * SOL);
    expect(await held(shop.address)).toBe(0n);
    expect(had - (await held(gas.address))).toBe(receipt?.cost);
    expect(receipt?.cost).toBeLessThanOrEqual(maxCostOf(quote));
  });

  it('of a token makes the account that it goes to, whose rent is part of its cost', async () => {
    const had = await held(gas.address);
    const { txHash, quote } = await pay(request('USDT', 60n));
    expect(quote.surcharge).toBe(2n * 5_000n + 2_039_280n);
    setup.node.chain.mine();
    const receipt = await setup.adapter.receipt(txHash);
    expect(receipt?.paid).toMatchObject([{ txHash, addressKey: customer, currency: 'USDT', amount: 60n }]);
    expect([await held(customer, 'USDT'), await held(shop.address, 'USDT')]).toEqual([60n, 40n]);
    expect(had - (await held(gas.address))).toBe(receipt?.cost);
    expect(receipt?.cost).toBeLessThanOrEqual(maxCostOf(quote));
    expect((await setup.adapter.quote(request('USDT', 1n))).surcharge).toBe(10_000n);
  });

  it('whose recipient hands the account on meanwhile has arrived all the same, by the word of who knows the recipient', async () => {
    const at = associatedTokenAccount(customer, usdt(), TOKEN_PROGRAM);
    setup.node.chain.place(tokenAccount(customer, usdt(), 0n, { at }));
    const quote = await setup.adapter.quote(request('USDT', 60n));
    setup.node.chain.place(tokenAccount(newKey().address, usdt(), 0n, { at }));
    const { raw, txHash } = setup.sign(request('USDT', 60n), 0, quote);
    await setup.adapter.broadcast(raw);
    setup.node.chain.mine();
    expect((await setup.adapter.receipt(txHash))?.paid).toEqual([]);
    expect((await setup.adapter.receipt(txHash, customer))?.paid).toMatchObject([
      { addressKey: customer, currency: 'USDT', amount: 60n },
    ]);
  });

  it('is built by one who never asked a node, from a quote of another', async () => {
    const what = request('USDT', 60n);
    const quote = await setup.adapter.quote(what);
    const { raw } = setup.sign(what, 0, quote, setup.adapterOf());
    await setup.adapter.broadcast(raw);
    setup.node.chain.mine();
    expect(await held(customer, 'USDT')).toBe(60n);
  });

  it('whose recipient got their account meanwhile is carried out', async () => {
    const what = request('USDT', 60n);
    const quote = await setup.adapter.quote(what);
    setup.fund(customer, 'USDT', 1n);
    const { raw } = setup.sign(what, 0, quote);
    await setup.adapter.broadcast(raw);
    setup.node.chain.mine();
    expect(await held(customer, 'USDT')).toBe(61n);
  });

  it('is signed by the gas wallet first, then by whose money it is, and read alike by the other library', async () => {
    const what = request('USDT', 60n);
    const quote = await setup.adapter.quote(what);
    const { toSign } = setup.adapter.buildTransaction({ ...what, nonce: 0, quote });
    expect(toSign.map(({ signer }) => signer)).toEqual([gas.address, shop.address]);
    const { raw, txHash } = setup.sign(what, 0, quote);
    const { signatures, blockhash, message } = decode(Buffer.from(raw, 'base64'));
    expect(signatures[0]).toBe(txHash);
    expect(blockhash).toBe(quote.anchor?.reference);
    expect(message).toMatchObject({
      version: 'legacy',
      header: { numSignerAccounts: 2, numReadonlySignerAccounts: 1 },
    });
    expect(() => setup.adapter.buildTransaction({ ...what, nonce: 0, quote: { ...quote, anchor: null } })).toThrow(
      'tied',
    );
  });

  it('of one amount to one recipient, twice in one block, is two payments', async () => {
    const what = request('USDT', 5n);
    const quote = await setup.adapter.quote(what);
    const numbers = [0, 1, 999, 1_000, 1_001];
    const signed = numbers.map((nonce) => setup.sign(what, nonce, quote));
    expect(new Set(signed.map(({ txHash }) => txHash)).size).toBe(numbers.length);
    for (const { raw } of signed) await setup.adapter.broadcast(raw);
    setup.node.chain.mine();
    expect(await held(customer, 'USDT')).toBe(25n);
  });

  it('offers what others pay, between its bounds', async () => {
    const offer = async (fee: number) => {
      setup.node.override(({ method }) =>
        method === 'getRecentPrioritizationFees'
          ? [0, 0, fee, fee].map((prioritizationFee, slot) => ({ slot, prioritizationFee }))
          : undefined,
      );
      return (await setup.adapter.quote(request('SOL', SOL))).fees.maxPerGas;
    };
    expect([await offer(0), await offer(1), await offer(25_001), await offer(10 ** 12)]).toEqual([1n, 1n, 26n, 2_000n]);
  });
});

describe('what cannot be paid', () => {
  it.each<[what: string, order: () => TransactionRequest]>([
    ['to an account that would hold too little', () => request('SOL', 890_879n)],
    ['that leaves the sender too little', () => request('SOL', 2n * SOL - 1n)],
    [
      'to a frozen token account',
      () => {
        setup.node.chain.place(tokenAccount(customer, usdt(), 0n, { frozen: true }));
        return request('USDT', 5n);
      },
    ],
    [
      "to a recipient's token account that was handed to another key",
      () => {
        const at = associatedTokenAccount(customer, usdt(), TOKEN_PROGRAM);
        setup.node.chain.place(tokenAccount(newKey().address, usdt(), 0n, { at }));
        return request('USDT', 5n);
      },
    ],
    [
      'to a token account that has a key of its own',
      () => {
        setup.node.chain.place(tokenAccount(newKey().address, usdt(), 0n, { at: customer }));
        return request('USDT', 5n);
      },
    ],
  ])('is told before it is signed: %s', async (_what, order) => {
    expect(await refusal(setup.adapter.quote(order()))).toBe('REVERTED');
  });

  it('for want of money in the gas wallet is quoted all the same: it is to be filled', async () => {
    gas = setup.wallet();
    const quote = await setup.adapter.quote(request('USDT', 5n));
    expect(maxCostOf(quote)).toBeGreaterThan(2_039_280n);
    const { raw } = setup.sign(request('USDT', 5n), 0, quote);
    expect(await refusal(setup.adapter.broadcast(raw))).toBe('FUNDS');
  });

  it('with money that is not there is refused by the node, which says so', async () => {
    const { raw } = setup.sign(request('USDT', 101n), 0, await setup.adapter.quote(request('USDT', 101n)));
    expect(await refusal(setup.adapter.broadcast(raw))).toBe('FUNDS');
  });
});

describe('a signed payment', () => {
  it('sent again is the same payment, waiting or carried out', async () => {
    const { raw, txHash } = await pay(request('USDT', 60n));
    expect(await setup.adapter.broadcast(raw)).toBe('sent');
    setup.node.chain.mine();
    expect(await setup.adapter.broadcast(raw)).toBe('known');
    setup.node.chain.mine();
    expect(await held(customer, 'USDT')).toBe(60n);
    expect(await setup.adapter.receipt(txHash)).not.toBeNull();
  });

  it('expires: it is dead when what is final is past its end, not a block sooner, and no block takes it then', async () => {
    const { txHash, raw, quote } = await pay(request('USDT', 60n));
    const validUntil = quote.anchor?.validUntil ?? 0;
    const isDead = () => setup.adapter.hasExpired({ txHash, validUntil, raw });
    setup.node.chain.waiting.length = 0;
    setup.node.chain.mine(150);
    expect(await isDead()).toBe(false);
    setup.node.chain.mine(31);
    expect(setup.node.chain.final().height).toBe(validUntil);
    expect(await isDead()).toBe(false);
    setup.node.chain.mine();
    expect(await isDead()).toBe(true);
    expect(await refusal(setup.adapter.broadcast(raw))).toBe('EXPIRED');
    setup.node.chain.mine(2_000);
    expect(await isDead()).toBe(true);
    expect(await held(customer, 'USDT')).toBe(0n);
  });

  it('is alive while the block that it is tied to is recent, whatever end it was told', async () => {
    const { txHash, raw } = await pay(request('USDT', 60n));
    const isDead = () => setup.adapter.hasExpired({ txHash, raw, validUntil: 1 });
    setup.node.chain.waiting.length = 0;
    setup.node.chain.mine(150);
    expect(await isDead()).toBe(false);
    setup.node.chain.mine(31);
    expect(await isDead()).toBe(false);
    setup.node.chain.mine();
    expect(await isDead()).toBe(true);
  });

  it('ends where the latest of several nodes says', async () => {
    const early = {
      ...setup.adapter,
      quote: async (what: TransactionRequest) => {
        const quote = await setup.adapter.quote(what);
        return { ...quote, anchor: quote.anchor && { ...quote.anchor, validUntil: 1 } };
      },
    };
    const pool = createNodePool({ adapters: [early, setup.adapter] }) as AccountAdapter;
    const { anchor } = await pool.quote(request('USDT', 60n));
    expect(anchor).toEqual((await setup.adapter.quote(request('USDT', 60n))).anchor);
  });

  it('that landed in the last block that could take it is alive, even if the node has forgotten it', async () => {
    const { txHash, raw, quote } = await pay(request('USDT', 60n));
    const validUntil = quote.anchor?.validUntil ?? 0;
    setup.node.chain.mine(149, { hold: true });
    const last = setup.node.chain.mine(1);
    expect(last.height).toBe(validUntil);
    expect(last.entries).toHaveLength(1);
    setup.node.chain.mine(60);
    expect(await setup.adapter.hasExpired({ txHash, validUntil, raw })).toBe(false);
    // Like a node that lags or has lost its index.
    setup.node.override(({ method }) =>
      method === 'getSignatureStatuses' ? { context: { slot: 1 }, value: [null] } : undefined,
    );
    expect(await setup.adapter.hasExpired({ txHash, validUntil, raw })).toBe(false);
  });

  it('is not dead in doubt: blocks that are missing among those that could hold it', async () => {
    const { txHash, raw, quote } = await pay(request('USDT', 60n));
    const validUntil = quote.anchor?.validUntil ?? 0;
    setup.node.chain.waiting.length = 0;
    setup.node.chain.mine(20, { skip: 2 });
    const hidden = setup.node.chain.tip().slot;
    setup.node.chain.mine(200);
    expect(await setup.adapter.hasExpired({ txHash, validUntil, raw })).toBe(true);
    setup.node.override(({ method, params }) =>
      method === 'getBlocks'
        ? setup.node.chain.blocks
            .map(({ slot }) => slot)
            .filter((slot) => slot !== hidden && slot >= Number(params[0]) && slot <= setup.node.chain.final().slot)
        : undefined,
    );
    expect(await setup.adapter.hasExpired({ txHash, validUntil, raw })).toBe(false);
  });

  it('whose block is left for a fork may be mined again, and is found where it is', async () => {
    const { txHash } = await pay(request('SOL', SOL));
    const start = await setup.adapter.tip();
    setup.node.chain.mine();
    const first = await setup.adapter.receipt(txHash);
    setup.node.chain.fork(1);
    expect(await setup.adapter.receipt(txHash)).toBeNull();
    expect(await held(customer)).toBe(0n);
    setup.node.chain.fork(1, { blocks: 1 });
    expect((await nextBlock(setup.adapter, start).catch(() => null))?.transfers ?? []).toEqual([]);
    expect(first?.block.height).toBe(start.height + 1);
  });
});

it("where a token goes is the owner's associated account", async () => {
  await pay(request('USDT', 60n));
  setup.node.chain.mine();
  const account = associatedTokenAccount(customer, usdt(), TOKEN_PROGRAM);
  expect(setup.node.chain.svm().lite.getAccount(account as never).exists).toBe(true);
});
