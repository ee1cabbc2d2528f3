// What operators are mailed: stuck payouts, what is found in suspense, and actions that wait for them; never a flood.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { bookDifference } from '../../../src/domain/ledger/suspense.ts';
import { requestAction, type ActionRules } from '../../../src/domain/operator/actions.ts';
import { tellStuckPayouts } from '../../../src/domain/operator/notices.ts';
import { newId } from '../../../src/values/id.ts';
import { minutesLater } from '../book.fixture.ts';
import { chain, deps, order, setup, shop } from '../own-book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { findWhole, operatorOf } from './operate.fixture.ts';

const sending = () => ({ ...deps, sendsMail: true });
/** Makes somebody, in the language of their choice; returns their id. */
async function person(email: string, { isOperator = true, isConfirmed = true, locale = 'de' } = {}): Promise<string> {
  const id = newId('usr');
  await setup.sql(
    `insert into person (id, email, email_verified_at, name, locale, is_operator, created_at)
     values ($1, $2, case when $4 then now() end, '', $5, $3, now())`,
    [id, email, isOperator, isConfirmed, locale],
  );
  return id;
}
const mails = (template: string) =>
  setup.sql<{ to: string; params: Record<string, string>; locale: string }>(
    'select recipient as "to", params, locale from mail where template = $1 order by created_at, params::text, recipient',
    [template],
  );
const tell = (its = sending()) => tellStuckPayouts(its, 60);

let ada: string;
beforeEach(async () => {
  ada = await person('ada@gateway.example');
  await person('member@shop.example', { isOperator: false });
  await book.deposit(chain, order, 1_000_000n);
});

describe('a payout that is stuck', () => {
  it('is told to every operator in their language, once a day while it lasts, by two observers as by one', async () => {
    await person('ben@gateway.example', { locale: 'fr' });
    const { id } = await book.withdraw(deps, shop, '0.1');
    setup.setNow(minutesLater(59));
    await tell();
    expect(await mails('PAYOUT_STUCK')).toEqual([]);
    setup.setNow(minutesLater(61));
    const other = { ...(await setup.another()), sendsMail: true };
    await Promise.all([tell(), tell(other), tell(), tell(other)]);
    const params = { id, amount: '0.1 USDT', network: 'ETH', since: '2026-01-01 12:00 UTC', count: '1' };
    expect(await mails('PAYOUT_STUCK')).toEqual([
      { to: 'ada@gateway.example', locale: 'de', params },
      { to: 'ben@gateway.example', locale: 'fr', params },
    ]);
    setup.setNow(minutesLater(24 * 60));
    await tell();
    expect(await mails('PAYOUT_STUCK')).toHaveLength(4);
    await book.complete(deps, { id });
    setup.setNow(minutesLater(48 * 60));
    await tell();
    expect(await mails('PAYOUT_STUCK')).toHaveLength(4);
  });

  it('is one of the five that wait longest; an outage of a network is no flood', async () => {
    const first = await book.withdraw(deps, shop, '0.01');
    setup.setNow(minutesLater(1));
    for (let nth = 0; nth < 11; nth += 1) await book.withdraw(deps, shop, '0.01');
    setup.setNow(minutesLater(90));
    await tell();
    await tell();
    const told = await mails('PAYOUT_STUCK');
    expect(told).toHaveLength(5);
    expect(told.map(({ params }) => params['id'])).toContain(first.id);
    expect(new Set(told.map(({ params }) => params['count']))).toEqual(new Set(['12']));
  });

  it('is told to nobody where no mails leave, or nobody is an operator', async () => {
    await book.withdraw(deps, shop, '0.1');
    setup.setNow(minutesLater(90));
    await tellStuckPayouts(deps, 60);
    await setup.sql('update person set is_operator = false where id = $1', [ada]);
    await tell();
    expect(await mails('PAYOUT_STUCK')).toEqual([]);
  });

  it('a stranger’s address that was never confirmed gets ten mails a day at most', async () => {
    await setup.sql('update person set email_verified_at = null where id = $1', [ada]);
    await setup.sql(
      `insert into mail (id, template, recipient, locale, params, created_at, due_at)
       select $1 || n, 'NEW_DEVICE', 'ada@gateway.example', 'en', '{}', now(), now() from generate_series(1, 9) n`,
      [`${newId('eml', setup.deps.clock.now().getTime() + 60_000)}`],
    );
    for (let nth = 0; nth < 3; nth += 1) await book.withdraw(deps, shop, '0.01');
    setup.setNow(minutesLater(90));
    await tell();
    expect(await mails('PAYOUT_STUCK')).toHaveLength(1);
  });
});

/** The reconciler finds this much more on the chain than in the book. */
async function find(difference: bigint, its = sending()): Promise<void> {
  const [row] = await setup.sql<{ balance: string }>(
    `select balance::text from ledger_account where owner = 'gateway' and purpose = 'custody' and currency = 'USDT'`,
  );
  const balance = BigInt(row?.balance ?? 0);
  const found = { network: 'ETH', currency: 'USDT', book: -balance, chain: difference - balance, difference, balance };
  expect(await bookDifference(its, { ...found, at: chain.tip })).toBe(true);
}

describe('suspense', () => {
  it('that is found is told in the transaction that books it: each shortfall, of surpluses one a day', async () => {
    await find(5_000_000n);
    await find(1n);
    await find(-1_000_000n);
    await find(-2_000_000n);
    // The second surplus of the day is not, and hides no shortfall.
    expect((await mails('SUSPENSE_FOUND')).map(({ params }) => params)).toEqual([
      { network: 'ETH', amount: '-1 USDT' },
      { network: 'ETH', amount: '-2 USDT' },
      { network: 'ETH', amount: '5 USDT' },
    ]);
    setup.setNow(minutesLater(24 * 60));
    await find(3_000_000n);
    await find(4_000_000n, { ...deps, sendsMail: false });
    expect(await mails('SUSPENSE_FOUND')).toHaveLength(4);
  });
});

describe('an action', () => {
  const rules: ActionRules = {
    approvalAbove: { listed: new Map(), others: 0n },
    coldPlaceOf: () => Promise.reject(new Error('no fees leave here')),
  };

  it('that waits is told to the other operators, with who asked for what and why', async () => {
    await findWhole(deps);
    await person('ben@gateway.example');
    const { id } = await book.withdraw(deps, shop, '0.1');
    const request = { kind: 'FAIL_PAYOUT', id, reason: 'his wish' } as const;
    await requestAction(operatorOf(sending(), ada), rules, request);
    const params = { by: 'ada@gateway.example', action: 'FAIL_PAYOUT', amount: '0.1 USDT (ETH)', reason: 'his wish' };
    expect(await mails('ACTION_PENDING')).toEqual([{ to: 'ben@gateway.example', locale: 'de', params }]);
    // A name of the command line is no person's.
    await requestAction(operatorOf(sending(), 'Cy'), rules, request);
    expect((await mails('ACTION_PENDING')).map(({ to, params: { by } }) => [by, to])).toEqual([
      ['Cy', 'ada@gateway.example'],
      ['Cy', 'ben@gateway.example'],
      ['ada@gateway.example', 'ben@gateway.example'],
    ]);
  });

  it('that waits does not fill the mailboxes of the others, however often it is asked for', async () => {
    await findWhole(deps);
    await person('ben@gateway.example');
    const { id } = await book.withdraw(deps, shop, '0.1');
    for (let nth = 0; nth < 15; nth += 1)
      await requestAction(operatorOf(sending(), ada), rules, { kind: 'FAIL_PAYOUT', id, reason: String(nth) });
    expect(await mails('ACTION_PENDING')).toHaveLength(10);
  });
});
