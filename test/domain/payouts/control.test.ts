// Control of payouts on a real PostgreSQL: policies under parallel requests, approvals, and the lives of a team and of
// a stolen key (contract-people-payouts, section G).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { removeFromBook } from '../../../src/domain/payouts/address-book.ts';
import { listAwaiting, rejectLapsed } from '../../../src/domain/payouts/approvals.ts';
import { cancelChange, readPolicy, updatePolicy } from '../../../src/domain/payouts/policy.ts';
import { newId } from '../../../src/values/id.ts';
import { NO_RULES } from '../../../src/values/payouts/policy.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, openChain, START, type DataChain, type Order, type Setup } from '../book.fixture.ts';
import { findWhole } from '../operator/operate.fixture.ts';
import * as book from './book.fixture.ts';
import { addColleague, book as addToBook, keyOf, setPolicy, type Colleague } from './team.fixture.ts';

const USDT = { currency: 'USDT', network: 'ETH' };
const units = (usdt: number): bigint => BigInt(usdt) * 1_000_000n;
const LIMITS = { ...USDT, perPayout: units(1_000), perDay: units(2_500), approvalAbove: units(500) };
const refusal = (errorName: string) => ({ errorName });
const time = (hours: number) => new Date(START.getTime() + hours * 3_600_000);
const ELSEWHERE = '0x3333333333333333333333333333333333333333';

let setup: Setup;
let chain: DataChain;
let processes: readonly Deps[];
let owner: Colleague;
let admin: Colleague;
let accountant: Colleague;
let key: Deps;
let shop: string;
let order: Order;

beforeAll(async () => {
  setup = await createSetup();
  processes = [setup.deps, await setup.another()].map((deps) => book.withNetwork(deps, units(1)));
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  chain = await openChain(setup);
  shop = await setup.merchant();
  const [deps] = processes;
  if (!deps) throw new Error('There is no process');
  owner = await addColleague(setup, deps, shop, 'OWNER');
  admin = await addColleague(setup, deps, shop, 'ADMIN');
  accountant = await addColleague(setup, deps, shop, 'ACCOUNTANT');
  key = await keyOf(setup, admin);
  // 3,000 are left of it after the fee.
  order = await setup.order(shop, { amount: '3030303031' });
  await book.deposit(chain, order, 3_030_303_031n);
  await findWhole(setup.deps);
});
afterEach(async () => {
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});

const available = async () => (await setup.balance(shop)).available;
const statusOf = ({ id }: { id: string }) => book.statusOf(setup, { id });

describe('the life of a team', () => {
  it('goes as the contract says', async () => {
    await setPolicy(setup, owner, { limits: [LIMITS] });
    const begun = await available();
    expect((await book.withdraw(key, shop, '300')).status).toBe('REQUESTED');
    setup.setNow(time(1));
    expect((await book.withdraw(accountant.deps, shop, '150')).status).toBe('REQUESTED');
    setup.setNow(time(2));
    const waiting = await book.withdraw(key, shop, '100');
    expect(waiting.status).toBe('AWAITING_APPROVAL');
    await expect(admin.approve(waiting.id)).rejects.toMatchObject(refusal('SECOND_PERSON'));
    setup.setNow(time(2.5));
    await owner.approve(waiting.id);
    expect(await statusOf(waiting)).toBe('REQUESTED');
    setup.setNow(time(3));
    await expect(book.withdraw(key, shop, '1200')).rejects.toMatchObject({
      ...refusal('OVER_LIMIT'),
      message: 'perPayout of USDT on ETH is 1000 USDT; room: 1000 USDT',
    });
    setup.setNow(time(4));
    const asked = await Promise.allSettled([1, 2, 3].map(() => book.withdraw(accountant.deps, shop, '900')));
    const two = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(two.map(({ status }) => status)).toEqual(['AWAITING_APPROVAL', 'AWAITING_APPROVAL']);
    const [refused] = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    expect(refused).toMatchObject({
      ...refusal('OVER_LIMIT'),
      message: 'perDay of USDT on ETH is 2500 USDT; room: 150 USDT',
    });
    // 2,350 and five fees of 1 are reserved.
    expect(begun - (await available())).toBe(units(2_355));
    expect(await listAwaiting(setup.deps, shop)).toHaveLength(2);
    const [first, second] = two;
    if (!first || !second) throw new Error('Two wait');
    await owner.reject(first.id, 'twice');
    expect(begun - (await available())).toBe(units(2_355 - 901));
    setup.setNow(time(24.5));
    await expect(accountant.approve(second.id)).rejects.toMatchObject(refusal('SECOND_PERSON'));
    await owner.approve(second.id);
    expect(await statusOf(second)).toBe('REQUESTED');
    const { uses } = await readPolicy(setup.deps, shop);
    expect(uses).toEqual([{ total: units(1_150), unapproved: units(150) }]);
  });
});

describe('the life of a stolen key', () => {
  it('goes as the contract says', async () => {
    const bank = '0x4444444444444444444444444444444444444444';
    await setPolicy(setup, owner, {
      ...{ bookOnly: true, refundsNeedApproval: true },
      limits: [{ ...LIMITS, perPayout: null, perDay: units(1_000), approvalAbove: null }],
    });
    const addressId = await addToBook(owner, bank);
    const thief = await keyOf(setup, accountant);
    await expect(book.withdraw(thief, shop, '10', { address: ELSEWHERE })).rejects.toMatchObject(
      refusal('NOT_IN_BOOK'),
    );
    const begun = await available();
    const refund = await book.refund(thief, order, '80');
    expect(refund.status).toBe('AWAITING_APPROVAL');
    expect(begun - (await available())).toBe(units(81));
    await owner.reject(refund.id);
    expect(await available()).toBe(begun);
    expect(await statusOf(refund)).toBe('REJECTED');
    const { addressId: paid } = await book.withdraw(thief, shop, '600', { address: bank });
    expect(paid).toBe(addressId);
    await expect(book.withdraw(thief, shop, '500', { address: null, addressId })).rejects.toMatchObject({
      ...refusal('OVER_LIMIT'),
      message: expect.stringContaining('room: 400 USDT'),
    });
  });
});

describe('a limit of a day', () => {
  it('is never passed by a hundred payouts at once over two processes', async () => {
    await setPolicy(setup, owner, { limits: [{ ...LIMITS, perDay: units(100), approvalAbove: units(50) }] });
    const deps = (nth: number) => ({ ...key, ...processes[nth % 2], actor: key.actor }) as Deps;
    const ask = (nth: number) =>
      nth % 10 === 9 ? book.refund(deps(nth), order, '7') : book.withdraw(deps(nth), shop, '7');
    expect(await book.countThrough(100, ask, 'OVER_LIMIT')).toBe(14);
    const [row] = await setup.sql<{ sum: string; unapproved: string }>(
      `select sum(amount)::text, (sum(amount) filter (where status = 'REQUESTED'))::text as unapproved
       from payout where merchant_id = $1`,
      [shop],
    );
    expect(row).toEqual({ sum: String(units(98)), unapproved: String(units(49)) });
  });

  it('counts what failed or was rejected no longer, and what is approved from then on', async () => {
    await setPolicy(setup, owner, { limits: [{ ...LIMITS, perDay: units(1_000), approvalAbove: units(500) }] });
    const [first, second] = [await book.withdraw(key, shop, '400'), await book.withdraw(key, shop, '600')];
    await expect(book.withdraw(key, shop, '1')).rejects.toMatchObject(refusal('OVER_LIMIT'));
    await book.fail(setup.deps, first);
    setup.setNow(time(20));
    await owner.approve(second.id);
    setup.setNow(time(43));
    await expect(book.withdraw(key, shop, '401')).rejects.toMatchObject(refusal('OVER_LIMIT'));
    setup.setNow(time(45));
    expect((await book.withdraw(key, shop, '500')).status).toBe('REQUESTED');
  });

  it('is judged again at the approval, by the policy of then', async () => {
    await setPolicy(setup, owner, { limits: [LIMITS] });
    const waiting = await book.withdraw(key, shop, '900');
    await setPolicy(setup, owner, { limits: [{ ...LIMITS, perDay: units(899) }] });
    await expect(owner.approve(waiting.id)).rejects.toMatchObject(refusal('OVER_LIMIT'));
    await setPolicy(setup, owner, { limits: [LIMITS], bookOnly: true });
    await expect(owner.approve(waiting.id)).rejects.toMatchObject(refusal('NOT_IN_BOOK'));
    expect(await statusOf(waiting)).toBe('AWAITING_APPROVAL');
  });
});

describe('a decision', () => {
  beforeEach(() => setPolicy(setup, owner, { limits: [LIMITS], refundsNeedApproval: true }));

  it('is made once, whoever decides at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const waiting = await book.withdraw(accountant.deps, shop, '501');
      const decisions = await Promise.allSettled([
        ...[owner.approve(waiting.id), admin.approve(waiting.id), owner.reject(waiting.id)],
        ...[accountant.reject(waiting.id), owner.approve(waiting.id)],
      ]);
      const lost = decisions.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
      expect(lost).toHaveLength(4);
      for (const error of lost) expect(error).toMatchObject(refusal('ALREADY_DECIDED'));
      await book.fail(setup.deps, waiting);
    }
  });

  it('is not for those who have to wait, or may not decide', async () => {
    const waiting = await book.withdraw(accountant.deps, shop, '501');
    const fresh = await addColleague(setup, owner.deps, shop, 'ADMIN', { approvesFrom: time(24) });
    await expect(fresh.approve(waiting.id)).rejects.toMatchObject(refusal('HELD'));
    await expect(fresh.reject(waiting.id)).rejects.toMatchObject(refusal('HELD'));
    const viewer = await addColleague(setup, owner.deps, shop, 'VIEWER');
    await expect(viewer.approve(waiting.id)).rejects.toMatchObject(refusal('MISSING_PERMISSION'));
    await expect(viewer.reject(waiting.id)).rejects.toMatchObject(refusal('MISSING_PERMISSION'));
    await setup.sql('update person set held_until = $2 where id = $1', [admin.personId, time(1)]);
    await expect(admin.approve(waiting.id)).rejects.toMatchObject(refusal('HELD'));
    const other = await addColleague(setup, owner.deps, await setup.merchant(), 'OWNER');
    await expect(other.approve(waiting.id)).rejects.toMatchObject(refusal('NOT_FOUND'));
    await accountant.reject(waiting.id);
    expect(await statusOf(waiting)).toBe('REJECTED');
  });

  it('is a rejection once the time for it has run out', async () => {
    const begun = await available();
    const waiting = await book.withdraw(key, shop, '501');
    setup.setNow(time(71.9));
    await rejectLapsed(setup.deps);
    expect(await statusOf(waiting)).toBe('AWAITING_APPROVAL');
    setup.setNow(time(72));
    await expect(owner.approve(waiting.id)).rejects.toMatchObject(refusal('ALREADY_DECIDED'));
    await Promise.all(processes.map((deps) => rejectLapsed(deps)));
    expect(await statusOf(waiting)).toBe('REJECTED');
    expect(await available()).toBe(begun);
  });

  it('releases nothing while the book may lack that it was approved and paid', async () => {
    const waiting = await book.withdraw(key, shop, '501');
    await setup.sql(`insert into signing_halt (network, findings, halted_at) values ('ETH', '[]', now())`);
    setup.setNow(time(73));
    await rejectLapsed(setup.deps);
    await expect(owner.reject(waiting.id)).rejects.toMatchObject(refusal('NETWORK_UNAVAILABLE'));
    expect(await statusOf(waiting)).toBe('AWAITING_APPROVAL');
    await setup.sql('delete from signing_halt');
    await owner.reject(waiting.id);
  });

  it('comes too late for a refund whose deposit was lost', async () => {
    const refund = await book.refund(key, order, '10');
    expect(refund.status).toBe('AWAITING_APPROVAL');
    await book.loseForGood(chain);
    expect(await statusOf(refund)).toBe('FAILED');
    await expect(owner.approve(refund.id)).rejects.toMatchObject(refusal('ALREADY_DECIDED'));
  });

  it('to reject frees what is refundable', async () => {
    await setPolicy(setup, owner, { limits: [] });
    const refund = await book.refund(key, order, '2990');
    await expect(book.refund(key, order, '41')).rejects.toMatchObject(refusal('NOT_REFUNDABLE'));
    await owner.reject(refund.id);
    expect((await book.refund(key, order, '1')).status).toBe('AWAITING_APPROVAL');
  });
});

describe('the policy', () => {
  const update = (by: Colleague, change: object, hold = 0) =>
    updatePolicy({ ...by.deps, payoutHoldMs: hold }, by, { version: 0, ...change });

  it('is changed from its newest version, by one of many at once', async () => {
    const changes = Array.from({ length: 10 }, () => update(owner, { bookOnly: true }));
    const settled = await Promise.allSettled(changes);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(update(owner, { bookOnly: true })).rejects.toMatchObject(refusal('ALREADY_DECIDED'));
    expect(await readPolicy(setup.deps, shop)).toMatchObject({ version: 1, inForce: { ...NO_RULES, bookOnly: true } });
  });

  it('that is loosened waits, is not loosened by somebody who is held, and can be kept as it is', async () => {
    await update(owner, { bookOnly: true });
    await setup.sql('update person set held_until = $2 where id = $1', [owner.personId, time(1)]);
    const looser = { version: 1, bookOnly: false };
    await expect(update(owner, looser, 3_600_000)).rejects.toMatchObject(refusal('HELD'));
    setup.setNow(time(2));
    const changed = await update(owner, looser, 3_600_000);
    expect(changed).toMatchObject({ inForce: { bookOnly: true }, pending: { bookOnly: false }, pendingFrom: time(3) });
    await expect(book.withdraw(key, shop, '1')).rejects.toMatchObject(refusal('NOT_IN_BOOK'));
    expect(await cancelChange(setup.deps, owner)).toMatchObject({ version: 3, pending: null });
    setup.setNow(time(4));
    await expect(book.withdraw(key, shop, '1')).rejects.toMatchObject(refusal('NOT_IN_BOOK'));
  });

  it('asks for approvals only where two may give them', async () => {
    await setup.sql('delete from membership where merchant_id = $1 and person_id <> $2', [shop, owner.personId]);
    for (const change of [{ refundsNeedApproval: true }, { limits: [LIMITS] }])
      await expect(update(owner, change)).rejects.toMatchObject(refusal('SECOND_PERSON'));
    await update(owner, { limits: [{ ...LIMITS, approvalAbove: null }] });
  });

  it('holds for programs of before, which do not know it', async () => {
    const store = () =>
      setup.sql(
        `insert into payout (id, kind, merchant_id, currency, network, amount, network_fee, address, status, created_at, updated_at)
         values ($1, 'WITHDRAWAL', $2, 'USDT', 'ETH', 1, 0, '', 'REQUESTED', $3, $3)`,
        [newId('wdr'), shop, time(0)],
      );
    await store();
    await update(owner, { bookOnly: true });
    await expect(store()).rejects.toThrow('This program does not ask the policy of payouts');
    await setup.sql('delete from payout where merchant_id = $1', [shop]); // its money was never reserved
  });

  it('asks people for a second factor, those who set it up first', async () => {
    const change = { requireSecondFactor: true };
    await expect(update(owner, change)).rejects.toMatchObject(refusal('FACTOR_NEEDED'));
    await setup.sql(
      `insert into factor (id, person_id, kind, label, created_at, credential_id, public_key, counter)
       values ($1, $1, 'PASSKEY', '', $2, $1, '', 0)`,
      [owner.personId, time(0)],
    );
    await update(owner, change);
    await expect(book.withdraw(accountant.deps, shop, '1')).rejects.toMatchObject(refusal('FACTOR_NEEDED'));
    expect((await book.withdraw(key, shop, '1')).status).toBe('REQUESTED');
    expect((await book.withdraw(owner.deps, shop, '1')).status).toBe('REQUESTED');
  });
});

describe('the book of addresses', () => {
  it('lets payouts go to an address after the hold, until it is removed', async () => {
    await setPolicy(setup, owner, { bookOnly: true });
    const id = await addToBook(owner, ELSEWHERE, 3_600_000);
    const there = { address: null, addressId: id };
    await expect(book.withdraw(key, shop, '1', there)).rejects.toMatchObject(refusal('NOT_IN_BOOK'));
    setup.setNow(time(1));
    expect(await book.withdraw(key, shop, '1', there)).toMatchObject({ addressId: id, address: ELSEWHERE });
    await removeFromBook(setup.deps, owner, id);
    for (const to of [there, { address: ELSEWHERE }])
      await expect(book.withdraw(key, shop, '1', to)).rejects.toMatchObject(refusal('NOT_IN_BOOK'));
    const again = await addToBook(owner, ELSEWHERE, 3_600_000);
    await expect(book.withdraw(key, shop, '1', { address: null, addressId: again })).rejects.toMatchObject(
      refusal('NOT_IN_BOOK'),
    );
  });

  it('has an address once, and those of others not at all', async () => {
    const id = await addToBook(owner, ELSEWHERE);
    await expect(addToBook(owner, ELSEWHERE)).rejects.toMatchObject(refusal('VALIDATION'));
    await expect(addToBook(owner, 'rubbish')).rejects.toMatchObject(refusal('BAD_ADDRESS'));
    const other = await addColleague(setup, owner.deps, await setup.merchant(), 'OWNER');
    await expect(removeFromBook(setup.deps, other, id)).rejects.toMatchObject(refusal('NOT_FOUND'));
    const to = { address: null, addressId: await addToBook(other, ELSEWHERE) };
    await expect(book.withdraw(key, shop, '1', to)).rejects.toMatchObject(refusal('NOT_FOUND'));
  });

  it('gets no address from somebody who is held', async () => {
    await setup.sql('update person set held_until = $2 where id = $1', [owner.personId, time(1)]);
    await expect(addToBook(owner, ELSEWHERE)).rejects.toMatchObject(refusal('HELD'));
  });
});
