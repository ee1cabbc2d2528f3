// POST /checkout/links/{id}: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { expectFaults, expectRefusal } from '../../support/expectations.ts';
import { open, openEnded, submit } from '../fixtures/links.fixture.ts';

describe('POST /checkout/links/{id}: 400', () => {
  it.each([
    [['amount'], { amount: '20' }],
    [['amount'], { amount: 'x' }],
    [['email'], { email: 'ann@customer.example' }],
    [['name', 'phone', 'address', 'note'], { name: 'a', phone: 'a', address: 'a', note: 'a' }],
    [['returnUrl'], { returnUrl: 'https://evil.example/' }],
    [['callbackUrl'], { callbackUrl: 'https://evil.example/' }],
    [['metadata'], { metadata: {} }],
    [['linkId'], { linkId: 'lnk_0' }],
  ])('at a fixed link without fields %j: %j (2001)', async (paths, fields) => {
    expectFaults(await submit(await open(), fields), paths);
  });

  it.each([
    [['amount', 'email'], {}],
    [['amount'], { amount: '4.99', email: 'ann@customer.example' }],
    [['amount'], { amount: '50.01', email: 'ann@customer.example' }],
    [['amount'], { amount: '5.001', email: 'ann@customer.example' }],
    [['email'], { amount: '5', email: 'ann' }],
    [['note'], { amount: '5', email: 'ann@customer.example', note: 'x'.repeat(501) }],
    [['name'], { amount: '5', email: 'ann@customer.example', name: 'x'.repeat(256) }],
  ])('at an open link with bounds and fields %j: %j (2001)', async (paths, fields) => {
    const link = { minAmount: '5', maxAmount: '50', requiredFields: ['EMAIL'], optionalFields: ['NAME', 'NOTE'] };
    expectFaults(await submit(await openEnded(link), fields), paths);
  });

  it('more than twelve digits before the point are 3003', async () => {
    expectRefusal(await submit(await openEnded(), { amount: '1000000000000' }), 400, '3003');
  });
});
