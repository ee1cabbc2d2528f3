// Set-up for tests of accounts that exist once per book: each test gets a new book, chain, merchant and order; after it
// the book is audited and verified.

import { afterEach, beforeEach, expect } from '@jest/globals';
import type { Deps } from '../../src/domain/deps.ts';
import { verifyLedger } from '../../src/domain/ledger/verify.ts';
import { audit } from './audit.fixture.ts';
import { createWorld, openChain, START, type DataChain, type Order, type World } from './book.fixture.ts';
import { withNetwork } from './payouts/book.fixture.ts';

export let world: World;
export let chain: DataChain;
/** With a network whose payouts are signed. */
export let deps: Deps;
/** The merchant's id. */
export let shop: string;
export let order: Order;

beforeEach(async () => {
  world = await createWorld();
  deps = withNetwork(world.deps);
  world.setNow(START);
  chain = await openChain(world);
  shop = await world.merchant();
  order = await world.order(shop);
});
afterEach(async () => {
  await audit(world);
  expect((await verifyLedger(world.deps.db)).faults).toEqual([]);
});
afterEach(() => world.stop());

/** The differences that are still in suspense. */
export const readOpen = () => world.sql('select 1 from reconciliation where resolved_at is null');
