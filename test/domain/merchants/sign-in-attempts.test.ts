// How many wrong passwords are allowed: by account and address, over processes and restarts, and without locking an
// owner out where they have signed in before.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import { addMerchant } from '../../../src/domain/people/register.ts';
import { openSession } from '../../../src/domain/people/sessions.ts';
import { createSignInAttempts, type SignInAttempts } from '../../../src/domain/merchants/sign-in-attempts.ts';
import { deriveSecrets } from '../../../src/values/secrets/keys.ts';
import { createSetup, minutesLater, START, type Setup } from '../book.fixture.ts';

const secrets = deriveSecrets('the secret of this test');
const OWNER = 'owner@example.com';
const HOME = '198.51.100.7';

let setup: Setup;
let one: SignInAttempts;
let other: SignInAttempts;

const start = (deps: Deps, byAddress = true, asksMail = false) =>
  createSignInAttempts({ ...deps, secrets }, { byAddress, asksMail });

beforeAll(async () => {
  setup = await createSetup();
  [one, other] = [start(setup.deps), start(await setup.another())];
});
beforeEach(async () => {
  setup.setNow(START);
  await setup.sql('truncate sign_in_failure, sign_in_address');
});
afterAll(() => setup.stop());

type Outcome = 'in' | '1005' | '9001';

async function outcomeOf(attempt: Promise<unknown>): Promise<Outcome> {
  try {
    await attempt;
    return 'in';
  } catch (error) {
    const { errorName } = error as { errorName: string };
    expect(['RATE_LIMITED', 'WRONG_CREDENTIALS']).toContain(errorName);
    return errorName === 'RATE_LIMITED' ? '9001' : '1005';
  }
}

const fail = (email: string, ip: string, by = one) => outcomeOf(by.attempt({ email, ip }, () => Promise.resolve(null)));
/** A sign-in, whose session remembers the address. */
async function enter(email: string, ip: string, by = one): Promise<Outcome> {
  const outcome = await outcomeOf(by.attempt({ email, ip }, () => Promise.resolve(1)));
  if (outcome === 'in') await by.rememberAddress({ email, ip });
  return outcome;
}
async function failTimes(times: number, email: string, ip: (nth: number) => string): Promise<Outcome[]> {
  const seen: Outcome[] = [];
  for (let nth = 0; nth < times; nth += 1) seen.push(await fail(email, ip(nth)));
  return seen;
}
const count = (seen: readonly Outcome[], what: Outcome) => seen.filter((outcome) => outcome === what).length;
const manyAddresses = (nth: number) => `203.0.${Math.floor(nth / 250)}.${nth % 250}`;

describe('ten wrong passwords for an account from an address', () => {
  it('are told apart from the eleventh, which waits for the rest of the 15 minutes, be it right or wrong', async () => {
    expect(count(await failTimes(10, OWNER, () => HOME), '1005')).toBe(10);
    expect([await fail(OWNER, HOME), await enter(OWNER, HOME)]).toEqual(['9001', '9001']);
    setup.setNow(minutesLater(14));
    const refused = one.attempt({ email: OWNER, ip: HOME }, () => Promise.resolve(1));
    await expect(refused).rejects.toMatchObject({ errorName: 'RATE_LIMITED', retryAfterSeconds: 60 });
    setup.setNow(minutesLater(15));
    expect(await enter(OWNER, HOME)).toBe('in');
  });

  it('are those of an IPv6 network of 64 bits together, and of an IPv4 address however it is written', async () => {
    expect(count(await failTimes(10, OWNER, (nth) => `2001:db8:1:2:${nth}::1`), '1005')).toBe(10);
    expect(await fail(OWNER, '2001:db8:1:2:ffff::1')).toBe('9001');
    expect(await fail(OWNER, '2001:db8:1:3::1')).toBe('1005');
    await failTimes(10, OWNER, (nth) => (nth % 2 === 0 ? '203.0.113.9' : '::ffff:203.0.113.9'));
    expect(await fail(OWNER, '::ffff:cb00:7109')).toBe('9001');
  });

  it('hold up nobody else there, and not the account elsewhere; the e-mail address counts in any case', async () => {
    await failTimes(10, OWNER, () => HOME);
    expect(await fail(OWNER.toUpperCase(), HOME)).toBe('9001');
    expect(await enter('neighbour@example.com', HOME)).toBe('in');
    expect(await enter(OWNER, '192.0.2.1')).toBe('in');
  });

  it('are ten over processes, through a restart, and however many come at once', async () => {
    await failTimes(5, OWNER, () => HOME);
    const seen = await Promise.all(
      Array.from({ length: 40 }, (_, nth) => fail(OWNER, HOME, nth % 2 === 0 ? one : other)),
    );
    expect(count(seen, '1005')).toBe(5);
    expect(await enter(OWNER, HOME, start(setup.deps))).toBe('9001');
  });

  it('do not hold up many right ones at once, and what is unfinished counts as wrong', async () => {
    const seen = await Promise.all(Array.from({ length: 30 }, () => enter(OWNER, HOME)));
    expect(count(seen, 'in')).toBe(30);
    const broken = () => one.attempt({ email: OWNER, ip: HOME }, () => Promise.reject(new Error('cut off')));
    for (let nth = 0; nth < 10; nth += 1) await expect(broken()).rejects.toThrow('cut off');
    expect(await enter(OWNER, HOME)).toBe('9001');
  });
});

describe('many addresses against one account', () => {
  it('get a hundred guesses, then ten in 15 minutes together, and the owner comes in from where they have been', async () => {
    expect(await enter(OWNER, HOME)).toBe('in');
    const seen = await failTimes(300, OWNER, manyAddresses);
    expect(count(seen, '1005')).toBe(110);
    expect(await enter(OWNER, '192.0.2.99')).toBe('9001');
    expect([await fail(OWNER, HOME), await enter(OWNER, HOME), await enter(OWNER, HOME, other)]).toEqual([
      ...['1005', 'in', 'in'],
    ]);
    setup.setNow(minutesLater(16));
    expect(count(await failTimes(50, OWNER, manyAddresses), '1005')).toBe(10);
    setup.setNow(minutesLater(24 * 60 + 1));
    expect(await enter(OWNER, '192.0.2.99')).toBe('in');
  });

  it('get no more of them by coming at once, over processes', async () => {
    const guesses = Array.from({ length: 300 }, (_, nth) =>
      fail(OWNER, manyAddresses(nth), nth % 2 === 0 ? one : other),
    );
    const taken = count(await Promise.all(guesses), '1005');
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThanOrEqual(110);
  });

  it('are told the same of an account that nobody has', async () => {
    const [known, unknown] = [
      await failTimes(130, OWNER, manyAddresses),
      await failTimes(130, 'nobody', manyAddresses),
    ];
    expect(unknown).toEqual(known);
  });

  it('are known for 90 days after the last sign-in', async () => {
    await enter(OWNER, HOME);
    setup.setNow(minutesLater(90 * 24 * 60 - 30));
    await failTimes(120, OWNER, manyAddresses);
    expect(await enter(OWNER, HOME)).toBe('in');
    setup.setNow(minutesLater(2 * 90 * 24 * 60));
    await failTimes(120, OWNER, manyAddresses);
    expect(await enter(OWNER, HOME)).toBe('9001');
  });
});

describe('an account that strangers attack before its owner has ever signed in', () => {
  it('is open to them where it was made, or where its operator said they would be', async () => {
    await one.rememberAddress({ email: OWNER.toUpperCase(), ip: '2001:db8:1:2::1' });
    await failTimes(120, OWNER, manyAddresses);
    expect([await enter(OWNER, '2001:db8:1:2:3::4'), await enter(OWNER, HOME)]).toEqual(['in', '9001']);
  });

  it('is open to them where they have a session since before addresses were known; not from one that has ended', async () => {
    const merchantId = await addMerchant(setup.deps, { email: OWNER, companyName: 'Shop', passwordHash: 'x' });
    const [person] = await setup.sql<{ id: string }>('select id from person where email = $1', [OWNER]);
    const who = { merchantId, keyId: null, personId: person?.id ?? '', requestId: 'r' };
    const session = { ttlSeconds: 3_600, byCookie: false, userAgent: null, factors: [], device: null };
    const open = async (ip: string) => (await openSession({ ...setup.deps, secrets }, { ...who, ip }, session)).id;
    await open(HOME);
    const ended = await open('198.51.100.8');
    await setup.sql('update owner_session set ended_at = $2 where id = $1', [ended, START]);
    await setup.sql('truncate sign_in_address');
    await failTimes(120, OWNER, manyAddresses);
    expect(await enter(OWNER, HOME)).toBe('9001');
    const upgraded = start(setup.deps);
    while (await upgraded.processNext());
    setup.setNow(minutesLater(16));
    await failTimes(120, OWNER, manyAddresses);
    expect([await enter(OWNER, HOME), await enter(OWNER, '198.51.100.8')]).toEqual(['in', '9001']);
  });
});

describe('one address against many accounts', () => {
  it('is held up after a hundred failures, but for those who have signed in from there', async () => {
    await enter(OWNER, HOME);
    expect(count(await failTimes(150, OWNER, () => HOME), '1005')).toBe(10);
    const seen: Outcome[] = [];
    for (let nth = 0; nth < 120; nth += 1) seen.push(await fail(`shop-${nth}@example.com`, HOME));
    expect(count(seen, '1005')).toBe(100);
    setup.setNow(minutesLater(15));
    for (let nth = 0; nth < 120; nth += 1) await fail(`more-${nth}@example.com`, HOME);
    expect([await enter(OWNER, HOME), await enter('another@example.com', HOME)]).toEqual(['in', '9001']);
  });

  it('is not where limits of credentials by address are switched off', async () => {
    const off = start(setup.deps, false);
    for (let nth = 0; nth < 120; nth += 1) expect(await fail(`shop-${nth}@example.com`, HOME, off)).toBe('1005');
  });
});

describe('what is kept', () => {
  const rows = async () => Number((await setup.sql<{ n: string }>('select count(*) n from sign_in_failure'))[0]?.n);

  it('tells no e-mail address, and is gone when it no longer counts', async () => {
    await failTimes(3, OWNER, () => HOME);
    await enter('neighbour@example.com', HOME);
    expect(JSON.stringify(await setup.sql('select * from sign_in_failure, sign_in_address'))).not.toContain('example');
    setup.setNow(minutesLater(24 * 60));
    while (await one.processNext());
    expect(await rows()).toBe(0);
  });

  it('is bounded: beyond, what failed least goes first, and an account under attack stays', async () => {
    await failTimes(120, OWNER, manyAddresses);
    await setup.sql(
      `insert into sign_in_failure select decode(md5(n::text), 'hex'), 1, $1 from generate_series(1, 130000) n`,
      [minutesLater(60)],
    );
    while (await one.processNext());
    expect(await rows()).toBe(100_000);
    expect(await fail(OWNER, '192.0.2.77')).toBe('9001');
  });

  it('is of fifty addresses for an account', async () => {
    for (let nth = 0; nth < 60; nth += 1) {
      setup.setNow(minutesLater(nth));
      await enter(OWNER, manyAddresses(nth));
    }
    expect(await setup.sql('select from sign_in_address')).toHaveLength(50);
    await failTimes(120, OWNER, (nth) => `100.64.1.${nth}`);
    expect([await enter(OWNER, manyAddresses(0)), await enter(OWNER, manyAddresses(59))]).toEqual(['9001', 'in']);
  });
});

describe('an account under attack, where mails leave', () => {
  const suspects = async (mailing: SignInAttempts, ip: string, more: object = {}) => {
    let isSuspect: boolean | null = null;
    await outcomeOf(
      mailing.attempt({ email: OWNER, ip, ...more }, (told) => {
        isSuspect = told;
        return Promise.resolve(1);
      }),
    );
    return isSuspect;
  };

  it('is closed to nobody: strangers are suspect for a day after the hundredth failure, others are not', async () => {
    const mailing = start(setup.deps, true, true);
    await enter(OWNER, HOME, mailing);
    for (let nth = 0; nth < 99; nth += 1) await fail(OWNER, manyAddresses(nth), mailing);
    setup.setNow(minutesLater(23 * 60));
    expect(await suspects(mailing, '192.0.2.1')).toBe(false);
    await fail(OWNER, '192.0.2.2', mailing);
    for (let nth = 200; nth < 240; nth += 1) expect(await fail(OWNER, manyAddresses(nth), mailing)).toBe('1005');
    const seen = [await suspects(mailing, '192.0.2.3'), await suspects(mailing, HOME)];
    expect([...seen, await suspects(mailing, '192.0.2.3', { own: 'ses_1' })]).toEqual([true, false, false]);
    setup.setNow(minutesLater(46 * 60));
    expect(await suspects(mailing, '192.0.2.3')).toBe(true);
    setup.setNow(minutesLater(47 * 60 + 1));
    expect(await suspects(mailing, '192.0.2.3')).toBe(false);
  });

  it('has strangers suspect from the hundred-and-first on, however many come at once', async () => {
    const mailing = start(setup.deps, true, true);
    const told = await Promise.all(Array.from({ length: 150 }, (_, nth) => guess(mailing, manyAddresses(nth))));
    expect(told.filter((isSuspect) => !isSuspect).length).toBeLessThanOrEqual(100);
  });

  async function guess(mailing: SignInAttempts, ip: string): Promise<boolean> {
    let isSuspect = false;
    const verify = (told: boolean) => {
      isSuspect = told;
      return Promise.resolve(null);
    };
    await outcomeOf(mailing.attempt({ email: OWNER, ip }, verify));
    return isSuspect;
  }

  it('leaves to each session and each known browser ten tries of their own', async () => {
    const own = { email: OWNER, ip: HOME, own: 'ses_1' };
    const wrong = () => outcomeOf(one.attempt(own, () => Promise.resolve(null)));
    for (let nth = 0; nth < 10; nth += 1) expect(await wrong()).toBe('1005');
    expect([await wrong(), await enter(OWNER, HOME)]).toEqual(['9001', 'in']);
    expect(await outcomeOf(one.attempt({ ...own, own: 'ses_2' }, () => Promise.resolve(1)))).toBe('in');
  });
});
