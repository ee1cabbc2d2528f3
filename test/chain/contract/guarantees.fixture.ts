// What the gateway relies on from any chain, as a table of guarantees: every adapter must pass every row, on the chain
// that its tests provide.

import { expect } from '@jest/globals';
import type { ChainAdapter, ParsedAddress } from '../../../src/chain/adapter.ts';
import type { BlockHead, BlockRef, ChainBlock, Transfer } from '../../../src/chain/blocks.ts';
import { maxCostOf } from '../../../src/chain/transactions.ts';

/** A chain that a test can act on, and the adapter that reads it. */
export interface ContractSetup {
  readonly adapter: ChainAdapter;
  /** The currencies that can be paid here, the coin first. */
  readonly currencies: readonly [string, ...string[]];
  /** A fresh address of ours. */
  newAddress(): Promise<ParsedAddress>;
  /** Texts that are not addresses here: a damaged one, and addresses of other kinds of network. */
  readonly strangers: readonly string[];
  /** Pays from a faucet; the transaction waits for a block. */
  pay(to: ParsedAddress, currency: string, amount: bigint): Promise<string>;
  mine(count?: number): Promise<void>;
  /** Replaces the newest blocks by one more than there were; their transactions are dropped. */
  reorganise(depth: number): Promise<void>;
  /** Builds and signs a payment from `from`, which must have funds, and says the most it may cost. */
  sign(from: ParsedAddress, to: string, currency: string, amount: bigint): Promise<Signed>;
  /** What an address of ours holds by the chain. */
  holds(address: ParsedAddress, currency: string): Promise<bigint>;
  /** An amount of a currency that no rule of the chain considers too small. */
  amountOf(currency: string): bigint;
  stop(): Promise<void>;
}

interface Signed {
  readonly raw: string;
  readonly txHash: string;
  readonly maxCost: bigint;
}

export interface Guarantee {
  readonly name: string;
  check(setup: ContractSetup): Promise<void>;
}

async function blockAfter({ adapter }: ContractSetup, cursor: BlockRef): Promise<ChainBlock> {
  const next = await adapter.next(cursor);
  if (next.kind !== 'block') throw new Error(`Expected a block, got ${next.kind}`);
  return next.block;
}

/** Reads every block after a cursor, checking that each follows the one before. */
async function readOn(setup: ContractSetup, from: BlockHead): Promise<ChainBlock[]> {
  const blocks: ChainBlock[] = [];
  for (let cursor: BlockRef = from; ;) {
    const next = await setup.adapter.next(cursor);
    if (next.kind === 'tip') return blocks;
    if (next.kind === 'reorganised') throw new Error('The chain was reorganised under the reader');
    expect(next.block.parentHash).toBe(cursor.hash);
    blocks.push(next.block);
    cursor = next.block;
  }
}

const to =
  ({ key }: ParsedAddress) =>
  ({ addressKey }: Transfer): boolean =>
    addressKey === key;
const totalOf = (transfers: readonly Transfer[]) => transfers.reduce((sum, { amount }) => sum + amount, 0n);

/** The names are those of docs/adapters.md. */
export const GUARANTEES: readonly Guarantee[] = [
  {
    name: 'an address of ours reads as itself, in the form for people and in the form for rows',
    check: async ({ adapter, newAddress }) => {
      const [first, second] = [await newAddress(), await newAddress()];
      expect(first.key).not.toBe(second.key);
      expect(adapter.parseAddress(first.address)).toEqual(first);
      expect(adapter.parseAddress(adapter.parseAddress(first.address)?.address ?? '')).toEqual(first);
      expect(adapter.addressFor(first.key)).toBe(first.address);
    },
  },
  {
    name: 'what is no address here is none: a damaged one, one of another kind of network, space around it',
    check: async ({ adapter, newAddress, strangers }) => {
      const { address } = await newAddress();
      for (const text of [...strangers, '', ` ${address}`, `${address} `, `${address}0`, address.slice(0, -1)])
        expect({ text, read: adapter.parseAddress(text) }).toEqual({ text, read: null });
    },
  },
  {
    name: 'a payment URI names the address, and the amount to the last unit where its standard has amounts',
    check: async ({ adapter, currencies, newAddress }) => {
      const { address } = await newAddress();
      for (const currency of currencies) {
        const uri = adapter.paymentUri({ address, currency, amount: 100_000_001n, orderId: 'ord_1' });
        expect(uri).toContain(address);
        // TRON has no URI standard: wallets read the plain address.
        if (uri !== address) expect(uri).toMatch(/^[a-z]+:.*(100000001|0[.]0*100000001|1[.]00000001|100[.]000001)/);
      }
    },
  },
  {
    name: 'the tip is the head at its height, and there is none above it',
    check: async ({ adapter, mine }) => {
      await mine();
      const tip = await adapter.tip();
      expect(await adapter.headAt(tip.height)).toEqual(tip);
      expect(await adapter.headAt(tip.height + 1)).toBeNull();
      expect(await adapter.isCanonical(tip)).toBe(true);
      expect(await adapter.next(tip)).toEqual({ kind: 'tip', tip });
    },
  },
  {
    name: 'blocks come one upon the other, none left out',
    check: async (setup) => {
      const start = await setup.adapter.tip();
      await setup.mine(5);
      const blocks = await readOn(setup, start);
      const last = blocks.at(-1);
      expect(blocks.length).toBeGreaterThanOrEqual(5);
      expect(last && { hash: last.hash, height: last.height }).toMatchObject({
        hash: (await setup.adapter.tip()).hash,
      });
    },
  },
  {
    name: 'a payment is in its block to the last unit, in every currency, and in no other block',
    check: async (setup) => {
      for (const currency of setup.currencies) {
        const address = await setup.newAddress();
        const start = await setup.adapter.tip();
        const amount = setup.amountOf(currency) + 7n;
        const txHash = await setup.pay(address, currency, amount);
        await setup.mine(3);
        const found = (await readOn(setup, start)).flatMap(({ transfers }) => transfers.filter(to(address)));
        expect(found).toMatchObject([{ currency, amount, txHash }]);
        expect(await setup.holds(address, currency)).toBe(amount);
      }
    },
  },
  {
    name: 'payments in one block are told apart, and each has a place of its own in its transaction',
    check: async (setup) => {
      const [currency] = setup.currencies;
      const addresses = [await setup.newAddress(), await setup.newAddress()];
      const start = await setup.adapter.tip();
      for (const address of addresses) await setup.pay(address, currency, setup.amountOf(currency));
      await setup.mine(2);
      const found = (await readOn(setup, start)).flatMap(({ transfers }) =>
        transfers.filter((transfer) => addresses.some((address) => to(address)(transfer))),
      );
      expect(found).toHaveLength(2);
      expect(new Set(found.map(({ txHash, ordinal }) => `${txHash}/${String(ordinal)}`)).size).toBe(2);
    },
  },
  {
    name: 'a transaction is unknown, then mined in the block that has it',
    check: async (setup) => {
      const [currency] = setup.currencies;
      const address = await setup.newAddress();
      const start = await setup.adapter.tip();
      const txHash = await setup.pay(address, currency, setup.amountOf(currency));
      expect(['mempool', 'unknown']).toContain((await setup.adapter.txState(txHash)).kind);
      expect(await setup.adapter.receipt(txHash)).toBeNull();
      await setup.mine(2);
      const block = (await readOn(setup, start)).find(({ transfers }) => transfers.some(to(address)));
      const expected = { hash: block?.hash, height: block?.height };
      expect(await setup.adapter.txState(txHash)).toMatchObject({ kind: 'mined', block: expected, succeeded: true });
      expect((await setup.adapter.receipt(txHash))?.block).toMatchObject(expected);
    },
  },
  {
    name: 'a block that left the chain is told as a reorganisation, and what it held is not canonical any more',
    check: async (setup) => {
      const [currency] = setup.currencies;
      const address = await setup.newAddress();
      await setup.mine(2);
      const ancestor = await setup.adapter.tip();
      await setup.pay(address, currency, setup.amountOf(currency));
      await setup.mine(2);
      const [first, ...rest] = await readOn(setup, ancestor);
      const cursor = rest.at(-1) ?? first;
      if (!first || !cursor) throw new Error('Nothing was mined');
      await setup.reorganise(cursor.height - ancestor.height);
      expect(await setup.adapter.isCanonical(cursor)).toBe(false);
      expect(await setup.adapter.isCanonical(ancestor)).toBe(true);
      expect(await setup.adapter.next(cursor)).toEqual({ kind: 'reorganised' });
      const other = await blockAfter(setup, ancestor);
      expect(other.hash).not.toBe(first.hash);
    },
  },
  {
    name: 'a payment that we sign arrives to the last unit, costs no more than was said, and does so once however often it is sent',
    check: async (setup) => {
      for (const currency of setup.currencies) {
        const [from, outside] = [await setup.newAddress(), await setup.newAddress()];
        await fund(setup, from, currency);
        const amount = setup.amountOf(currency);
        const start = await setup.adapter.tip();
        const { raw, txHash, maxCost } = await setup.sign(from, outside.address, currency, amount);
        expect(await setup.adapter.broadcast(raw)).toBe('sent');
        // Some nodes answer that they have it, others accept it again: either way it is one payment.
        expect(['known', 'sent']).toContain(await setup.adapter.broadcast(raw));
        await setup.mine(3);
        const receipt = await setup.adapter.receipt(txHash);
        expect(receipt?.succeeded).toBe(true);
        expect(receipt?.cost).toBeGreaterThan(0n);
        expect(receipt?.cost).toBeLessThanOrEqual(maxCost);
        const arrived = (await readOn(setup, start)).flatMap(({ transfers }) => transfers.filter(to(outside)));
        expect(totalOf(arrived)).toBe(amount);
        expect(arrived.every((transfer) => transfer.currency === currency && transfer.txHash === txHash)).toBe(true);
      }
    },
  },
];

/** Enough for the payment and what the chain charges: more of the coin, or some coin beside the token. */
async function fund(setup: ContractSetup, from: ParsedAddress, currency: string): Promise<void> {
  const [coin] = setup.currencies;
  const spare = setup.amountOf(coin) * 100n;
  await setup.pay(from, coin, spare);
  if (currency !== coin) await setup.pay(from, currency, setup.amountOf(currency) * 2n);
  await setup.mine(3);
}

/** What an account holds. */
export async function heldByAccount(
  { adapter }: Pick<ContractSetup, 'adapter'>,
  { key }: ParsedAddress,
  currency: string,
) {
  if (adapter.model !== 'ACCOUNT') throw new Error('This adapter has no accounts');
  return (await adapter.balances([key], currency)).get(key) ?? 0n;
}

/** Signs what an account-based adapter builds, with keys looked up by address. */
export async function signByAccount(
  { adapter }: Pick<ContractSetup, 'adapter'>,
  request: { readonly from: ParsedAddress; readonly to: string; readonly currency: string; readonly amount: bigint },
  sign: (key: string, message: Uint8Array) => Promise<{ compact: Uint8Array; recoveryId: number }>,
  payer?: ParsedAddress,
): Promise<Signed> {
  if (adapter.model !== 'ACCOUNT') throw new Error('This adapter has no accounts');
  const { from, ...rest } = request;
  const asked = { ...rest, from: from.key, ...(payer && { payer: payer.key }) };
  const quote = await adapter.quote(asked);
  const nonce = (await adapter.nonces([from.key])).get(from.key) ?? 0;
  const unsigned = adapter.buildTransaction({ ...asked, nonce, quote });
  const signatures = await Promise.all(unsigned.toSign.map(({ signer, message }) => sign(signer, message)));
  return { ...unsigned.finish(signatures), maxCost: maxCostOf(quote) };
}
