// GET /merchant/settings: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { DEFAULTS, PATH, shop } from '../fixtures/settings.fixture.ts';
import { dataOf, expectKeys } from '../../support/expectations.ts';

describe('GET /merchant/settings: 200', () => {
  it('answers every setting, with the defaults at first', async () => {
    const settings = dataOf(await shop.rest('GET', PATH));
    expectKeys(settings, Object.keys(DEFAULTS));
    expect(settings).toEqual(DEFAULTS);
  });
});
