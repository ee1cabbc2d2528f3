// POST /payments: the calls that are answered with 409.

import { describe, expect, it } from '@jest/globals';
import { countPayments, withKey } from './post-payments.fixture.ts';
import { expectRefusal } from '../../support/expectations.ts';

describe('POST /payments: 409', () => {
  describe('Idempotency-Key', () => {
    it('of many at once with the same key one payment comes; the others repeat it or are told to wait (2003)', async () => {
      const before = await countPayments();
      const answers = await Promise.all(Array.from({ length: 20 }, () => withKey('order 5')));
      const created = answers.filter(({ status }) => status === 201);
      expect(created.length).toBeGreaterThan(0);
      expect(new Set(created.map((answer) => answer.body.data.orderId)).size).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 409, '2003');
      expect(await countPayments()).toBe(before + 1);
    });
  });
});
