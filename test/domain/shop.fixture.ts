// Set-up for tests about one merchant's money: a setup for the file, and for each test a new chain, merchant and order;
// after each test the book is audited.

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { audit } from './audit.fixture.ts';
import { createSetup, openChain, START, type DataChain, type Order, type Setup } from './book.fixture.ts';

export let setup: Setup;
export let chain: DataChain;
/** The merchant's id. */
export let shop: string;
export let order: Order;

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  chain = await openChain(setup);
  shop = await setup.merchant();
  order = await setup.order(shop);
});
afterEach(() => audit(setup));
