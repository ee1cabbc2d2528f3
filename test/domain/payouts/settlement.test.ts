// Rules of settlement on a real PostgreSQL: what they pay and when, over two observers, and under a policy.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { removeFromBook } from '../../../src/domain/payouts/address-book.ts';
import { deleteRule, listRules, saveRule, type RuleToSave } from '../../../src/domain/payouts/settlement-rules.ts';
import { createSettlements } from '../../../src/observe/run-settlements.ts';
import { assetOf } from '../../../src/values/assets.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, openChain, START, type DataChain, type Setup } from '../book.fixture.ts';
import * as book from './book.fixture.ts';
import { addColleague, book as addToBook, setPolicy, type Colleague } from './team.fixture.ts';

const ASSET = assetOf({ currency: 'USDT', network: 'ETH' });
const BANK = '0x4444444444444444444444444444444444444444';
const units = (usdt: number): bigint => BigInt(usdt * 1_000_000);
const time = (hours: number) => new Date(START.getTime() + hours * 3_600_000);
const LIMITS = { currency: 'USDT', network: 'ETH', perPayout: null, perDay: null, approvalAbove: null };

let setup: Setup;
let chain: DataChain;
let observers: readonly Deps[];
let owner: Colleague;
let admin: Colleague;
let shop: string;
let addressId: string;

beforeAll(async () => {
  setup = await createSetup();
  observers = [setup.deps, await setup.another()].map((deps) => book.withNetwork(deps, units(1)));
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  await setup.sql('update settlement_rule set enabled = false');
  chain = await openChain(setup);
  shop = await setup.merchant();
  const [deps] = observers;
  if (!deps) throw new Error('There is no observer');
  owner = await addColleague(setup, deps, shop, 'OWNER');
  admin = await addColleague(setup, deps, shop, 'ADMIN');
  addressId = await addToBook(owner, BANK);
  // 1,250.123456 are left of it after the fee.
  await receive(1_262_750_965n);
});
afterEach(async () => {
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});

async function receive(amount: bigint): Promise<void> {
  await book.deposit(chain, await setup.order(shop, { amount: String(amount) }), amount);
}

const RULE = { asset: ASSET, threshold: units(1_000), keep: units(200), enabled: true };
const DAILY = { ...RULE, schedule: 'DAILY', hour: START.getUTCHours(), day: null } as const;
const ON_THRESHOLD = { ...RULE, schedule: 'ON_THRESHOLD', hour: null, day: null } as const;

const save = async (rule: Omit<RuleToSave, 'addressId'>, by = owner): Promise<string> =>
  (await saveRule(by.deps, by, { ...rule, addressId }, null)).result.id;

/** Both observers go through all rules at the same moment. */
async function observe(): Promise<void> {
  await Promise.all(
    observers.map(async (deps) => {
      const { processNext } = createSettlements(deps);
      while (await processNext());
    }),
  );
}

interface Paid {
  readonly id: string;
  readonly amount: string;
  readonly reference: string;
  readonly status: string;
  readonly requested_by: string;
  readonly address_id: string;
}
const payouts = () =>
  setup.sql<Paid>(
    'select id, amount::text, reference, status, requested_by, address_id from payout where merchant_id = $1 order by reference',
    [shop],
  );
const amounts = async () => (await payouts()).map(({ amount }) => Number(amount) / 1e6);
const reasons = async () =>
  (
    await setup.sql<{ reason: string }>(
      'select skip_reason as reason from settlement_rule where merchant_id = $1 and skip_reason is not null',
      [shop],
    )
  ).map(({ reason }) => reason);
const skips = async () =>
  (await setup.sql(`select from event where merchant_id = $1 and type = 'settlement.skipped'`, [shop])).length;

describe('a rule with an hour', () => {
  it('pays what is available less what stays and the fee, once for its day over two observers', async () => {
    const id = await save(DAILY);
    for (let round = 0; round < 3; round += 1) await observe();
    const date = START.toISOString().slice(0, 10);
    expect(await payouts()).toEqual([
      {
        ...{ id: expect.stringMatching(/^wdr_/), amount: '1049123456', reference: `settle/${id}/${date}` },
        ...{ status: 'REQUESTED', requested_by: id, address_id: addressId },
      },
    ]);
    expect(await setup.balance(shop)).toMatchObject({ available: units(200), reserved: 1_050_123_456n });
    await receive(units(2_000));
    await observe();
    expect(await payouts()).toHaveLength(1);
    setup.setNow(time(24));
    await observe();
    expect(await amounts()).toEqual([1_049.123456, 1_979]);
  });

  it('looks once in its hour, and catches up with nothing', async () => {
    await save({ ...DAILY, threshold: units(1_300) });
    await observe();
    await receive(units(1_000));
    await observe();
    expect(await payouts()).toEqual([]);
    setup.setNow(time(24 + 1));
    await observe();
    expect(await payouts()).toEqual([]);
    setup.setNow(time(48));
    await observe();
    expect(await amounts()).toEqual([2_039.123456]);
    expect(await skips()).toBe(0);
  });

  it('pays once in a day however its hour is changed, and whatever a merchant had before', async () => {
    await save(DAILY);
    await observe();
    await receive(units(2_000));
    await save({ ...DAILY, schedule: 'WEEKLY', day: START.getUTCDay() || 7 });
    await observe();
    await save(DAILY);
    await observe();
    expect(await payouts()).toHaveLength(2);
    await receive(units(2_000));
    await observe();
    expect(await payouts()).toHaveLength(2);
  });
});

describe('a rule that waits for its threshold', () => {
  it('pays again when the last payout has ended, and a day after one that failed', async () => {
    const id = await save(ON_THRESHOLD);
    await observe();
    const [first] = await payouts();
    expect(first).toMatchObject({ reference: `settle/${id}/n1`, amount: '1049123456' });
    await receive(units(2_000));
    await observe();
    expect(await payouts()).toHaveLength(1);
    if (!first) throw new Error('Nothing was paid');
    await book.broadcast(setup.deps, first);
    await book.complete(setup.deps, first);
    await observe();
    const second = (await payouts())[1];
    expect(second).toMatchObject({ reference: `settle/${id}/n2`, amount: '1979000000' });
    if (!second) throw new Error('Nothing was paid');
    await book.fail(setup.deps, second);
    setup.setNow(time(23.9));
    await observe();
    expect(await payouts()).toHaveLength(2);
    setup.setNow(time(24));
    await observe();
    expect((await payouts())[2]).toMatchObject({ reference: `settle/${id}/n3`, amount: '1979000000' });
  });

  it('pays nothing where it is off, deleted, below its threshold or its address has to wait', async () => {
    await save({ ...ON_THRESHOLD, enabled: false });
    await observe();
    await save({ ...ON_THRESHOLD, threshold: units(1_251) });
    await observe();
    const id = await save(ON_THRESHOLD);
    await deleteRule(owner.deps, owner, id);
    await observe();
    addressId = await addToBook(owner, `0x${'5'.repeat(40)}`, 24 * 3_600_000);
    await save(ON_THRESHOLD);
    await observe();
    expect([await payouts(), await skips(), await reasons()]).toEqual([[], 0, []]);
    setup.setNow(time(24));
    await observe();
    expect(await payouts()).toHaveLength(1);
  });
});

describe('what would be refused', () => {
  it.each([
    ['less than the least amount', { keep: units(1_249.12) }, 'The least amount is 0.01 USDT'],
    ['nothing left', { keep: units(2_000) }, 'The least amount is 0.01 USDT'],
  ])('is skipped and told once: %s', async (_, rule, reason) => {
    await save({ ...ON_THRESHOLD, ...rule });
    for (let round = 0; round < 3; round += 1) await observe();
    expect([await payouts(), await skips(), await reasons()]).toEqual([[], 1, [reason]]);
    setup.setNow(time(24));
    await observe();
    expect(await skips()).toBe(2);
  });

  it('as well for an address that was removed, and for frozen payouts', async () => {
    await save(DAILY);
    await removeFromBook(owner.deps, owner, addressId);
    await observe();
    expect(await reasons()).toEqual(['This address was removed']);
    addressId = await addToBook(owner, BANK);
    await save(ON_THRESHOLD);
    await setup.sql(
      `insert into payout_freeze (id, merchant_id, reason, created_by, created_at) values ('frz_' || $1, $1, '', 'o', $2)`,
      [shop, START],
    );
    await observe();
    expect(await payouts()).toEqual([]);
    expect(await skips()).toBe(2);
  });

  it('as well for an asset that the policy does not list', async () => {
    await setPolicy(setup, owner, { listedOnly: true, limits: [] });
    await save(DAILY);
    await observe();
    expect(await payouts()).toEqual([]);
    expect(await reasons()).toEqual([expect.stringContaining('listedOnly')]);
  });
});

describe('under a policy', () => {
  it('a payout is cut to what may leave at once, and to the room of the day', async () => {
    await setPolicy(setup, owner, { limits: [{ ...LIMITS, perPayout: units(500), perDay: units(600) }] });
    await save(ON_THRESHOLD);
    await observe();
    const [first] = await payouts();
    if (!first) throw new Error('Nothing was paid');
    await book.broadcast(setup.deps, first);
    await book.complete(setup.deps, first);
    await save({ ...ON_THRESHOLD, threshold: 0n });
    await observe();
    expect(await amounts()).toEqual([500, 100]);
  });

  it('what is above a limit waits, and is not approved by the last editor of the rule', async () => {
    await setPolicy(setup, owner, { bookOnly: true, limits: [{ ...LIMITS, approvalAbove: units(1_000) }] });
    await save(DAILY, owner);
    await save(DAILY, admin);
    await observe();
    const [waiting] = await payouts();
    if (!waiting) throw new Error('Nothing was asked for');
    expect(waiting.status).toBe('AWAITING_APPROVAL');
    await expect(admin.approve(waiting.id)).rejects.toMatchObject({ errorName: 'SECOND_PERSON' });
    await deleteRule(admin.deps, admin, waiting.requested_by);
    await expect(admin.approve(waiting.id)).rejects.toMatchObject({ errorName: 'SECOND_PERSON' });
    await owner.approve(waiting.id);
    expect(await book.statusOf(setup, waiting)).toBe('REQUESTED');
  });
});

describe('a rule that is saved', () => {
  it('takes the place of the one of its asset, and goes to an address of the book', async () => {
    const id = await save(DAILY);
    expect(await save({ ...ON_THRESHOLD, keep: 0n })).toBe(id);
    expect(await listRules(owner.deps, shop)).toEqual([
      {
        ...{ id, currency: 'USDT', network: 'ETH', threshold: '1000', keep: '0', schedule: 'ON_THRESHOLD' },
        ...{ hour: null, day: null, enabled: true, address: expect.objectContaining({ address: BANK }) },
      },
    ]);
    const other = await addColleague(setup, owner.deps, await setup.merchant(), 'OWNER');
    await expect(save(DAILY, other)).rejects.toMatchObject({ errorName: 'NOT_FOUND' });
    await expect(deleteRule(other.deps, other, id)).rejects.toMatchObject({ errorName: 'NOT_FOUND' });
    await removeFromBook(owner.deps, owner, addressId);
    await expect(save(DAILY)).rejects.toMatchObject({ errorName: 'NOT_FOUND' });
  });
});
