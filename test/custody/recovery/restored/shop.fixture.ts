// For test files about a restored database on a development chain: in each test the chain, the book that is the older
// copy's original, and a merchant, all new.

import { afterEach, beforeEach, jest } from '@jest/globals';
import { createPayoutWorld, type PayoutWorld } from '../../payout-world.fixture.ts';
import { createRestorable, type Book, type Restorable } from './book.fixture.ts';

jest.setTimeout(120_000);

export let stage: PayoutWorld;
export let restorable: Restorable;
export let book: Book;
/** The merchant's id. */
export let shop: string;

beforeEach(async () => {
  stage = await createPayoutWorld();
  const { deps, signer, dev: devChain, world } = stage;
  restorable = await createRestorable({ deps, signer, devChain, url: world.url, network: 'ETH' });
  ({ book } = restorable);
  shop = await world.merchant();
});
afterEach(async () => {
  await restorable.stop();
  await stage.stop();
});

/** Runs the sender and the watcher of a book until neither has anything to do. */
export const settle = (its = book) => stage.settle(its.sender(), its.watcher);
