// Idempotency on every row that creates something: another input is 2002, the same input gets the first answer again.

import { describe, expect, it } from '@jest/globals';
import { rest, type Answer, type Json } from '../../support/clients.ts';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';
import { bodyOf, call, gateway, mine, named, ROWS, shop, type Row } from './every-endpoint.fixture.ts';

const CREATING = ROWS.filter(({ idempotent }) => idempotent);

/** Another valid input for the same operation. Registrations keep their e-mail, because keys belong to it. */
const CHANGED: Readonly<Record<string, object>> = {
  'POST /merchant/register': { companyName: 'Another' },
  'POST /merchant': { companyName: 'Another' },
  'POST /payments': { amount: '26' },
  'POST /invoices': { amount: '50' },
  'POST /payment-links': { amount: '50' },
  'POST /checkout/links/:id': { amount: '50' },
  'POST /wallet/withdraw': { amount: '0.25' },
  'POST /wallet/batches': { label: 'Another' },
  'POST /payments/:id/refund': { amount: '0.25' },
  'POST /merchant/api-keys': { name: 'Another' },
  'POST /webhooks': { description: 'Another' },
  'POST /merchant/webhook/rotate-secret': { overlapHours: 1 },
  'POST /webhooks/test': { url: 'http://127.0.0.1:1024/another' },
  'POST /webhooks/resend': { event_id: 'evt_another' },
};

const withKey = (row: Row, body: Json, key = row.name): Promise<Answer> =>
  call(row, shop, { body, headers: { 'idempotency-key': key } });

/** The answer's data without the fields that are shown only once. */
const withoutSecrets = (data: Json): Json =>
  JSON.parse(JSON.stringify(data), (name, value: unknown) => (name === 'secret' || name === 'key' ? null : value));

describe('Idempotency-Key', () => {
  it('is honoured on these', () => {
    expect(CREATING.map(({ name }) => name).sort()).toEqual(Object.keys(CHANGED).sort());
  });

  it.each(named(CREATING))('%s: the same input again has the first answer again, without secrets', async (_, row) => {
    const body = bodyOf(row, shop, mine) ?? {};
    // A failed call stores no answer under its key.
    expectFaults(await withKey(row, { ...body, unknown: 1 }), ['unknown']);
    const first = await withKey(row, body);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const again = await withKey(row, body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(dataOf(again, row.status)).toEqual(withoutSecrets(dataOf(first, row.status)));
    expect(again.body.message).toBe(first.body.message);

    expectRefusal(await withKey(row, { ...body, ...CHANGED[row.name] }), 422, '2002');
    expect(dataOf(await withKey(row, body), row.status)).toEqual(again.body.data);
  });

  it.each(named(CREATING))('%s: an ill-formed key is a fault beside those of the body (2001)', async (_, row) => {
    const body = { ...bodyOf(row, shop, mine), unknown: 1 };
    for (const key of ['', '\u00e4', 'x'.repeat(256), 'a\tb'])
      expectFaults(await withKey(row, body, key), ['Idempotency-Key', 'unknown']);
    expectFaults(await withKey(row, bodyOf(row, shop, mine) ?? {}, '\u00e4'), ['Idempotency-Key']);
  });

  it('of two operations is two keys', async () => {
    const headers = { 'idempotency-key': 'one for both' };
    dataOf(await shop.rest('POST', '/payments', { amount: '5', currency: 'USDT', network: 'ETH' }, headers), 201);
    dataOf(await shop.rest('POST', '/merchant/api-keys', { name: 'x', permissions: ['WITHDRAW'] }, headers), 201);
  });

  it('is passed over where nothing is created', async () => {
    const headers = { 'idempotency-key': '\u00e4' };
    dataOf(await shop.rest('GET', '/payments', undefined, headers));
    dataOf(await rest(gateway)('GET', '/currencies', undefined, headers));
  });
});
