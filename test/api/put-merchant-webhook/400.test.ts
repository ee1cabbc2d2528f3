// PUT /merchant/webhook: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { configure, gateway, receiverUrl } from '../fixtures/webhooks/webhooks.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('PUT /merchant/webhook: 400', () => {
  it('the first time a URL is required (2001)', async () => {
    expectFaults(await configure({ enabled: true }, await newMerchant(gateway)), ['url']);
  });

  it.each([
    ['url', 'example.com/hook'],
    ['url', 'ftp://example.com/'],
    ['url', 'https://user:secret@example.com/'],
    ['url', 'https://example.com/\u0000'],
    ['url', 7],
    ['url', null],
    ['enabled', 'true'],
    ['enabled', null],
    ['secret', 'whsec_mine'],
    ['events', ['payment.succeeded']],
  ])('%s may not be %j (2001)', async (field, value) => {
    expectFaults(await configure({ url: receiverUrl, [field]: value }), [field]);
  });
});
