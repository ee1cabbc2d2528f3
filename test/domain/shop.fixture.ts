// Set-up for tests about one merchant's money: a world for the file, and for each test a new chain, merchant and order;
// after each test the book is audited.

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { audit } from './audit.fixture.ts';
import { createWorld, openChain, START, type DataChain, type Order, type World } from './book.fixture.ts';

export let world: World;
export let chain: DataChain;
/** The merchant's id. */
export let shop: string;
export let order: Order;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  world.setNow(START);
  chain = await openChain(world);
  shop = await world.merchant();
  order = await world.order(shop);
});
afterEach(() => audit(world));
