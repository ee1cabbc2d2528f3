// Transactions that the gateway makes for a customer's wallet: they pay exactly what was asked for, by the payer alone,
// and however many ask, the node is asked seldom.

import { describe, expect, it } from '@jest/globals';
import { associatedTokenAccount, TOKEN_PROGRAM } from '../../../src/chain/solana/address.ts';
import type { Mints } from '../../../src/chain/solana/mints.ts';
import type { SolanaNode } from '../../../src/chain/solana/node.ts';
import { referenceOf } from '../../../src/chain/solana/uri.ts';
import { createWalletTransactions } from '../../../src/chain/solana/wallet-transaction.ts';
import { newKey } from '../../doubles/solana/accounts.ts';
import { decode } from '../../doubles/solana/svm.ts';

const MINT = newKey().address;
const [payer, address] = [newKey().address, newKey().address];
const orderId = 'ord_01jq2v7m8x4k9n3p5r6s7t8v9w';

type Message = ReturnType<typeof decode>['message'];
const instructionsOf = (message: Message) => ('instructions' in message ? message.instructions : []);

const mints = {
  contractOf: (currency: string) => (currency === 'SOL' ? null : MINT),
  read: () => Promise.resolve({ program: TOKEN_PROGRAM, decimals: 6 }),
} as unknown as Mints;

function makerAt(clock: { ms: number }) {
  const blockhashes: string[] = [];
  let failing = false;
  const call = () => {
    if (failing) return Promise.reject(new Error('no answer'));
    blockhashes.push(newKey().address);
    return Promise.resolve({ value: { blockhash: blockhashes.at(-1), lastValidBlockHeight: 200 } });
  };
  const make = createWalletTransactions({ node: { call } as unknown as SolanaNode, mints }, () => clock.ms);
  const read = async (request: object = {}) => {
    const raw = await make({ payer, address, currency: 'SOL', amount: 5n, orderId, ...request });
    return decode(Buffer.from(raw, 'base64'));
  };
  return { read, blockhashes, fail: (now: boolean) => void (failing = now) };
}

describe('a transaction for a wallet', () => {
  it('of the coin transfers it from the payer, who alone signs, and lists the reference', async () => {
    const { read, blockhashes } = makerAt({ ms: 0 });
    const { message, signatures, blockhash, keys } = await read({ amount: 1_000_000_001n });
    expect(message.header).toMatchObject({ numSignerAccounts: 1, numReadonlySignerAccounts: 0 });
    expect(keys[0]).toBe(payer);
    expect(keys).toEqual(expect.arrayContaining([address, referenceOf(orderId)]));
    expect(blockhash).toBe(blockhashes[0]);
    // No signature yet: 64 zero bytes.
    expect(signatures).toEqual(['1'.repeat(64)]);
    const [transfer, ...others] = instructionsOf(message);
    expect(others).toEqual([]);
    expect(Buffer.from(transfer?.data ?? []).readBigUInt64LE(4)).toBe(1_000_000_001n);
  });

  it('of a token opens the recipient’s account if there is none, and pays from the payer’s own', async () => {
    const { message, keys } = await makerAt({ ms: 0 }).read({ currency: 'USDC', amount: 4_500_000n });
    const [open, transfer] = instructionsOf(message);
    const named = (instruction: typeof open) => (instruction?.accountIndices ?? []).map((index) => keys[index]);
    const [from, to] = [payer, address].map((owner) => associatedTokenAccount(owner, MINT, TOKEN_PROGRAM));
    expect(named(open).slice(0, 4)).toEqual([payer, to, address, MINT]);
    expect(named(transfer)).toEqual([from, MINT, to, payer, referenceOf(orderId)]);
    // 12: the amount and the decimals are checked by the token's program.
    const data = Buffer.from(transfer?.data ?? []);
    expect([data[0], data.readBigUInt64LE(1), data[9]]).toEqual([12, 4_500_000n, 6]);
  });

  it('has a blockhash of the last two seconds, and a thousand askers cost the node one call for that', async () => {
    const clock = { ms: 0 };
    const { read, blockhashes } = makerAt(clock);
    const answers = await Promise.all(Array.from({ length: 1_000 }, () => read()));
    expect(new Set(answers.map(({ blockhash }) => blockhash)).size).toBe(1);
    expect(blockhashes).toHaveLength(1);
    clock.ms = 2_001;
    expect((await read()).blockhash).not.toBe(answers[0]?.blockhash);
    expect(blockhashes).toHaveLength(2);
  });

  it('is not made where the node does not answer, and is as soon as it does', async () => {
    const clock = { ms: 0 };
    const { read, fail } = makerAt(clock);
    fail(true);
    await expect(read()).rejects.toThrow('no answer');
    fail(false);
    await expect(read()).resolves.toBeDefined();
  });
});
