// Paying on TRON through the adapter, on the double: what it costs, what is signed, and how transactions end.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TransactionRefused } from '../../../src/chain/errors.ts';
import { maxCostOf, type Quote, type TransactionRequest } from '../../../src/chain/transactions.ts';
import { LIFETIME_MS } from '../../../src/chain/tron/send.ts';
import { decodeTransaction } from '../../doubles/tron/protobuf.ts';
import { hexOfAddress } from '../../../src/chain/tron/address.ts';
import { createTronWorld, TRX, type TronWorld } from './world.fixture.ts';

let world: TronWorld;
let hot: string;
let other: string;

beforeEach(async () => {
  world = await createTronWorld();
  hot = world.address(0);
  other = world.address(1);
  world.fund(hot, 'TRX', 100n * TRX);
  world.fund(hot, 'USDT', 50n * TRX);
});
afterEach(() => world.stop());

const request = (currency: string, amount: bigint, to = other): TransactionRequest => ({
  from: hot,
  to,
  currency,
  amount,
});

interface Paid {
  readonly txHash: string;
  readonly raw: string;
  readonly quote: Quote;
}

async function pay(wanted: TransactionRequest, nonce = 0): Promise<Paid> {
  const quote = await world.adapter.quote(wanted);
  const signed = await world.sign(wanted, nonce, quote);
  expect(await world.adapter.broadcast(signed.raw)).toBe('sent');
  return { ...signed, quote };
}

const held = async (address: string, currency: string) =>
  (await world.adapter.balances([address], currency)).get(address) ?? 0n;

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TransactionRefused);
  return (error as TransactionRefused).reason;
}

describe('a payment', () => {
  it('of the coin arrives, and costs no more than was said, nor much less', async () => {
    world.fund(other, 'TRX', 1n);
    const { txHash, quote } = await pay(request('TRX', 10n * TRX));
    expect(await world.adapter.receipt(txHash)).toBeNull();
    world.double.chain.mine();
    const receipt = await world.adapter.receipt(txHash);
    expect(receipt).toMatchObject({ succeeded: true, paid: [] });
    expect(await held(other, 'TRX')).toBe(10n * TRX + 1n);
    expect(await held(hot, 'TRX')).toBe(90n * TRX - (receipt?.cost ?? 0n));
    const margin = maxCostOf(quote) - (receipt?.cost ?? 0n);
    // The amount's bytes cost a thousandth of a TRX each.
    expect(Number(margin)).toBeGreaterThanOrEqual(0);
    expect(Number(margin)).toBeLessThan(9_000);
  });

  it('of the coin to an address that is no account yet pays for the account', async () => {
    const { txHash, quote } = await pay(request('TRX', TRX));
    expect(maxCostOf(quote)).toBe(1_100_000n);
    world.double.chain.mine();
    expect(await world.adapter.receipt(txHash)).toMatchObject({ succeeded: true, cost: 1_100_000n });
    expect(maxCostOf(await world.adapter.quote(request('TRX', TRX)))).toBeLessThan(300_000n);
  });

  it('of all of the coin but what it may cost is taken', async () => {
    world.fund(other, 'TRX', 1n);
    const quote = await world.adapter.quote(request('TRX', 1n));
    const all = request('TRX', 100n * TRX - maxCostOf(quote));
    const { raw, txHash } = await world.sign(all, 0, quote);
    await world.adapter.broadcast(raw);
    world.double.chain.mine();
    expect(await world.adapter.receipt(txHash)).toMatchObject({ succeeded: true });
  });

  it('of a token arrives at an address that is no account, within its fee limit', async () => {
    const { txHash, raw, quote } = await pay(request('USDT', 20n * TRX));
    const { feeLimit, action, expiration, signer } = decodeTransaction(raw);
    expect(signer).toBe(hexOfAddress(hot));
    expect(BigInt(feeLimit)).toBe(quote.gas * quote.fees.maxPerGas);
    expect(action).toMatchObject({ type: 'TriggerSmartContract', owner: hexOfAddress(hot) });
    expect(expiration).toBe(quote.anchor?.validUntil);
    world.double.chain.mine();
    const receipt = await world.adapter.receipt(txHash);
    expect(receipt).toMatchObject({
      succeeded: true,
      paid: [{ txHash, ordinal: 1, addressKey: other, currency: 'USDT', amount: 20n * TRX }],
    });
    expect(receipt?.cost).toBeLessThanOrEqual(maxCostOf(quote));
    expect(await held(other, 'USDT')).toBe(20n * TRX);
    expect(await held(other, 'TRX')).toBe(0n);
  });

  it('that takes more energy than its fee limit buys fails, and its receipt says what was lost', async () => {
    const wanted = request('USDT', TRX);
    const quote = await world.adapter.quote(wanted);
    const poor = { ...quote, gas: 1_000n };
    const { raw, txHash } = await world.sign(wanted, 0, poor);
    await world.adapter.broadcast(raw);
    world.double.chain.mine();
    const receipt = await world.adapter.receipt(txHash);
    expect(receipt).toMatchObject({ succeeded: false, paid: [] });
    expect(receipt?.cost).toBeLessThanOrEqual(maxCostOf(poor));
    expect(await held(other, 'USDT')).toBe(0n);
  });

  it('twice of one amount to one recipient in one moment is two transactions', async () => {
    const wanted = request('USDT', TRX);
    const quote = await world.adapter.quote(wanted);
    const first = await world.sign(wanted, 4, quote);
    const second = await world.sign(wanted, 5, quote);
    expect(second.txHash).not.toBe(first.txHash);
    expect(await world.sign(wanted, 4, quote)).toEqual(first);
  });
});

describe('what is refused', () => {
  it('a token that would revert, before anything is signed', async () => {
    expect(await refusal(world.adapter.quote(request('USDT', 51n * TRX)))).toBe('REVERTED');
    world.double.bar('USDT', other);
    expect(await refusal(world.adapter.quote(request('USDT', 1n)))).toBe('REVERTED');
  });

  it('the coin to a contract, or to oneself', async () => {
    const contract = world.double.contracts.get('USDT') ?? '';
    expect(await refusal(world.adapter.quote(request('TRX', 1n, contract)))).toBe('REVERTED');
    expect(await refusal(world.adapter.quote(request('TRX', 1n, hot)))).toBe('REVERTED');
  });

  it('more than there is, and a sender that is no account', async () => {
    const tooMuch = request('TRX', 100n * TRX);
    const { raw } = await world.sign(tooMuch, 0, await world.adapter.quote(tooMuch));
    expect(await refusal(world.adapter.broadcast(raw))).toBe('FUNDS');
    const nobody = { ...request('TRX', 1n, hot), from: world.address(2) };
    const signed = await world.sign(nobody, 0, await world.adapter.quote(nobody));
    expect(await refusal(world.adapter.broadcast(signed.raw))).toBe('FUNDS');
  });

  it('nothing that is sent again: the node knows it, waiting and mined', async () => {
    const { raw, txHash } = await pay(request('TRX', TRX));
    expect(await world.adapter.broadcast(raw)).toBe('known');
    world.double.chain.mine();
    expect(await world.adapter.broadcast(raw)).toBe('known');
    expect(await world.adapter.txState(txHash)).toMatchObject({ kind: 'mined' });
    expect(await held(other, 'TRX')).toBe(TRX);
  });

  it('a signature of another key, and what came too late', async () => {
    const wanted = request('TRX', TRX);
    const quote = await world.adapter.quote(wanted);
    const stranger = await world.sign({ ...wanted, from: other, to: hot }, 0, quote);
    const forged = decodeTransaction(stranger.raw).signature;
    const { raw } = await world.sign(wanted, 0, quote);
    await expect(world.adapter.broadcast(raw.slice(0, -130) + forged)).rejects.toThrow('SIGERROR');
    world.double.chain.skip(LIFETIME_MS + 3_000);
    expect(await refusal(world.adapter.broadcast(raw))).toBe('EXPIRED');
  });

  it('a node that is busy says nothing about the transaction', async () => {
    world.double.override(({ path }) =>
      path === '/wallet/broadcasthex' ? { result: false, code: 'SERVER_BUSY', message: 'busy' } : undefined,
    );
    await expect(world.adapter.broadcast('00')).rejects.toThrow('SERVER_BUSY busy');
  });
});

describe('the anchor', () => {
  it('is a final block, which no fork takes away, and an end by the clock of the chain', async () => {
    world.double.chain.mine(20);
    const { anchor } = await world.adapter.quote(request('TRX', 1n));
    expect(anchor).toEqual({
      reference: world.double.chain.final().id,
      ends: 'TIME',
      validUntil: world.double.chain.tip().time + LIFETIME_MS,
    });
    const wanted = request('TRX', TRX);
    const quote = await world.adapter.quote(wanted);
    const { raw } = await world.sign(wanted, 0, quote);
    expect(world.double.chain.tip().height - world.double.chain.final().height).toBe(18);
    world.double.chain.fork(18);
    expect(await world.adapter.broadcast(raw)).toBe('sent');
  });
});

describe('death', () => {
  /** Signs without sending; returns what is stored of it. */
  async function unsent() {
    const wanted = request('TRX', TRX);
    const quote = await world.adapter.quote(wanted);
    const { raw, txHash } = await world.sign(wanted, 0, quote);
    return { raw, txHash, validUntil: quote.anchor?.validUntil ?? 0 };
  }
  const slots = LIFETIME_MS / 3_000;

  it('is told once a block as late as the end is final, and not a block before', async () => {
    const lost = await unsent();
    world.double.chain.mine(slots - 1);
    expect(await world.adapter.hasExpired(lost)).toBe(false);
    world.double.chain.mine(1 + 17);
    expect(world.double.chain.final().time).toBeLessThan(lost.validUntil);
    expect(await world.adapter.hasExpired(lost)).toBe(false);
    world.double.chain.mine();
    expect(world.double.chain.final().time).toBe(lost.validUntil);
    expect(await world.adapter.hasExpired(lost)).toBe(true);
  });

  it('is never told of a transaction that the last possible block took', async () => {
    const late = await unsent();
    world.double.chain.mine(slots - 1);
    await world.adapter.broadcast(late.raw);
    world.double.chain.mine();
    expect(world.double.chain.tip().time).toBe(late.validUntil);
    expect(world.double.chain.find(late.txHash)?.block.height).toBe(world.double.chain.tip().height);
    world.double.chain.mine(100);
    expect(await world.adapter.hasExpired(late)).toBe(false);
    // Not even if the node's transaction index has lost it, because the blocks hold it.
    world.double.override(({ path }) => (path === '/wallet/gettransactioninfobyid' ? {} : undefined));
    expect(await world.adapter.hasExpired(late)).toBe(false);
  });

  it.each([0, 1, 5, 200])('is found again %p blocks later, with slots that were missed', async (later) => {
    const lost = await unsent();
    world.double.chain.skip(30_000);
    world.double.chain.mine(10);
    world.double.chain.skip(LIFETIME_MS);
    world.double.chain.mine(18 + later);
    expect(await world.adapter.hasExpired(lost)).toBe(true);
  });

  it('is not told by a node whose blocks do not follow from one another', async () => {
    const lost = await unsent();
    world.double.chain.mine(slots + 30);
    const at = world.double.chain.tip().height - 45;
    const block = world.double.chain.at(at);
    const hidden = {
      blockID: `${block?.id.slice(0, 16) ?? ''}${'cd'.repeat(24)}`,
      block_header: { raw_data: { number: at, parentHash: block?.parent, timestamp: block?.time } },
    };
    world.double.override(({ path, body }) =>
      path === '/wallet/getblockbynum' && body.num === at ? hidden : undefined,
    );
    expect(await world.adapter.hasExpired(lost)).toBe(false);
    world.double.override(null);
    expect(await world.adapter.hasExpired(lost)).toBe(true);
  });

  it('is proven by as many blocks as the transaction could be in, however long ago that was', async () => {
    const lost = await unsent();
    world.double.chain.mine(600);
    world.double.asked.length = 0;
    expect(await world.adapter.hasExpired(lost)).toBe(true);
    const blocks = world.double.asked.filter(({ path }) => path === '/wallet/getblockbynum');
    expect(blocks.length).toBeGreaterThanOrEqual(slots);
    expect(world.double.asked.length).toBeLessThan(130);
  });
});
