// POST /merchant/webhook/rotate-secret: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { rotate, shop } from '../fixtures/webhooks/calls.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('POST /merchant/webhook/rotate-secret: 400', () => {
  it.each([{ overlapHours: -1 }, { overlapHours: 169 }, { overlapHours: 1.5 }, { overlapHours: '24' }])(
    'for %j (2001)',
    async (fields) => {
      expectFaults(await rotate(shop, fields), ['overlapHours']);
    },
  );
});
