// The paying half of the EVM adapter on a real anvil: what is signed arrives, and a node's refusals are told apart.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import { parseTransaction } from 'viem/utils';
import type { AccountAdapter } from '../../../src/chain/adapter.ts';
import { ChainUnavailable, StateNotKept } from '../../../src/chain/errors.ts';
import { maxCostOf, type TransactionRequest, type UnsignedTransaction } from '../../../src/chain/transactions.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { SHOP, startOddNode, startTestChain, type TestChain } from './node.fixture.ts';

const PATH = "m/44'/60'/0'/1/0";
const GWEI = 10n ** 9n;
const signer = createSeedSigner(randomBytes(64));
let chain: TestChain;
let adapter: AccountAdapter;
let from: string;

beforeAll(async () => {
  chain = await startTestChain();
  adapter = chain.adapter();
  from = adapter.addressOf(await signer.publicKey(PATH)).key;
  await chain.rpc('anvil_setBalance', from, `0x${(10n ** 18n).toString(16)}`);
});
afterAll(() => chain.stop());

const coins = (amount: bigint): TransactionRequest => ({ from, to: SHOP, currency: 'ETH', amount });

async function sign(request: TransactionRequest, changes: { nonce?: number; maxPerGas?: bigint } = {}) {
  const fees = { ...(await adapter.fees()), ...(changes.maxPerGas && { maxPerGas: changes.maxPerGas, tipPerGas: 1n }) };
  const nonce = changes.nonce ?? (await adapter.nonces([from])).get(from) ?? 0;
  const quote = { gas: 21_000n, fees, surcharge: 0n, anchor: null };
  const unsigned = adapter.buildTransaction({ ...request, nonce, quote });
  return { ...unsigned.finish(await signAll(unsigned)), maxCost: maxCostOf(quote) };
}

function signAll({ toSign }: UnsignedTransaction) {
  expect(toSign.map(({ signer: key }) => key)).toEqual([from]);
  return Promise.all(toSign.map(({ message }) => signer.sign(PATH, message)));
}

describe('a transfer', () => {
  it('that was signed here arrives, and its receipt says what it cost', async () => {
    const before = (await adapter.balances([from], 'ETH')).get(from) ?? 0n;
    const { raw, txHash, maxCost } = await sign(coins(1_000n));
    expect(await adapter.broadcast(raw)).toBe('sent');
    expect(await adapter.broadcast(raw)).toBe('known');
    expect(await adapter.receipt(txHash)).toBeNull();
    await chain.mine();
    const receipt = await adapter.receipt(txHash);
    expect(receipt).toMatchObject({ succeeded: true, paid: [] });
    const held = await adapter.balances([SHOP, from], 'ETH');
    expect(held.get(SHOP)).toBe(1_000n);
    expect(held.get(from)).toBe(before - 1_000n - (receipt?.cost ?? 0n));
    expect(receipt?.cost).toBeLessThanOrEqual(maxCost);
  });

  it('of a token is a plain call of the contract, and its receipt names what was paid', async () => {
    const amount = 12_345n;
    const token = await chain.sendToken('transfer', amount);
    await chain.mine();
    expect(await adapter.receipt(token)).toMatchObject({
      succeeded: true,
      paid: [{ txHash: token, currency: 'USDT', addressKey: SHOP, amount }],
    });
    const fees = { maxPerGas: 5n, tipPerGas: null };
    const quote = { gas: 60_000n, fees, surcharge: 0n, anchor: null };
    const built = adapter.buildTransaction({ from, to: SHOP, currency: 'USDT', amount, nonce: 7, quote });
    const { raw } = built.finish(await signAll(built));
    expect(parseTransaction(raw as Hex)).toMatchObject({
      ...{ type: 'legacy', chainId: 31_337, nonce: 7, gas: 60_000n, gasPrice: 5n },
      to: chain.token.toLowerCase(),
      data: `0xa9059cbb${SHOP.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`,
    });
  });
});

describe('a refusal', () => {
  const refused = (reason: string) => expect.objectContaining({ name: 'TransactionRefused', reason });

  it('is NONCE for one that was used, FUNDS for more than there is, and FEES for one that offers no more', async () => {
    await adapter.broadcast((await sign(coins(1n))).raw);
    await chain.mine();
    await expect(sign(coins(2n), { nonce: 0 }).then(({ raw }) => adapter.broadcast(raw))).rejects.toEqual(
      refused('NONCE'),
    );
    await expect(sign(coins(10n ** 19n)).then(({ raw }) => adapter.broadcast(raw))).rejects.toEqual(refused('FUNDS'));
    await adapter.broadcast((await sign(coins(3n), { maxPerGas: 9n * GWEI })).raw);
    const rival = sign(coins(4n), { maxPerGas: 9n * GWEI });
    await expect(rival.then(({ raw }) => adapter.broadcast(raw))).rejects.toEqual(refused('FEES'));
    await chain.mine();
  });

  it('is REVERTED for a transfer that would fail, before anything is signed', async () => {
    const to = '0x00000000000000000000000000000000000bad01';
    await chain.rpc('anvil_setCode', to, '0x60006000fd');
    await expect(adapter.quote({ ...coins(1n), to })).rejects.toEqual(refused('REVERTED'));
  });

  it.each(['insufficient funds', 'nonce too low', 'underpriced'])(
    'is REVERTED where the recipient does so with the words of another refusal: %s',
    async (words) => {
      const to = '0x00000000000000000000000000000000000bad02';
      const text = Buffer.from(words).toString('hex').padEnd(64, '0');
      const length = words.length.toString(16).padStart(64, '0');
      const reason = `08c379a0${'20'.padStart(64, '0')}${length}${text}`;
      // The code copies the `Error(string)` that follows its eleven bytes, and reverts with it.
      await chain.rpc('anvil_setCode', to, `0x6064600c60003960646000fd${reason}`);
      await expect(adapter.quote({ ...coins(1n), to })).rejects.toEqual(refused('REVERTED'));
    },
  );

  it('is not assumed where the node says nothing that we understand: that is unknown', async () => {
    const error = { code: -32_000, message: 'the moon is full' };
    const odd = await startOddNode(chain.url, ({ method }) =>
      method === 'eth_sendRawTransaction' ? { error } : undefined,
    );
    const { raw } = await sign(coins(1n));
    const sent = chain.adapter({ rpcUrl: odd.url }).broadcast(raw);
    await expect(sent).rejects.toBeInstanceOf(ChainUnavailable);
    await odd.stop();
  });
});

describe('an estimate', () => {
  it('asks the node for no more gas than one transaction may have, however much a block has', async () => {
    const limits: unknown[] = [];
    const odd = await startOddNode(chain.url, ({ method, params }) => {
      if (method === 'eth_estimateGas') limits.push((params[0] as { gas?: unknown }).gas);
      return undefined;
    });
    await chain.adapter({ rpcUrl: odd.url }).quote(coins(1n));
    await odd.stop();
    expect(limits).toEqual(['0x1000000']);
  });
});

describe('what is final', () => {
  const asked = (answer: () => object | undefined) =>
    startOddNode(chain.url, ({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === 'finalized' ? answer() : undefined,
    );

  it('is what the tag `finalized` names; without it nothing is said, and a development chain finalises nothing', async () => {
    await chain.mine(80);
    const { height } = await adapter.tip();
    const told = await chain.adapter({ minesOnDemand: false }).finalizedHeight();
    expect(told).toBeGreaterThan(0);
    expect(told).toBeLessThan(height);
    expect(await adapter.finalizedHeight()).toBeNull();
    const odd = await asked(() => ({ error: { code: -32_602, message: 'invalid argument 0: hex string without 0x' } }));
    expect(await chain.adapter({ rpcUrl: odd.url, minesOnDemand: false }).finalizedHeight()).toBeNull();
    await odd.stop();
  });

  it('is unknown where the node said it before and does not now: fewer blocks would count as final', async () => {
    let isGone = false;
    const odd = await asked(() => (isGone ? { error: { code: -32_000, message: 'block not found' } } : undefined));
    const { finalizedHeight } = chain.adapter({ rpcUrl: odd.url, minesOnDemand: false });
    expect(await finalizedHeight()).not.toBeNull();
    isGone = true;
    await expect(finalizedHeight()).rejects.toBeInstanceOf(ChainUnavailable);
    await odd.stop();
  });
});

describe('fees', () => {
  it('cover twice the base fee and the tip, and outbid a waiting transaction by an eighth', async () => {
    const fees = await adapter.fees();
    expect(fees.tipPerGas).not.toBeNull();
    expect(fees.maxPerGas).toBeGreaterThan(fees.tipPerGas ?? 0n);
    const above = { maxPerGas: 800n * GWEI, tipPerGas: 80n * GWEI };
    expect(await adapter.fees(above)).toEqual({ maxPerGas: 900n * GWEI + 1n, tipPerGas: 90n * GWEI + 1n });
  });

  it('above the limit are not paid: transfers wait', async () => {
    await expect(chain.adapter({ maxFeePerGasWei: 10n }).fees()).rejects.toBeInstanceOf(ChainUnavailable);
  });

  it('offer the limit and no more, and the tip a limit of its own, however much the node asks for', async () => {
    const [open] = [await adapter.fees()];
    const base = (open.maxPerGas - (open.tipPerGas ?? 0n)) / 2n;
    const maxFeePerGasWei = base + base / 2n + (open.tipPerGas ?? 0n);
    expect((await chain.adapter({ maxFeePerGasWei }).fees()).maxPerGas).toBe(maxFeePerGasWei);
    const greedy = await startOddNode(chain.url, ({ method }) =>
      method === 'eth_maxPriorityFeePerGas' ? { result: `0x${(1_900n * GWEI).toString(16)}` } : undefined,
    );
    const asked = await chain.adapter({ rpcUrl: greedy.url }).fees();
    expect(asked).toEqual({ maxPerGas: 2n * base + 20n * GWEI, tipPerGas: 20n * GWEI });
    await greedy.stop();
  });

  it('are one price on a network without a base fee', async () => {
    const odd = await startOddNode(chain.url, ({ method }) =>
      method === 'eth_getBlockByNumber' ? { result: { number: '0x1' } } : undefined,
    );
    expect(await chain.adapter({ rpcUrl: odd.url }).fees()).toMatchObject({ tipPerGas: null });
    await odd.stop();
  });
});

describe('what was held at a block of which the node has given up the state is not known any more', () => {
  it.each([
    ['geth', 'missing trie node 5f1c (path ) state 0x5f1c is not available'],
    ['geth, by paths', 'historical state 5f1c is not available'],
    ['Nethermind', 'No state available for block 7'],
    ['Besu', 'World state unavailable'],
    ['Erigon', 'old data not available due to pruning'],
    ['Reth', 'state at block #7 is pruned'],
  ])('to %s', async (_node, message) => {
    const odd = await startOddNode(chain.url, ({ method }) =>
      ['eth_getBalance', 'eth_call'].includes(method) ? { error: { code: -32_000, message } } : undefined,
    );
    const { balances } = chain.adapter({ rpcUrl: odd.url });
    for (const currency of ['ETH', 'USDT'])
      await expect(balances([SHOP], currency, 7)).rejects.toBeInstanceOf(StateNotKept);
    // If the node does have the state, the balance is unknown for another reason.
    await expect(balances([SHOP], 'ETH')).rejects.not.toBeInstanceOf(StateNotKept);
    await odd.stop();
  });

  it('to anvil as the sandbox runs it', async () => {
    const { height } = await adapter.tip();
    await chain.mine(80);
    await expect(adapter.balances([SHOP], 'ETH', height)).rejects.toBeInstanceOf(StateNotKept);
    expect((await adapter.balances([SHOP], 'ETH', height + 70)).get(SHOP)).toBeGreaterThan(0n);
  });
});
