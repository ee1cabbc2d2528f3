// POST /merchant/register: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { call, PASSWORD, registration } from '../post-merchant/post-merchant.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';
import { newEmail } from '../../support/clients.ts';

describe('POST /merchant/register: 400', () => {
  it('lists every missing field (2001)', async () => {
    for (const body of [{}, '']) {
      expectFaults(await call('POST', '/merchant/register', body), ['email', 'companyName', 'password']);
    }
  });

  it('lists every fault at once: of form, of type, and unknown fields (2001)', async () => {
    const body = { email: 'nobody', companyName: 7, password: 'short', isAdmin: true, permissions: ['WITHDRAW'] };
    const paths = ['email', 'companyName', 'password', 'isAdmin', 'permissions'];
    expectFaults(await call('POST', '/merchant/register', body), paths);
  });

  it.each([
    ['email', 'a@b'],
    ['email', 'a b@example.com'],
    ['email', 'a@@example.com'],
    ['email', `${'a'.repeat(65)}@example.com`],
    ['email', 'a@example.com\u0000'],
    ['email', null],
    ['companyName', '   '],
    ['companyName', 'x'.repeat(201)],
    ['companyName', 'NUL\u0000'],
    ['password', 'seven77'],
    ['password', 'x'.repeat(129)],
    ['password', 12_345_678],
  ])('%s may not be %j (2001)', async (field, value) => {
    expectFaults(await call('POST', '/merchant/register', registration({ [field]: value })), [field]);
  });

  it('an unpaired surrogate in a text is refused (2001)', async () => {
    const body = `{"email":"${newEmail()}","companyName":"half \\ud83d","password":"${PASSWORD}"}`;
    expectFaults(await call('POST', '/merchant/register', body), ['companyName']);
  });

  it('a field named __proto__ is an unknown field like any other (2001)', async () => {
    const body = JSON.stringify(registration()).replace('{', '{"__proto__":{"permissions":["WITHDRAW"]},');
    expectFaults(await call('POST', '/merchant/register', body), ['__proto__']);
  });

  it.each(['[]', 'null', '"text"', '7'])('a body that is %s and no object is refused (2001)', async (body) => {
    expectFaults(await call('POST', '/merchant/register', body), ['']);
  });

  it('an unknown query parameter is refused (2001)', async () => {
    expectFaults(await call('POST', '/merchant/register?force=1', registration()), ['force']);
  });
});
