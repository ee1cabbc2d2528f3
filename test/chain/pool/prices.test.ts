// The gas price offered with several nodes is the median of theirs, so that no single node decides it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountAdapter, ChainAdapter } from '../../../src/chain/adapter.ts';
import { ChainUnavailable, PriceTooHigh } from '../../../src/chain/errors.ts';
import { createNodePool } from '../../../src/chain/pool/node-pool.ts';
import { startUnsteadyNode } from '../../observe/unsteady-node.fixture.ts';

import { startOddNode, startTestChain, type TestChain } from '../evm/node.fixture.ts';

const GWEI = 1_000_000_000n;
/** Anvil's first account. */
const PAYER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const RECIPIENT = '0x1111111111111111111111111111111111111111';

let chain: TestChain;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  chain = await startTestChain();
});
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});
afterAll(() => chain.stop());

interface Asks {
  readonly tip: bigint;
  /** Replaces the base fee of the newest block. */
  readonly base?: bigint;
}

/** A node that reports these prices and is honest in all else. */
async function nodeThatAsks({ tip, base }: Asks): Promise<ChainAdapter> {
  const hex = (units: bigint) => `0x${units.toString(16)}`;
  const { url, stop } = await startOddNode(chain.url, async ({ method, params }) => {
    if (method === 'eth_maxPriorityFeePerGas') return { result: hex(tip) };
    if (method !== 'eth_getBlockByNumber' || base === undefined) return undefined;
    return { result: { ...(await chain.rpc<object>(method, ...params)), baseFeePerGas: hex(base) } };
  });
  stops.push(stop);
  return chain.adapter({ rpcUrl: url });
}

const poolOf = async (...asks: Asks[]) =>
  createNodePool({ adapters: await Promise.all(asks.map(nodeThatAsks)) }) as AccountAdapter;
const transfer = { from: PAYER, to: RECIPIENT, currency: 'ETH', amount: 1n };

describe('several nodes', () => {
  it.each([0, 1, 2])('offer the median, whatever one asks for (the liar in place %d)', async (place) => {
    const honest = { tip: GWEI, base: 10n * GWEI };
    for (const lie of [
      { tip: 19n * GWEI, base: 10n * GWEI },
      { tip: GWEI, base: 400n * GWEI },
      { tip: 1_900n * GWEI, base: 5_000n * GWEI },
      { tip: 0n, base: 0n },
    ]) {
      const pool = await poolOf(...[0, 1, 2].map((at) => (at === place ? lie : honest)));
      const expected = { maxPerGas: 21n * GWEI, tipPerGas: GWEI };
      expect(await pool.fees()).toEqual(expected);
      expect((await pool.quote(transfer)).fees).toEqual(expected);
      expect(pool.nodes?.().map(({ state }) => state)).toEqual(['up', 'up', 'up']);
    }
  });

  it('of two take the lower', async () => {
    const pool = await poolOf({ tip: 5n * GWEI, base: GWEI }, { tip: 2n * GWEI, base: 3n * GWEI });
    expect(await pool.fees()).toEqual({ maxPerGas: 7n * GWEI, tipPerGas: 2n * GWEI });
  });

  it('say that a price is too high when most of them do', async () => {
    const expensive = { tip: GWEI, base: 2_000n * GWEI };
    const pool = await poolOf(expensive, { tip: GWEI, base: GWEI }, expensive);
    await expect(pool.fees()).rejects.toBeInstanceOf(PriceTooHigh);
    await expect(pool.quote(transfer)).rejects.toBeInstanceOf(PriceTooHigh);
    expect(pool.nodes?.().map(({ state }) => state)).toEqual(['up', 'up', 'up']);
  });

  it('do without one that fails, and fail when all of them do', async () => {
    const failing = await startUnsteadyNode(() => chain.url);
    stops.push(() => failing.stop());
    failing.harm({ harm: 'status', after: 0, count: 1_000 });
    const broken = chain.adapter({ rpcUrl: failing.url });
    const good = await nodeThatAsks({ tip: 3n * GWEI, base: GWEI });
    const pool = createNodePool({ adapters: [broken, good] }) as AccountAdapter;
    expect((await pool.quote(transfer)).fees).toEqual({ maxPerGas: 5n * GWEI, tipPerGas: 3n * GWEI });
    const dead = createNodePool({ adapters: [broken, broken] });
    await expect(dead.fees()).rejects.toBeInstanceOf(ChainUnavailable);
  });

  it('refuse what would fail', async () => {
    const refusing = '0x00000000000000000000000000000000000bad01';
    await chain.rpc('anvil_setCode', refusing, '0x60006000fd');
    const pool = createNodePool({ adapters: [chain.adapter(), chain.adapter()] }) as AccountAdapter;
    await expect(pool.quote({ ...transfer, to: refusing })).rejects.toMatchObject({ reason: 'REVERTED' });
  });
});
