// Concurrent operations over several connections of a real PostgreSQL: each takes effect once, and none waits forever.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import { applyBlock, applyMempool, applyTimeouts } from '../../../src/domain/payments/apply-observation.ts';
import { cancelPayment } from '../../../src/domain/payments/read-and-cancel.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, minutesLater, openChain, pay, START, type DataChain, type Setup } from '../book.fixture.ts';

let setup: Setup;
let chain: DataChain;
let watchers: readonly [Deps, Deps];
let shop: string;

beforeAll(async () => {
  setup = await createSetup();
  watchers = [setup.deps, await setup.another()];
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  chain = await openChain(setup);
  shop = await setup.merchant();
});
afterEach(() => audit(setup));

describe('two watchers of one chain', () => {
  it('apply a block once, and the other finds it done', async () => {
    const order = await setup.order(shop, { required_confirmations: 1 });
    const block = chain.next([pay(order, 1_000_000n)]);
    const answers = await Promise.all(watchers.map((deps) => applyBlock(deps, 'ETH', block, block.height)));
    expect(answers.toSorted()).toEqual(['applied', 'outdated']);
    expect(await setup.balance(shop)).toMatchObject({ available: 990_000n });
  });

  it('and 500 duplicates of a block credit it once, with one event a step', async () => {
    const order = await setup.order(shop, { required_confirmations: 1 });
    const block = chain.next([pay(order, 1_000_000n)]);
    const answers = await Promise.all(
      Array.from({ length: 500 }, (_, nth) => applyBlock(watchers[nth % 2 ? 1 : 0], 'ETH', block, block.height)),
    );
    expect(answers.filter((answer) => answer === 'applied')).toHaveLength(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 990_000n });
    expect(await setup.reportedEvents(order)).toHaveLength(3);
  });

  it('see a waiting deposit once', async () => {
    const order = await setup.order(shop);
    const transfer = pay(order, 1_000_000n);
    await Promise.all(
      Array.from({ length: 20 }, (_, nth) => applyMempool(watchers[nth % 2 ? 1 : 0], 'ETH', chain.tip, [transfer], [])),
    );
    expect((await setup.read(order)).transactions).toHaveLength(1);
    expect(await setup.reportedEvents(order)).toHaveLength(2);
  });

  it('expire a payment once', async () => {
    const order = await setup.order(shop);
    setup.setNow(minutesLater(30));
    await Promise.all(watchers.map((deps) => applyTimeouts(deps, 'ETH', chain.tip, minutesLater(30))));
    expect(await setup.reportedEvents(order)).toEqual(['payment.created PENDING', 'payment.expired EXPIRED']);
  });

  it('may fork: of two different next blocks one is applied', async () => {
    const order = await setup.order(shop);
    const blocks = [chain.next([pay(order, 1n)]), chain.next([pay(order, 2n)])];
    const answers = await Promise.all(
      blocks.map((block, nth) => applyBlock(watchers[nth ? 1 : 0], 'ETH', block, block.height)),
    );
    expect(answers.toSorted()).toEqual(['applied', 'outdated']);
    expect((await setup.read(order)).transactions).toHaveLength(1);
  });
});

describe('a cancel against a deposit', () => {
  it('fifty times: either it is refused, or the money is late', async () => {
    for (let round = 0; round < 50; round += 1) {
      const order = await setup.order(shop);
      const block = chain.next([pay(order, 1_000_000n)]);
      // The two take turns in having a head start of some turns of the event loop.
      const late = (turns: number) => new Promise<void>((resolve) => setTimeout(resolve, turns));
      const [, canceled] = await Promise.all([
        late(round % 5).then(() => chain.apply(block)),
        late((round * 3) % 7).then(() =>
          cancelPayment(watchers[1], shop, order.id).then(
            () => true,
            () => false,
          ),
        ),
      ]);
      await chain.mineEmpty(1);
      const { status, exception } = await setup.read(order);
      expect([status, exception]).toEqual(['SUCCEEDED', canceled ? 'PAID_LATE' : null]);
    }
    expect(await setup.balance(shop)).toMatchObject({ available: 50n * 990_000n });
  });

  it('neither waits for the other in a circle, when a block pays many orders that are canceled at once', async () => {
    const orders = await Promise.all(Array.from({ length: 30 }, () => setup.order(shop)));
    const block = chain.next(orders.toReversed().map((order) => pay(order, 1_000_000n)));
    const cancels = orders.map((order) =>
      cancelPayment(watchers[1], shop, order.id).catch((error: unknown) => {
        if ((error as { errorName?: string }).errorName !== 'WRONG_STATE') throw error;
      }),
    );
    await Promise.all([chain.apply(block), ...cancels]);
    await chain.mineEmpty(1);
    for (const order of orders) expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
  });
});
