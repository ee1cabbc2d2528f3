// Batches of withdrawals on a real PostgreSQL: the payroll of the chapter, faults by row, what parallel batches leave,
// and decisions on a whole batch (contract-people-payouts, section D).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import type { IdempotencyKey } from '../../../src/domain/idempotency.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { rejectLapsed } from '../../../src/domain/payouts/approvals.ts';
import type { BatchRow } from '../../../src/domain/payouts/batch-rows.ts';
import { createBatch, findBatches, getBatch, type BatchView } from '../../../src/domain/payouts/batches.ts';
import { findWithdrawals } from '../../../src/domain/payouts/read-payouts.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, openChain, START, type DataChain, type Setup } from '../book.fixture.ts';
import { findWhole } from '../operator/operate.fixture.ts';
import * as book from './book.fixture.ts';
import { addColleague, book as addToBook, keyOf, setPolicy, type Colleague } from './team.fixture.ts';

const USDT = { currency: 'USDT', network: 'ETH' };
const FEE = 500_000n;
const LIMITS = { ...USDT, perPayout: null, perDay: null, approvalAbove: null };
const refusal = (errorName: string) => ({ errorName });
const time = (hours: number) => new Date(START.getTime() + hours * 3_600_000);
const addressOf = (nth: number) => `0x${(0x1000 + nth).toString(16).padStart(40, '1')}`;

let setup: Setup;
let chain: DataChain;
let deps: Deps;
let other: Deps;
let owner: Colleague;
let accountant: Colleague;
let shop: string;

beforeAll(async () => {
  setup = await createSetup();
  [deps, other] = [setup.deps, await setup.another()].map((one) => book.withNetwork(one, FEE)) as [Deps, Deps];
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  chain = await openChain(setup);
  shop = await setup.merchant();
  owner = await addColleague(setup, deps, shop, 'OWNER');
  accountant = await addColleague(setup, deps, shop, 'ACCOUNTANT');
});
afterEach(async () => {
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});

/** Gives the shop so many units of USDT, after the fee of one percent, which is rounded down. */
async function fund(units: bigint): Promise<void> {
  let paid = (units * 100n) / 99n - 2n;
  while (paid - paid / 100n < units) paid += 1n;
  await book.deposit(chain, await setup.order(shop, { amount: String(paid) }), paid);
  await findWhole(setup.deps);
  expect(await available()).toBe(units);
}

const available = async () => (await setup.balance(shop)).available;
const rowsOf = (count: number, fields: (nth: number) => Partial<BatchRow> = () => ({})): BatchRow[] =>
  Array.from({ length: count }, (_, nth) => ({ ...USDT, amount: '12.5', address: addressOf(nth), ...fields(nth) }));

interface Asked {
  readonly by?: Deps;
  readonly once?: IdempotencyKey;
  readonly allowDuplicates?: boolean;
}

async function make(rows: readonly BatchRow[], asked: Asked = {}): Promise<BatchView> {
  const { by = accountant.deps, once = null, allowDuplicates = false } = asked;
  return (await createBatch(by, shop, { label: null, allowDuplicates, rows }, once)).result;
}

const payoutsOf = (batch: Pick<BatchView, 'id'>) =>
  setup.sql<{ id: string; status: string }>(
    `select id, status from payout where batch_id = $1 order by split_part(reference, '/', 3)::int`,
    [batch.id],
  );
const keyNamed = (key: string): IdempotencyKey => ({
  ...{ scope: shop, operation: 'createPayoutBatch', key, inputDigest: Buffer.from(key) },
});

describe('a payroll', () => {
  it('of a thousand rows is reserved whole, and ends as its rows do', async () => {
    await fund(13_000_000_000n);
    const batch = await make(rowsOf(1_000), { once: keyNamed('november') });
    expect(batch).toMatchObject({ status: 'PROCESSING', rows: 1_000, completed: 0, failed: 0 });
    expect(await available()).toBe(0n);
    expect((await make(rowsOf(1_000), { once: keyNamed('november') })).id).toBe(batch.id);
    const rows = await payoutsOf(batch);
    expect(rows).toHaveLength(1_000);
    for (const row of rows.slice(0, 2)) await book.fail(deps, row);
    for (const row of rows.slice(2, 10)) await book.complete(deps, row);
    expect(await available()).toBe(26_000_000n);
    expect(await getBatch(deps, shop, batch.id)).toMatchObject({ status: 'PROCESSING', completed: 8, failed: 2 });
  }, 120_000);

  it('with one unit too little reserves nothing', async () => {
    await fund(26_000_000n - 1n);
    await expect(make(rowsOf(2))).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
    expect(await available()).toBe(26_000_000n - 1n);
    expect((await findBatches(deps, shop, { limit: 10, before: null })).nodes).toEqual([]);
  });

  it('is finished when all of its rows have ended', async () => {
    await fund(26_000_000n);
    const batch = await make(rowsOf(2));
    const [first, second] = await payoutsOf(batch);
    if (!first || !second) throw new Error('There are two rows');
    await book.complete(deps, first);
    await book.fail(deps, second);
    expect(await getBatch(deps, shop, batch.id)).toMatchObject({ status: 'FINISHED', completed: 1, failed: 1 });
    const listed = await findWithdrawals(
      deps,
      shop,
      { statuses: ['FAILED'], batchId: batch.id },
      { limit: 10, before: null },
    );
    expect(listed.nodes).toMatchObject([{ id: second.id, batchId: batch.id }]);
  });

  it('of many at once, over two processes, leaves the balance as far as whole batches go', async () => {
    await fund(13_000_000n * 5n);
    const through = await book.countThrough(
      12,
      (nth) => make(rowsOf(1), { by: { ...(nth % 2 === 0 ? deps : other), actor: accountant } }),
      'INSUFFICIENT_FUNDS',
    );
    expect(through).toBe(5);
    expect(await available()).toBe(0n);
  });
});

describe('the rows', () => {
  const faultsOf = async (rows: readonly BatchRow[], asked: Asked = {}) => {
    const error = await make(rows, asked).then(
      () => null,
      (thrown: unknown) => thrown as { errorName: string; details: { path: string; code: string }[] },
    );
    expect(error).toMatchObject(refusal('VALIDATION'));
    return error?.details.map(({ path, code }) => [path.replace('input.rows.', ''), code]);
  };

  it('are refused with every fault, by row and code', async () => {
    await fund(100_000_000n);
    await book.withdraw(accountant.deps, shop, '1', { merchantWithdrawalId: 'used' });
    const id = { merchantWithdrawalId: 'twice' };
    const rows = rowsOf(
      9,
      (nth) =>
        [
          { currency: 'DOGE' },
          { amount: '0.0000001' },
          { address: 'nowhere' },
          { address: null, addressId: 'adr_00000000000000000000000000000000' },
          { address: null },
          id,
          id,
          { amount: '7', address: addressOf(8) },
          { amount: '7' },
        ][nth] as Partial<BatchRow>,
    );
    expect(await faultsOf(rows)).toEqual([
      ...[
        ['0.currency', '3001'],
        ['1.amount', '2001'],
        ['2.address', '4002'],
        ['3.addressId', '2004'],
      ],
      ...[
        ['4.address', '2001'],
        ['6.merchantWithdrawalId', '4005'],
        ['8.address', '2001'],
      ],
    ]);
    expect(await faultsOf(rowsOf(2, () => ({ merchantWithdrawalId: 'used' })).slice(0, 1))).toEqual([
      ['0.merchantWithdrawalId', '4005'],
    ]);
    expect(await available()).toBe(100_000_000n - 1_500_000n);
  });

  it('may pay the same twice where that is said, but never under one id', async () => {
    await fund(26_000_000n);
    const same = rowsOf(2, () => ({ address: addressOf(0) }));
    expect(await faultsOf(same)).toEqual([['1.address', '2001']]);
    const withId = same.map((row) => ({ ...row, merchantWithdrawalId: 'one' }));
    expect(await faultsOf(withId, { allowDuplicates: true })).toEqual([['1.merchantWithdrawalId', '4005']]);
    expect(await make(same, { allowDuplicates: true })).toMatchObject({ rows: 2 });
  });

  it('are judged by the policy: each by its own limit, all together by that of a day', async () => {
    await fund(100_000_000n);
    await setPolicy(setup, owner, {
      bookOnly: true,
      limits: [{ ...LIMITS, perPayout: 20_000_000n, perDay: 30_000_000n }],
    });
    const addressId = await addToBook(owner, addressOf(0));
    const [known = { ...USDT, amount: '1' }, unknown = known] = rowsOf(2);
    expect(await faultsOf([{ ...known, amount: '21' }, unknown])).toEqual([
      ...[
        ['0.amount', '4007'],
        ['1.address', '4006'],
      ],
    ]);
    const paid = { ...USDT, address: null, addressId };
    await expect(
      make([
        { ...paid, amount: '16' },
        { ...paid, amount: '15' },
      ]),
    ).rejects.toMatchObject(refusal('OVER_LIMIT'));
    const batch = await make([
      { ...paid, amount: '16' },
      { ...paid, amount: '14' },
    ]);
    expect(await setup.sql('select distinct address_id from payout where batch_id = $1', [batch.id])).toEqual([
      { address_id: addressId },
    ]);
    await expect(make([{ ...paid, amount: '1' }])).rejects.toMatchObject(refusal('OVER_LIMIT'));
  });
});

describe('an approval', () => {
  beforeEach(async () => {
    await fund(100_000_000n);
    await addColleague(setup, deps, shop, 'ADMIN');
    await setPolicy(setup, owner, { limits: [{ ...LIMITS, perDay: 60_000_000n, approvalAbove: 20_000_000n }] });
  });

  it('is needed by all rows where one needs it, and given to all at once', async () => {
    const batch = await make(rowsOf(2));
    expect(batch.status).toBe('AWAITING_APPROVAL');
    const [row] = await payoutsOf(batch);
    if (!row) throw new Error('It has rows');
    await expect(accountant.approve(batch.id)).rejects.toMatchObject(refusal('SECOND_PERSON'));
    await owner.approve(row.id);
    expect((await payoutsOf(batch)).map(({ status }) => status)).toEqual(['REQUESTED', 'REQUESTED']);
    expect(await getBatch(deps, shop, batch.id)).toMatchObject({ status: 'PROCESSING' });
    await expect(owner.reject(batch.id)).rejects.toMatchObject(refusal('ALREADY_DECIDED'));
  });

  it('is judged anew without the batch itself, and against what was asked for since', async () => {
    const batch = await make(rowsOf(4));
    await setPolicy(setup, owner, { limits: [{ ...LIMITS, perDay: 50_000_000n, approvalAbove: 20_000_000n }] });
    await owner.approve(batch.id);
    const next = await keyOf(setup, accountant);
    await expect(make(rowsOf(1), { by: next })).rejects.toMatchObject(refusal('OVER_LIMIT'));
  });

  it('refused, or not given in time, releases all of it', async () => {
    const before = await available();
    const [one, two] = [await make(rowsOf(2)), await make(rowsOf(2))];
    await owner.reject(one.id, 'not this month');
    expect(await getBatch(deps, shop, one.id)).toMatchObject({ status: 'REJECTED', completed: 0, failed: 0 });
    setup.setNow(time(72));
    await rejectLapsed(deps);
    expect(await getBatch(deps, shop, two.id)).toMatchObject({ status: 'REJECTED' });
    expect(await available()).toBe(before);
  });

  it('and a rejection at once: the first of them counts, for all rows', async () => {
    const batch = await make(rowsOf(4));
    const outcomes = await Promise.allSettled([
      owner.approve(batch.id),
      owner.reject(batch.id),
      owner.approve(batch.id),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(new Set((await payoutsOf(batch)).map(({ status }) => status)).size).toBe(1);
  });
});
