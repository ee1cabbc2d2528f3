// A sweep whose deposit a reorganisation took away, on a real development chain: no payout waits for it, and the money
// is swept when it comes back.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Order } from '../../domain/book.fixture.ts';
import { createPayoutSetup, OUTSIDE, type PayoutSetup } from '../payout-setup.fixture.ts';

const ETHER = 10n ** 18n;

let stage: PayoutSetup;
let shop: string;
let lost: Order;
let payoutId: string;

// The second, larger deposit is swept for a withdrawal, and disappears before the sweep is mined.
beforeEach(async () => {
  stage = await createPayoutSetup();
  stage.pass(1);
  shop = await stage.setup.merchant();
  await stage.pay(await stage.order(shop, 'ETH'), 'ETH', 3n * ETHER);
  lost = await stage.order(await stage.setup.merchant(), 'ETH');
  await stage.pay(lost, 'ETH', 5n * ETHER);
  payoutId = (await stage.withdraw(shop, 'ETH', '2')).id;
  const still = { ...stage.dev, mine: () => Promise.resolve() };
  await stage.settle(stage.sender({ devChain: still }));
  expect(await sweeps()).toMatchObject([{ sender_key: lost.addressKey, status: 'BROADCAST' }]);
  await stage.dev.reorg(2);
  await stage.settle(stage.watcher());
});
afterEach(() => stage.audit());
afterEach(() => stage.stop());

const sweeps = () =>
  stage.setup.sql<{ sender_key: string; status: string; nonce: string }>(
    `select sender_key, status, nonce from transfer where purpose = 'SWEEP' order by id`,
  );

describe('a sweep whose deposit left the chain', () => {
  it('is not waited for: the payout is made out of what other addresses hold', async () => {
    const before = await stage.holds(OUTSIDE, 'ETH');
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(payoutId)).toMatchObject({ status: 'COMPLETED' });
    expect((await stage.holds(OUTSIDE, 'ETH')) - before).toBe(2n * ETHER);
    const found = (await sweeps()).map(({ sender_key, status }) =>
      sender_key === lost.addressKey ? `lost ${status}` : status,
    );
    expect(found.sort()).toEqual(['CONFIRMED', 'lost BROADCAST']);
  });

  it.each([4n, 9n])('is made again when %d come in the place of 5, with the same number', async (amount) => {
    await stage.settle(stage.sender(), stage.watcher());
    await stage.pay(lost, 'ETH', amount * ETHER);
    stage.pass(1);
    const { id } = await stage.withdraw(lost.merchantId, 'ETH', 'max');
    await stage.settle(stage.sender(), stage.watcher());
    stage.pass(1);
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    const own = (await sweeps()).filter(({ sender_key }) => sender_key === lost.addressKey);
    expect(own.filter(({ status }) => status === 'CONFIRMED').length).toBeGreaterThan(0);
    expect(own.filter(({ status }) => status === 'SIGNED' || status === 'BROADCAST')).toEqual([]);
  });
});
