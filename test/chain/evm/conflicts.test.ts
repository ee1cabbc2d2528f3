// A transaction that lost its nonce to another one, on a real chain.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import type { BlockHead } from '../../../src/chain/blocks.ts';
import { nextBlock, OTHER_PAYER, SHOP, startOddNode, startTestChain, type TestChain } from './node.fixture.ts';

let chain: TestChain;
let adapter: ChainAdapter;
let snapshot: string;
let start: BlockHead;

beforeAll(async () => {
  chain = await startTestChain();
  await chain.mine(20);
  adapter = chain.adapter();
});
afterAll(() => chain.stop());
beforeEach(async () => {
  snapshot = await chain.rpc<string>('evm_snapshot');
  start = await adapter.tip();
});
afterEach(async () => {
  await chain.rpc('anvil_dropAllTransactions');
  await chain.rpc('evm_revert', snapshot);
});

/** A payment that was mined and then left the chain. */
async function loseTransfer(): Promise<{ txHash: string; spends: string }> {
  const txHash = await chain.send({ to: SHOP, value: 5n, from: OTHER_PAYER });
  await chain.mine();
  const [transfer] = (await nextBlock(adapter, start)).transfers;
  await chain.rpc('anvil_reorg', 1, []);
  return { txHash, spends: transfer?.spends ?? '' };
}

const tip = async () => (await adapter.tip()).height;

describe('a transaction that left the chain', () => {
  it('is displaced by nobody while its nonce is unused', async () => {
    const lost = await loseTransfer();
    expect(await adapter.conflictAt(lost, await tip())).toBeNull();
  });

  it.each([0, 1, 2, 7, 30])('is displaced where another with its nonce was mined, %i blocks below', async (below) => {
    const lost = await loseTransfer();
    await chain.send({ to: SHOP, value: 6n, from: OTHER_PAYER });
    await chain.mine();
    const height = await tip();
    await chain.mine(below);
    expect(await adapter.conflictAt(lost, await tip())).toBe(height);
    expect(await adapter.conflictAt(lost, height)).toBe(height);
    expect(await adapter.conflictAt(lost, height - 1)).toBeNull();
  });

  it('is not displaced once it is mined again, nor by what follows it', async () => {
    const txHash = await chain.send({ to: SHOP, value: 5n, from: OTHER_PAYER });
    const raw = await chain.rpc<string>('eth_getRawTransactionByHash', txHash);
    await chain.mine();
    const [transfer] = (await nextBlock(adapter, start)).transfers;
    await chain.rpc('anvil_reorg', 1, []);
    await chain.rpc('eth_sendRawTransaction', raw);
    await chain.mine(2);
    await chain.send({ to: SHOP, value: 6n, from: OTHER_PAYER });
    await chain.mine(2);
    expect(await adapter.conflictAt({ txHash, spends: transfer?.spends ?? '' }, await tip())).toBeNull();
  });

  it('is told displaced too high, never too low, by a node that keeps few states', async () => {
    const lost = await loseTransfer();
    await chain.send({ to: SHOP, value: 6n, from: OTHER_PAYER });
    await chain.mine();
    const height = await tip();
    await chain.mine(9);
    const oldest = height + 4;
    const node = await startOddNode(chain.url, ({ method, params }) =>
      method === 'eth_getTransactionCount' && Number(params[1]) < oldest
        ? { error: { code: -32000, message: 'missing trie node' } }
        : undefined,
    );
    const limited = chain.adapter({ rpcUrl: node.url });
    expect(await limited.conflictAt(lost, await tip()).finally(() => node.stop())).toBe(oldest);
  });
});
