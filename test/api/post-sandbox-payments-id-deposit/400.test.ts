// POST /sandbox/payments/{id}/deposit: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { createFor, deposit, shop } from '../fixtures/sandbox.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('POST /sandbox/payments/{id}/deposit: 400', () => {
  it.each([
    [{ amount: 5 }, ['amount']],
    [{ amount: '0' }, ['amount']],
    [{ amount: '1.1234567' }, ['amount']],
    [{ confirmations: -2 }, ['confirmations']],
    [{ confirmations: 1_001 }, ['confirmations']],
    [{ confirmations: 1.5 }, ['confirmations']],
    [{ confirmations: '1' }, ['confirmations']],
    [{ address: '0x0', id: 'ord_1', paymentId: 'ord_1' }, ['address', 'id', 'paymentId']],
  ])('%j is refused (2001)', async (body, paths) => {
    expectFaults(await deposit(await createFor(shop), body), paths);
  });
});
