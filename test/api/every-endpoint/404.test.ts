// Unknown ids on every row that takes one: another merchant's objects are answered like objects that never existed.

import { describe, expect, it } from '@jest/globals';
import { send, type Answer, type Json } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { call, gateway, idFor, mine, named, other, ROWS, shop, theirs, type Row } from './every-endpoint.fixture.ts';

const WITH_ID = ROWS.filter(({ path }) => path.includes(':'));
/** What belongs to one merchant; the others need only the id. */
const OWNED = WITH_ID.filter(({ need }) => need !== null);

/** Ids of every malformed kind, the last one thousands of characters long. */
const ILL_FORMED = [
  ...['0', 'ord_', 'ord_0', 'mer_00000000000000000000000000000000', 'ord_0000000000000000000000000000000'],
  ...[
    'ord_0000000000000000000000000000000O',
    'ORD_00000000000000000000000000000000',
    'evt_',
    'wdr_',
    'whk_',
    'pk_test_',
  ],
  ...['wdr_00000000000000000000000000000000', 'whk_0000000000000000000000000000000O', '%00', '%', '..%2F..%2Fetc'],
  ...['%F0%9F%92%A9', `ord_${'0'.repeat(5_000)}`],
];

const shown = ({ headers }: Answer) => {
  const counted = ['date', 'ratelimit-remaining', 'ratelimit-reset'];
  return Object.entries(headers).filter(([name]) => !counted.includes(name));
};

/** What the other merchant has, as their own calls show it. */
const stock = async (): Promise<Json[]> =>
  Promise.all(
    [
      ...[`/payments/${theirs.payment}`, `/payments/${theirs.open}`, `/invoices/${theirs.invoice}`],
      ...['/invoices', '/payment-links', '/merchant/api-keys', '/webhooks'],
    ].map(async (path) => {
      const data = dataOf(await other.rest('GET', path));
      // These change meanwhile by themselves: keys are used, blocks arrive, deliveries fail.
      return JSON.parse(JSON.stringify(data), (name, value: unknown) =>
        ['lastUsedAt', 'confirmations', 'failingSince'].includes(name) ? null : value,
      );
    }),
  );

/** An id of the right form that belongs to no object. */
const neverWas = (row: Row): string => `${idFor(row, theirs)?.slice(0, -4) ?? ''}0000`;

describe('No such resource (2004)', () => {
  it.each(named(OWNED))(
    "%s: another merchant's is byte for byte like one that never was, and stays",
    async (_, row) => {
      const before = await stock();
      const headers = { 'x-request-id': 'the-same' };
      const foreign = await call(row, shop, { id: idFor(row, theirs), headers });
      const missing = await call(row, shop, { id: neverWas(row), headers });
      expectRefusal(foreign, 404, '2004');
      expect(foreign.text).toBe(missing.text);
      expect(shown(foreign)).toEqual(shown(missing));
      expect(await stock()).toEqual(before);
    },
  );

  it.each(named(WITH_ID))('%s: there are no objects with ill-formed ids', async (_, row) => {
    for (const id of ILL_FORMED) expectRefusal(await call(row, shop, { id }), 404, '2004');
  });

  it.each(named(WITH_ID))('%s: there is no object with an id of another kind', async (_, row) => {
    const own = idFor(row, mine);
    for (const id of [mine.payment, mine.invoice, mine.link, mine.withdrawal, mine.key, mine.endpoint, mine.event]) {
      const isOfItsKind = own !== undefined && id.slice(0, 4) === own.slice(0, 4);
      if (!isOfItsKind) expectRefusal(await call(row, shop, { id }), 404, '2004');
    }
  });

  it('a deleted webhook endpoint is gone', async () => {
    const { id } = dataOf(await shop.rest('POST', '/webhooks', { url: 'http://127.0.0.1:1024/gone' }), 201);
    dataOf(await shop.rest('DELETE', `/webhooks/${id}`));
    expectRefusal(await shop.rest('DELETE', `/webhooks/${id}`), 404, '2004');
    expectRefusal(await shop.rest('PUT', `/webhooks/${id}`, {}), 404, '2004');
  });
});

describe('No such path (2004)', () => {
  it.each([
    ...['/api', '/api/v1', '/api/v1/', '/api/v1/payment', '/api/v2/payments', '/API/V1/payments'],
    ...['/api/v1/payments//', '/api/v1//payments', '/api/v1/wallet', '/api/v1/sandbox', '/api/v1/%', '/api/v1/%00'],
  ])('%s does not exist, by any method', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expectRefusal(await send({ method, url: gateway.url + path }), 404, '2004');
  });

  it('counts as a call below /api/v1, and is told to a caller without a token as to any other', async () => {
    const answer = await send({ method: 'GET', url: `${gateway.url}/api/v1/nowhere` });
    expectRefusal(answer, 404, '2004');
    expect(answer.headers).toHaveProperty('ratelimit-remaining');
  });

  it('counts as a call with an id of any length', async () => {
    for (const length of [10, 201, 10_000]) {
      const url = `${gateway.url}/api/v1/payments/${'x'.repeat(length)}`;
      const answer = await send({ method: 'GET', url });
      expectRefusal(answer, 401, '1001');
      expect(answer.headers).toHaveProperty('ratelimit-remaining');
    }
  });
});
