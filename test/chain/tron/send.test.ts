// Paying on TRON through the adapter, on the double: what it costs, what is signed, and how transactions end.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TransactionRefused } from '../../../src/chain/errors.ts';
import { maxCostOf, type Quote, type TransactionRequest } from '../../../src/chain/transactions.ts';
import { LIFETIME_MS } from '../../../src/chain/tron/send.ts';
import { decodeTransaction } from '../../doubles/tron/protobuf.ts';
import { hexOfAddress } from '../../../src/chain/tron/address.ts';
import { createTronSetup, TRX, type TronSetup } from './setup.fixture.ts';

let setup: TronSetup;
let hot: string;
let other: string;

beforeEach(async () => {
  setup = await createTronSetup();
  hot = setup.address(0);
  other = setup.address(1);
  setup.fund(hot, 'TRX', 100n * TRX);
  setup.fund(hot, 'USDT', 50n * TRX);
});
afterEach(() => setup.stop());

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
  const quote = await setup.adapter.quote(wanted);
  const signed = await setup.sign(wanted, nonce, quote);
  expect(await setup.adapter.broadcast(signed.raw)).toBe('sent');
  return { ...signed, quote };
}

const held = async (address: string, currency: string) =>
  (await setup.adapter.balances([address], currency)).get(address) ?? 0n;

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TransactionRefused);
  return (error as TransactionRefused).reason;
}

describe('a payment', () => {
  it('of the coin arrives, and costs no more than was said, nor much less', async () => {
    setup.fund(other, 'TRX', 1n);
    const { txHash, quote } = await pay(request('TRX', 10n * TRX));
    expect(await setup.adapter.receipt(txHash)).toBeNull();
    setup.double.chain.mine();
    const receipt = await setup.adapter.receipt(txHash);
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
    setup.double.chain.mine();
    expect(await setup.adapter.receipt(txHash)).toMatchObject({ succeeded: true, cost: 1_100_000n });
    expect(maxCostOf(await setup.adapter.quote(request('TRX', TRX)))).toBeLessThan(300_000n);
  });

  it('of all of the coin but what it may cost is taken', async () => {
    setup.fund(other, 'TRX', 1n);
    const quote = await setup.adapter.quote(request('TRX', 1n));
    const all = request('TRX', 100n * TRX - maxCostOf(quote));
    const { raw, txHash } = await setup.sign(all, 0, quote);
    await setup.adapter.broadcast(raw);
    setup.double.chain.mine();
    expect(await setup.adapter.receipt(txHash)).toMatchObject({ succeeded: true });
  });

  it('of a token arrives at an address that is no account, within its fee limit', async () => {
    const { txHash, raw, quote } = await pay(request('USDT', 20n * TRX));
    const { feeLimit, action, expiration, signer } = decodeTransaction(raw);
    expect(signer).toBe(hexOfAddress(hot));
    expect(BigInt(feeLimit)).toBe(quote.gas * quote.fees.maxPerGas);
    expect(action).toMatchObject({ type: 'TriggerSmartContract', owner: hexOfAddress(hot) });
    expect(expiration).toBe(quote.anchor?.validUntil);
    setup.double.chain.mine();
    const receipt = await setup.adapter.receipt(txHash);
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
    const quote = await setup.adapter.quote(wanted);
    const poor = { ...quote, gas: 1_000n };
    const { raw, txHash } = await setup.sign(wanted, 0, poor);
    await setup.adapter.broadcast(raw);
    setup.double.chain.mine();
    const receipt = await setup.adapter.receipt(txHash);
    expect(receipt).toMatchObject({ succeeded: false, paid: [] });
    expect(receipt?.cost).toBeLessThanOrEqual(maxCostOf(poor));
    expect(await held(other, 'USDT')).toBe(0n);
  });

  it('twice of one amount to one recipient in one moment is two transactions', async () => {
    const wanted = request('USDT', TRX);
    const quote = await setup.adapter.quote(wanted);
    const first = await setup.sign(wanted, 4, quote);
    const second = await setup.sign(wanted, 5, quote);
    expect(second.txHash).not.toBe(first.txHash);
    expect(await setup.sign(wanted, 4, quote)).toEqual(first);
  });
});

describe('what is refused', () => {
  it('a token that would revert, before anything is signed', async () => {
    expect(await refusal(setup.adapter.quote(request('USDT', 51n * TRX)))).toBe('REVERTED');
    setup.double.bar('USDT', other);
    expect(await refusal(setup.adapter.quote(request('USDT', 1n)))).toBe('REVERTED');
  });

  it('the coin to a contract, or to oneself', async () => {
    const contract = setup.double.contracts.get('USDT') ?? '';
    expect(await refusal(setup.adapter.quote(request('TRX', 1n, contract)))).toBe('REVERTED');
    expect(await refusal(setup.adapter.quote(request('TRX', 1n, hot)))).toBe('REVERTED');
  });

  it('more than there is, and a sender that is no account', async () => {
    const tooMuch = request('TRX', 100n * TRX);
    const { raw } = await setup.sign(tooMuch, 0, await setup.adapter.quote(tooMuch));
    expect(await refusal(setup.adapter.broadcast(raw))).toBe('FUNDS');
    const nobody = { ...request('TRX', 1n, hot), from: setup.address(2) };
    const signed = await setup.sign(nobody, 0, await setup.adapter.quote(nobody));
    expect(await refusal(setup.adapter.broadcast(signed.raw))).toBe('FUNDS');
  });

  it('nothing that is sent again: the node knows it, waiting and mined', async () => {
    const { raw, txHash } = await pay(request('TRX', TRX));
    expect(await setup.adapter.broadcast(raw)).toBe('known');
    setup.double.chain.mine();
    expect(await setup.adapter.broadcast(raw)).toBe('known');
    expect(await setup.adapter.txState(txHash)).toMatchObject({ kind: 'mined' });
    expect(await held(other, 'TRX')).toBe(TRX);
  });

  it('a signature of another key, and what came too late', async () => {
    const wanted = request('TRX', TRX);
    const quote = await setup.adapter.quote(wanted);
    const stranger = await setup.sign({ ...wanted, from: other, to: hot }, 0, quote);
    const forged = decodeTransaction(stranger.raw).signature;
    const { raw } = await setup.sign(wanted, 0, quote);
    await expect(setup.adapter.broadcast(raw.slice(0, -130) + forged)).rejects.toThrow('SIGERROR');
    setup.double.chain.skip(LIFETIME_MS + 3_000);
    expect(await refusal(setup.adapter.broadcast(raw))).toBe('EXPIRED');
  });

  it('a node that is busy says nothing about the transaction', async () => {
    setup.double.override(({ path }) =>
      path === '/wallet/broadcasthex' ? { result: false, code: 'SERVER_BUSY', message: 'busy' } : undefined,
    );
    await expect(setup.adapter.broadcast('00')).rejects.toThrow('SERVER_BUSY busy');
  });
});

describe('the anchor', () => {
  it('is a final block, which no fork takes away, and an end by the clock of the chain', async () => {
    setup.double.chain.mine(20);
    const { anchor } = await setup.adapter.quote(request('TRX', 1n));
    expect(anchor).toEqual({
      reference: setup.double.chain.final().id,
      ends: 'TIME',
      validUntil: setup.double.chain.tip().time + LIFETIME_MS,
    });
    const wanted = request('TRX', TRX);
    const quote = await setup.adapter.quote(wanted);
    const { raw } = await setup.sign(wanted, 0, quote);
    expect(setup.double.chain.tip().height - setup.double.chain.final().height).toBe(18);
    setup.double.chain.fork(18);
    expect(await setup.adapter.broadcast(raw)).toBe('sent');
  });
});

describe('death', () => {
  /** Signs without sending; returns what is stored of it. */
  async function unsent() {
    const wanted = request('TRX', TRX);
    const quote = await setup.adapter.quote(wanted);
    const { raw, txHash } = await setup.sign(wanted, 0, quote);
    return { raw, txHash, validUntil: quote.anchor?.validUntil ?? 0 };
  }
  const slots = LIFETIME_MS / 3_000;

  it('is told once a block as late as the end is final, and not a block before', async () => {
    const lost = await unsent();
    setup.double.chain.mine(slots - 1);
    expect(await setup.adapter.hasExpired(lost)).toBe(false);
    setup.double.chain.mine(1 + 17);
    expect(setup.double.chain.final().time).toBeLessThan(lost.validUntil);
    expect(await setup.adapter.hasExpired(lost)).toBe(false);
    setup.double.chain.mine();
    expect(setup.double.chain.final().time).toBe(lost.validUntil);
    expect(await setup.adapter.hasExpired(lost)).toBe(true);
  });

  it('is never told of a transaction that the last possible block took', async () => {
    const late = await unsent();
    setup.double.chain.mine(slots - 1);
    await setup.adapter.broadcast(late.raw);
    setup.double.chain.mine();
    expect(setup.double.chain.tip().time).toBe(late.validUntil);
    expect(setup.double.chain.find(late.txHash)?.block.height).toBe(setup.double.chain.tip().height);
    setup.double.chain.mine(100);
    expect(await setup.adapter.hasExpired(late)).toBe(false);
    // Not even if the node's transaction index has lost it, because the blocks hold it.
    setup.double.override(({ path }) => (path === '/wallet/gettransactioninfobyid' ? {} : undefined));
    expect(await setup.adapter.hasExpired(late)).toBe(false);
  });

  it.each([0, 1, 5, 200])('is found again %p blocks later, with slots that were missed', async (later) => {
    const lost = await unsent();
    setup.double.chain.skip(30_000);
    setup.double.chain.mine(10);
    setup.double.chain.skip(LIFETIME_MS);
    setup.double.chain.mine(18 + later);
    expect(await setup.adapter.hasExpired(lost)).toBe(true);
  });

  it('is not told by a node whose blocks do not follow from one another', async () => {
    const lost = await unsent();
    setup.double.chain.mine(slots + 30);
    const at = setup.double.chain.tip().height - 45;
    const block = setup.double.chain.at(at);
    const hidden = {
      blockID: `${block?.id.slice(0, 16) ?? ''}${'cd'.repeat(24)}`,
      block_header: { raw_data: { number: at, parentHash: block?.parent, timestamp: block?.time } },
    };
    setup.double.override(({ path, body }) =>
      path === '/wallet/getblockbynum' && body.num === at ? hidden : undefined,
    );
    expect(await setup.adapter.hasExpired(lost)).toBe(false);
    setup.double.override(null);
    expect(await setup.adapter.hasExpired(lost)).toBe(true);
  });

  it('is proven by as many blocks as the transaction could be in, however long ago that was', async () => {
    const lost = await unsent();
    setup.double.chain.mine(600);
    setup.double.asked.length = 0;
    expect(await setup.adapter.hasExpired(lost)).toBe(true);
    const blocks = setup.double.asked.filter(({ path }) => path === '/wallet/getblockbynum');
    expect(blocks.length).toBeGreaterThanOrEqual(slots);
    expect(setup.double.asked.length).toBeLessThan(130);
  });
});
