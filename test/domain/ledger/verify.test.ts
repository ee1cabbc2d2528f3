// The verification of the ledger finds nothing in a correct book, and each rule's violation in a manipulated one; so
// does the check of what is new, where all of it is.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { query } from '../../../src/database/connection.ts';
import { readCheckScope } from '../../../src/database/queries/ledger/check-scope.ts';
import { findRecentFaults, RECENT_CHECKS } from '../../../src/database/queries/ledger/recent-checks.ts';
import { findLedgerFaults, LEDGER_CHECKS } from '../../../src/database/queries/ledger/verify-ledger.ts';
import { inTransaction } from '../../../src/domain/deps.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { createSetup, openChain, type Setup } from '../book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';

let setup: Setup;

beforeAll(async () => {
  setup = await createSetup();
  const deps = book.withNetwork(setup.deps, 1_000n);
  const chain = await openChain(setup);
  const shop = await setup.merchant();
  const order = await setup.order(shop);
  await book.deposit(chain, order, 3_000_000n);
  await book.complete(deps, await book.refund(deps, order, '0.1'));
  await book.broadcast(deps, await book.withdraw(deps, shop, '0.2'));
  await book.fail(deps, await book.withdraw(deps, shop, '0.3'));
  await book.withdraw(deps, shop, '0.4');
});
afterAll(() => setup.stop());

/**
 * What is found after these statements ran without triggers and constraints, in the whole book and among what is new,
 * which is all of it; they are rolled back afterwards.
 */
async function foundAfter(...statements: readonly string[]): Promise<{ whole: string[]; recent: string[] }> {
  let found: { whole: string[]; recent: string[] } = { whole: [], recent: [] };
  const undo = new Error('undone');
  const work = inTransaction(setup.deps, async (em) => {
    await query(em, 'set local session_replication_role = replica');
    await query(em, 'alter table ledger_account drop constraint ledger_account_check');
    await query(em, 'alter table ledger_account drop constraint ledger_account_check1');
    for (const statement of statements) await query(em, statement);
    const scope = await readCheckScope(em, { postingId: '0', horizon: new Date(0) });
    const [whole, recent] = [await findLedgerFaults(em), await findRecentFaults(em, scope)];
    const nameOf = ({ name }: { name: string }) => name;
    found = { whole: whole.map(nameOf), recent: recent.map(nameOf) };
    throw undo;
  });
  await expect(work).rejects.toBe(undo);
  return found;
}

const OTHER_ASSET = `insert into ledger_account (owner, purpose, currency, network)
  values ('gateway', 'capital', 'ETH', 'ETH')`;
const PAYOUT = `insert into payout (id, kind, merchant_id, currency, network, amount, network_fee, address, status,
  created_at, updated_at) select 'wdr_x', 'WITHDRAWAL', id, 'USDT', 'ETH', 5, 0, '0x', 'REQUESTED', now(), now() from merchant`;

const PLANTED: readonly (readonly [what: string, rule: string, ...statements: string[]])[] = [
  [
    'a balance that was raised',
    'every balance is the sum of its postings',
    `update ledger_account set balance = balance + 1 where purpose = 'available'`,
  ],
  [
    'money out of nothing',
    'all balances of an asset sum to zero',
    `update ledger_account set balance = balance + 1 where purpose = 'available'`,
  ],
  [
    'a posting that was removed',
    'every balance is the sum of its postings',
    'delete from posting where id = (select min(id) from posting)',
  ],
  [
    'a posting between two assets',
    'a posting joins two accounts of one asset',
    OTHER_ASSET,
    `insert into posting (transaction_id, source_id, destination_id, amount)
     select (select min(id) from ledger_transaction), a.id, b.id, 1 from ledger_account a, ledger_account b
     where a.purpose = 'custody' and b.purpose = 'capital'`,
  ],
  [
    'less than nothing available',
    'available and reserved are never negative, receivable never positive',
    `update ledger_account set balance = -1 where purpose = 'available'`,
  ],
  [
    'a receivable the wrong way round',
    'available and reserved are never negative, receivable never positive',
    `update ledger_account set balance = 1 where purpose = 'receivable'`,
  ],
  [
    'a sealed balance that was changed',
    'the sealed balances are the sums of the postings up to the seal',
    'insert into sealed_balance select id, 1 from ledger_account limit 1',
  ],
  ['a payout that reserved nothing', 'what is reserved is what open payouts need', PAYOUT],
  [
    'an open payout that was removed',
    'what is reserved is what open payouts need',
    `delete from payout where status = 'BROADCAST'`,
  ],
  [
    'a payout that failed and released nothing',
    'every payout is reserved once, and booked or released as its status says',
    `update payout set status = 'FAILED' where status = 'REQUESTED'`,
  ],
  [
    'a completion that was not booked',
    'every payout is reserved once, and booked or released as its status says',
    `update payout set completed_at = now() where status = 'BROADCAST'`,
  ],
  [
    'a payout that was removed after it was booked',
    'every payout is reserved once, and booked or released as its status says',
    `delete from payout where status = 'COMPLETED'`,
  ],
  [
    'a fee that was kept of a payout whose transaction nobody mined',
    'a failed payout keeps its network fee only where a transaction of it was mined',
    `insert into posting (transaction_id, source_id, destination_id, amount)
     select (select id from ledger_transaction where reference like 'release/%'), a.id, b.id, 1
     from ledger_account a, ledger_account b where a.purpose = 'reserved' and b.purpose = 'costs' limit 1`,
  ],
  [
    'a refund that the payment does not know',
    'what a payment has refunded is the sum of its completed refunds',
    'update payment set amount_refunded = 0',
  ],
  [
    'a payment that has confirmed what others sent',
    'what a payment has confirmed is the sum of its credited deposits of its own asset',
    'update payment set amount_confirmed = amount_confirmed + 1',
  ],
  [
    'a payment that counts what reached it on another network',
    'what a payment has confirmed is the sum of its credited deposits of its own asset',
    `update deposit set network = 'POLYGON' where credited`,
  ],
  [
    'a deposit that claims another credit',
    'credits are the confirmed deposits',
    'update deposit set credits = credits + 1',
  ],
  ['a deposit that was removed', 'credits are the confirmed deposits', 'delete from deposit'],
  [
    'a credit that was removed',
    'credits are the confirmed deposits',
    `delete from ledger_transaction where reference like 'credit/%'`,
  ],
  ['a deposit that was not credited', 'a confirmed deposit is credited', 'update deposit set credited = false'],
  [
    'a debt beside available money',
    'a receivable stands only where nothing is available',
    `update ledger_account set balance = -1 where purpose = 'receivable'`,
  ],
  [
    'a figure of what lies at an address that was changed',
    'what lies at a deposit address is what came there less what left',
    'update holding set units = units - 1',
  ],
];

describe('the verification', () => {
  it('finds nothing in a good book', async () => {
    const { checks, faults } = await verifyLedger(setup.deps.db);
    expect(faults).toEqual([]);
    expect(checks).toEqual(LEDGER_CHECKS.map(({ name }) => name));
    expect(await foundAfter()).toEqual({ whole: [], recent: [] });
  });

  it.each(PLANTED)('finds %s: %s', async (_what, rule, ...statements) => {
    const { whole, recent } = await foundAfter(...statements);
    expect(whole).toContain(rule);
    // A sealed balance can be compared with all postings before the seal, or be used in their place.
    if (RECENT_CHECKS[rule] !== null) expect(recent).toEqual(whole);
  });

  it('has rules for what is new under the same names', () => {
    const names = LEDGER_CHECKS.map(({ name }) => name);
    expect(Object.keys(RECENT_CHECKS).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('has a breach above for every rule', () => {
    expect([...new Set(PLANTED.map(([, rule]) => rule))].sort()).toEqual(LEDGER_CHECKS.map(({ name }) => name).sort());
  });
});
