// Set-up for tests of a restored database on a development chain: each test gets a new chain, a book with a merchant,
// and copies of that book.

import { afterEach, beforeEach, jest } from '@jest/globals';
import { createPayoutSetup, type PayoutSetup } from '../../payout-setup.fixture.ts';
import { createRestorable, type Book, type Restorable } from './book.fixture.ts';

jest.setTimeout(120_000);

export let stage: PayoutSetup;
export let restorable: Restorable;
export let book: Book;
/** The merchant's id. */
export let shop: string;

beforeEach(async () => {
  stage = await createPayoutSetup();
  const { deps, signer, dev: devChain, setup } = stage;
  restorable = await createRestorable({ deps, signer, devChain, url: setup.url, network: 'ETH' });
  ({ book } = restorable);
  shop = await setup.merchant();
});
afterEach(async () => {
  await restorable.stop();
  await stage.stop();
});

/** Runs a book's sender and watcher until neither has anything to do. */
export const settle = (its = book) => stage.settle(its.sender(), its.watcher);
