// Programs of before there were people go on beside this one during an upgrade: what they write is brought over.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addMerchant } from '../../src/domain/people/register.ts';
import { findByEmail, resetPassword } from '../../src/domain/people/passwords.ts';
import { homeOf } from '../../src/domain/people/person.ts';
import { newId } from '../../src/values/id.ts';
import { createSetup, START, type Setup } from '../domain/book.fixture.ts';

let setup: Setup;
beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());

/** What a program of before does at a registration. */
async function register(email: string, hash = 'hash'): Promise<string> {
  const id = newId('mer');
  await setup.sql(
    `insert into merchant (id, email, company_name, password_hash, webhook_secret, created_at)
     values ($1, $2, 'Shop', $3, '', $4)`,
    [id, email, hash, START],
  );
  return id;
}

describe('a program of before', () => {
  it('registers a merchant with an owner', async () => {
    const merchantId = await register('one@shop.example');
    const person = await findByEmail(setup.deps, 'One@shop.example');
    expect(person).toMatchObject({ personId: `usr_${merchantId.slice(4)}`, passwordHash: 'hash' });
    expect(await homeOf(setup.deps, person?.personId ?? '')).toBe(merchantId);
  });

  it('cannot take the address of somebody who is there', async () => {
    const account = { email: 'two@shop.example', companyName: 'Shop', passwordHash: 'mine' };
    const merchantId = await addMerchant(setup.deps, account);
    await expect(register('two@shop.example', 'theirs')).rejects.toThrow('person_email_key');
    const person = await findByEmail(setup.deps, 'two@shop.example');
    expect(person?.passwordHash).toBe('mine');
    expect(await homeOf(setup.deps, person?.personId ?? '')).toBe(merchantId);
  });

  it('changes a password, and sees one that this program changed', async () => {
    const id = await register('three@shop.example');
    await setup.sql(`update merchant set password_hash = 'second' where id = $1`, [id]);
    const person = await findByEmail(setup.deps, 'three@shop.example');
    expect(person?.passwordHash).toBe('second');
    await resetPassword(setup.deps, person?.personId ?? '', 'third');
    expect(await setup.sql('select password_hash from merchant where id = $1', [id])).toEqual([
      { password_hash: 'third' },
    ]);
    expect((await findByEmail(setup.deps, 'three@shop.example'))?.passwordHash).toBe('third');
  });

  it('opens a session, which is its owner’s', async () => {
    const merchantId = await register('four@shop.example');
    const id = newId('ses');
    await setup.sql(
      `insert into owner_session (id, merchant_id, created_at, expires_at, ip) values ($1, $2, $3, $3, '::1')`,
      [id, merchantId, START],
    );
    expect(await setup.sql('select person_id from owner_session where id = $1', [id])).toEqual([
      { person_id: `usr_${merchantId.slice(4)}` },
    ]);
  });
});
