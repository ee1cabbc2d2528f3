// How the Solana adapter reads transactions beyond plain transfers, executed by litesvm: accounts named by lookup
// tables, the newer token program with and without its fee, transfers made by programs, closed accounts, and what
// wallets add for Solana Pay.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BlockHead, Transfer } from '../../../src/chain/blocks.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  associatedTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../src/chain/solana/address.ts';
import * as message from '../../../src/chain/solana/message.ts';
import {
  lookupTable,
  mintAccount,
  newerMintAccount,
  newerTokenAccount,
  newKey,
  tokenAccount,
  type TestKey,
} from '../../doubles/solana/accounts.ts';
import { paymentOf } from '../../doubles/solana/node.ts';
import { createSolanaSetup, nextBlock, SOL, type SolanaSetup } from './setup.fixture.ts';

let setup: SolanaSetup;
let start: BlockHead;
let shop: TestKey;

beforeEach(async () => {
  setup = await createSolanaSetup();
  shop = setup.wallet();
  start = await setup.adapter.tip();
});
afterEach(() => setup.stop());

const usdt = () => setup.node.contracts.get('USDT') ?? '';
const written = (key: string) => ({ key, signs: false, writes: true });
const read = (key: string) => ({ key, signs: false, writes: false });
const signer = (key: string) => ({ key, signs: true, writes: true });

/** What the next block pays. */
async function paid(adapter = setup.adapter): Promise<readonly Transfer[]> {
  setup.node.chain.mine();
  return (await nextBlock(adapter, start)).transfers;
}

describe('a transaction of version 0', () => {
  it('pays addresses that it names by a table, and its receipt says the same', async () => {
    const { node, adapter } = setup;
    const other = setup.wallet().address;
    const account = associatedTokenAccount(shop.address, usdt(), TOKEN_PROGRAM);
    const table = { address: newKey().address, addresses: [newKey().address, usdt(), other, account, shop.address] };
    node.chain.place(lookupTable(table.address, table.addresses));
    const txHash = node.submitVersioned(
      [
        ...paymentOf(node.faucet.address, undefined, other, 2n * SOL),
        ...paymentOf(node.faucet.address, usdt(), shop.address, 34n),
      ],
      table,
    );
    const transfers = await paid();
    expect(transfers).toEqual([
      { txHash, ordinal: expect.any(Number), addressKey: other, currency: 'SOL', amount: 2n * SOL },
      { txHash, ordinal: expect.any(Number), addressKey: shop.address, currency: 'USDT', amount: 34n },
    ]);
    // These accounts are named by the table only.
    const entry = node.chain.find(txHash)?.entry;
    expect(entry?.loaded?.writable).toEqual(expect.arrayContaining([other, account]));
    const receipt = await adapter.receipt(txHash);
    expect(receipt).toMatchObject({ succeeded: true, paid: [transfers[1]] });
    expect(await adapter.balances([shop.address], 'USDT', start.height)).toEqual(new Map([[shop.address, 0n]]));
  });
});

describe('a mint of the newer token program', () => {
  /** A mint of which our faucet holds the whole supply, and an adapter that knows it as USDT. */
  function newer(feeBasisPoints: number | null) {
    const { node } = setup;
    const mint = newKey().address;
    node.chain.place(newerMintAccount(mint, node.faucet.address, feeBasisPoints));
    node.chain.place(newerTokenAccount(node.faucet.address, mint));
    const contracts = new Map<string, string | null>([
      ['SOL', null],
      ['USDT', mint],
    ]);
    const token = { mint, program: TOKEN_2022_PROGRAM, decimals: 6 };
    const place = (owner: string) => associatedTokenAccount(owner, mint, TOKEN_2022_PROGRAM);
    const pay = (to: string, units: bigint) => {
      const { address: owner } = node.faucet;
      return node.submit([
        message.createTokenAccount(owner, place(to), to, token),
        message.transferToken({ from: place(owner), owner, to: place(to), units }, token),
      ]);
    };
    return { adapter: setup.adapterOf({ contracts }), pay, place };
  }

  it.each([
    ['without a fee', null, 1_000_000n],
    ['with a fee of nothing', 0, 1_000_000n],
    ['that takes one percent', 100, 990_000n],
  ])('%s is credited with what arrived', async (_what, fee, arrived) => {
    const { adapter, pay } = newer(fee);
    const txHash = pay(shop.address, 1_000_000n);
    expect(await paid(adapter)).toEqual([
      { txHash, ordinal: expect.any(Number), addressKey: shop.address, currency: 'USDT', amount: arrived },
    ]);
    expect(await adapter.balances([shop.address], 'USDT')).toEqual(new Map([[shop.address, arrived]]));
    expect((await adapter.receipt(txHash))?.paid).toMatchObject([{ amount: arrived }]);
  });

  it('that nobody configured pays nothing, also where it calls itself what ours are called', async () => {
    newer(null).pay(shop.address, 1_000_000n);
    expect(await paid()).toEqual([]);
  });

  it('is taken into service without a fee, and not with one: payouts would arrive short, and be paid again', async () => {
    await newer(null).adapter.verify();
    await newer(0).adapter.verify();
    await expect(newer(1).adapter.verify()).rejects.toThrow('takes a fee');
  });

  it('is not what one of its token accounts is taken for', async () => {
    const { place } = newer(null);
    const account = place(setup.node.faucet.address);
    const wrong = setup.adapterOf({ contracts: new Map([['USDT', account]]) });
    await expect(wrong.verify()).rejects.toThrow('no token');
  });

  it('is paid out of like any other', async () => {
    const { adapter, pay } = newer(0);
    const payer = setup.wallet({ SOL }).address;
    const from = setup.wallet().address;
    pay(from, 1_000n);
    setup.node.chain.mine();
    await adapter.verify();
    const request = { from, payer, to: shop.address, currency: 'USDT', amount: 1_000n };
    const quote = await adapter.quote(request);
    const { raw, txHash } = setup.sign(request, 0, quote, adapter);
    await adapter.broadcast(raw);
    setup.node.chain.mine();
    const receipt = await adapter.receipt(txHash);
    expect(receipt).toMatchObject({ succeeded: true, paid: [{ addressKey: shop.address, amount: 1_000n }] });
    expect(receipt?.cost).toBeLessThanOrEqual(quote.gas * quote.fees.maxPerGas + quote.surcharge);
  });
});

describe('what programs do', () => {
  it('tokens that a program moves are told like those that a wallet sends', async () => {
    const { node } = setup;
    const outer = newKey().address;
    const [own, aside] = [shop.address, associatedTokenAccount(shop.address, outer, TOKEN_PROGRAM)];
    const nested = associatedTokenAccount(aside, usdt(), TOKEN_PROGRAM);
    const target = associatedTokenAccount(own, usdt(), TOKEN_PROGRAM);
    node.chain.place(mintAccount(outer, node.faucet.address));
    node.chain.place(tokenAccount(own, outer, 0n));
    node.chain.place(tokenAccount(aside, usdt(), 77n));
    node.chain.place(tokenAccount(own, usdt(), 3n));
    // Tokens sent to the token account of a token account: its program moves them to the right place.
    const recover: message.Instruction = {
      program: ASSOCIATED_TOKEN_PROGRAM,
      accounts: [
        ...[written(nested), read(usdt()), written(target), read(aside), read(outer)],
        ...[signer(own), read(TOKEN_PROGRAM)],
      ],
      data: Buffer.of(2),
    };
    const txHash = node.submit([recover], [shop]);
    const transfers = await paid();
    expect(transfers).toContainEqual({
      ...{ txHash, addressKey: own, currency: 'USDT', amount: 77n },
      ordinal: expect.any(Number),
    });
    expect(transfers.filter(({ currency }) => currency === 'USDT')).toHaveLength(1);
    // Closing the account sent its coin to the owner, which is an arrival too.
    expect(transfers.filter(({ currency }) => currency === 'SOL')).toMatchObject([{ addressKey: own }]);
  });

  it('coins that a closed account leaves to an address arrive there, and nothing arrives in what is closed', async () => {
    const { node } = setup;
    const customer = newKey();
    node.chain.place(tokenAccount(customer.address, usdt(), 9n));
    const account = associatedTokenAccount(customer.address, usdt(), TOKEN_PROGRAM);
    const token = { mint: usdt(), program: TOKEN_PROGRAM, decimals: 6 };
    const left = node.chain.svm().lite.getBalance(account as never) ?? 0n;
    const close = { accounts: [written(account), written(shop.address), signer(customer.address)], data: Buffer.of(9) };
    const to = associatedTokenAccount(shop.address, usdt(), TOKEN_PROGRAM);
    const txHash = node.submit(
      [
        message.createTokenAccount(node.faucet.address, to, shop.address, token),
        message.transferToken({ from: account, owner: customer.address, to, units: 9n }, token),
        { program: TOKEN_PROGRAM, ...close },
      ],
      [customer],
    );
    const transfers = (await paid()).map(({ ordinal: _, ...rest }) => rest);
    expect(transfers).toHaveLength(2);
    expect(transfers).toEqual(
      expect.arrayContaining([
        { txHash, addressKey: shop.address, currency: 'SOL', amount: left },
        { txHash, addressKey: shop.address, currency: 'USDT', amount: 9n },
      ]),
    );
  });

  it('a transaction that fails at its end pays nothing of what it did before', async () => {
    const { node } = setup;
    // It holds too little when its turn comes; the simulation before sending still found enough.
    const customer = newKey();
    node.chain.place(tokenAccount(customer.address, usdt(), 9n));
    const from = associatedTokenAccount(customer.address, usdt(), TOKEN_PROGRAM);
    const to = associatedTokenAccount(node.faucet.address, usdt(), TOKEN_PROGRAM);
    const token = { mint: usdt(), program: TOKEN_PROGRAM, decimals: 6 };
    const txHash = node.submit(
      [
        ...paymentOf(node.faucet.address, undefined, shop.address, SOL),
        ...paymentOf(node.faucet.address, usdt(), shop.address, 5n),
        message.transferToken({ from, owner: customer.address, to, units: 9n }, token),
      ],
      [customer],
    );
    node.chain.place(tokenAccount(customer.address, usdt(), 8n));
    expect(await paid()).toEqual([]);
    expect(await setup.adapter.receipt(txHash)).toMatchObject({ succeeded: false, paid: [] });
  });
});

describe('what wallets add for Solana Pay', () => {
  it('references, which a transfer names and does not touch, and a memo are no payments and hide none', async () => {
    const { node } = setup;
    const references = [newKey().address, setup.wallet({ SOL }).address];
    start = await setup.adapter.tip();
    const memo = { program: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr', accounts: [], data: Buffer.from('order 7') };
    const [coin] = paymentOf(node.faucet.address, undefined, shop.address, SOL);
    const [create, tokens] = paymentOf(node.faucet.address, usdt(), shop.address, 5n);
    if (!coin || !create || !tokens) throw new Error('There is nothing to pay by');
    const referring = (one: message.Instruction) => ({ ...one, accounts: [...one.accounts, ...references.map(read)] });
    const txHash = node.submit([memo, referring(coin), create, referring(tokens)]);
    const transfers = (await paid()).map(({ ordinal: _, ...rest }) => rest);
    expect(transfers).toEqual([
      { txHash, addressKey: shop.address, currency: 'SOL', amount: SOL },
      { txHash, addressKey: shop.address, currency: 'USDT', amount: 5n },
    ]);
  });
});
