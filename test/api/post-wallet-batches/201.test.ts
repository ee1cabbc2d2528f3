// POST /wallet/batches: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import { ADDRESS, balanceOf, BATCH_KEYS, batch, BODY, fundedMerchant, shop } from '../fixtures/wallet.fixture.ts';
import { dataOf, expectKeys, id, ISO } from '../../support/expectations.ts';

describe('POST /wallet/batches: 201', () => {
  it('answers the batch, and reserves all of its rows', async () => {
    const merchant = await fundedMerchant();
    const rows = ['1', '2.50'].map((amount) => ({ ...BODY, amount }));
    const made = dataOf(await batch({ label: 'Payroll', rows }, merchant), 201);
    expectKeys(made, BATCH_KEYS);
    expect(made).toEqual({
      ...{ id: expect.stringMatching(id('bat')), label: 'Payroll', status: 'PROCESSING', rows: 2 },
      ...{ completed: 0, failed: 0, createdAt: expect.stringMatching(ISO) },
    });
    expect(await balanceOf(merchant)).toMatchObject({ available: '95.5', reserved: '3.5' });
    const { items } = dataOf(await merchant.rest('GET', `/wallet/withdrawals?batchId=${String(made.id)}`));
    expect(items).toMatchObject([
      { amount: expect.any(String), address: ADDRESS, batchId: made.id, status: 'REQUESTED' },
      { batchId: made.id },
    ]);
  });

  it('answers the same again under one Idempotency-Key, and reserves once', async () => {
    const headers = { 'idempotency-key': 'payroll' };
    const first = await batch({}, shop, headers);
    const { available } = await balanceOf(shop);
    const again = await batch({}, shop, headers);
    expect(dataOf(again, 201)).toEqual(dataOf(first, 201));
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await balanceOf(shop)).toMatchObject({ available });
  });

  it('takes a thousand rows in a body of more than 100 KB', async () => {
    const merchant = await fundedMerchant();
    const rows = Array.from({ length: 1_000 }, (_, nth) => ({
      ...BODY,
      ...{ amount: '0.01', address: `0x${(0x1000 + nth).toString(16).padStart(40, '1')}` },
      merchantWithdrawalId: `payroll of November, person ${nth}`,
    }));
    expect(JSON.stringify(rows).length).toBeGreaterThan(150_000);
    expect(dataOf(await batch({ rows }, merchant), 201)).toMatchObject({ rows: 1_000 });
    expect(await balanceOf(merchant)).toMatchObject({ available: '89', reserved: '10' });
  });
});
