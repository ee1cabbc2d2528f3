// POST /wallet/batches: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { balanceOf, batch, BODY, fundedMerchant } from '../fixtures/wallet.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('POST /wallet/batches: 400', () => {
  it.each([
    [{ rows: [] }, 'rows'],
    [{ rows: Array.from({ length: 1_001 }, () => BODY) }, 'rows'],
    [{ rows: null }, 'rows'],
    [{ label: '' }, 'label'],
    [{ rows: [{ ...BODY, amount: 'max' }] }, 'rows.0.amount'],
    [{ rows: [{ ...BODY, amount: 1 }] }, 'rows.0.amount'],
    [{ rows: [BODY, { ...BODY, amount: '2', extra: 1 }] }, 'rows.1.extra'],
  ])('%j is refused at %s (2001)', async (fields, path) => {
    expectFaults(await batch(fields), [path]);
  });

  it('names each row with its fault, and the code that it would have had alone', async () => {
    const merchant = await fundedMerchant();
    const before = await balanceOf(merchant);
    const rows = [BODY, { ...BODY, address: 'nowhere' }, { ...BODY, currency: 'DOGE' }, BODY];
    const { error } = (await batch({ rows }, merchant)).body;
    expect(error).toMatchObject({
      code: '2001',
      details: [
        { path: 'rows.2.currency', code: '3001', message: expect.any(String) },
        { path: 'rows.1.address', code: '4002' },
        { path: 'rows.3.address', code: '2001' },
      ],
    });
    expect(await balanceOf(merchant)).toEqual(before);
  });
});
