// PUT /payment-links/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { dataOf } from '../../support/expectations.ts';
import { change, open, read } from '../fixtures/links.fixture.ts';

describe('PUT /payment-links/{id}: 200', () => {
  it('replaces what is given, clears what is null, and leaves the rest', async () => {
    const id = await open({ description: 'Tea', requiredFields: ['EMAIL'], maxUses: 3 });
    const before = await read(id);
    const after = dataOf(await change(id, { description: null, enabled: false, optionalFields: ['NOTE'] }));
    expect(after).toEqual({
      ...before,
      ...{ description: null, enabled: false, optionalFields: ['NOTE'], updatedAt: after.updatedAt },
    });
    expect(Date.parse(after.updatedAt as string)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt as string));
    expect(await read(id)).toEqual(after);
  });

  it('of nothing changes nothing', async () => {
    const id = await open();
    const { updatedAt: _, ...before } = await read(id);
    expect(dataOf(await change(id, {}))).toMatchObject(before as object);
  });
});
