// Set-up for tests of accounts that exist once per book: each test gets a new book, chain, merchant and order; after it
// the book is audited and verified.

import { afterEach, beforeEach, expect } from '@jest/globals';
import type { Deps } from '../../src/domain/deps.ts';
import { verifyLedger } from '../../src/domain/ledger/verify.ts';
import { audit } from './audit.fixture.ts';
import { createSetup, openChain, START, type DataChain, type Order, type Setup } from './book.fixture.ts';
import { withNetwork } from './payouts/book.fixture.ts';

export let setup: Setup;
export let chain: DataChain;
/** With a network whose payouts are signed. */
export let deps: Deps;
/** The merchant's id. */
export let shop: string;
export let order: Order;

beforeEach(async () => {
  setup = await createSetup();
  deps = withNetwork(setup.deps);
  setup.setNow(START);
  chain = await openChain(setup);
  shop = await setup.merchant();
  order = await setup.order(shop);
});
afterEach(async () => {
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});
afterEach(() => setup.stop());

/** The differences that are still in suspense. */
export const readOpen = () => setup.sql('select 1 from reconciliation where resolved_at is null');
