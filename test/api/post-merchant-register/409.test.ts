// POST /merchant/register: the calls that are answered with 409.

import { describe, expect, it } from '@jest/globals';
import { call, registration } from '../post-merchant/post-merchant.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('POST /merchant/register: 409', () => {
  it('an address is registered once, in whatever case (2009)', async () => {
    const first = registration();
    dataOf(await call('POST', '/merchant/register', first), 201);
    const again = { ...first, email: first.email.toUpperCase() };
    expectRefusal(await call('POST', '/merchant/register', again), 409, '2009');
  });

  it('of registrations of one address at once exactly one succeeds', async () => {
    const body = registration();
    const answers = await Promise.all(Array.from({ length: 6 }, () => call('POST', '/merchant/register', body)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 409, '2009');
  });
});
