// The contract of cursors, for every list over REST and GraphQL: a cursor that we did not issue for this list of this
// merchant is 2001.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { newId } from '../../src/values/id.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;
let other: TestMerchant;
beforeAll(async () => {
  gateway = await borrowGateway();
  [shop, other] = [await newMerchant(gateway), await newMerchant(gateway)];
  for (const { id } of [shop, other]) await fill(id);
});
afterAll(() => gateway.stop());

/** Every list that is paged by cursors, by its path and by its field. */
const LISTS = [
  ['/payments', 'payments'],
  ['/wallet/withdrawals', 'withdrawals'],
  ['/webhooks/deliveries', 'webhookDeliveries'],
  ['/merchant/api-logs', 'apiLogs'],
] as const;

/** Makes three rows of every list. */
async function fill(merchantId: string): Promise<void> {
  for (let nth = 0; nth < 3; nth += 1) {
    const [payment, event] = [newId('ord'), newId('evt')];
    await gateway.sql(
      `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
         derivation_index, status, version, tolerance_basis_points, late_payment_policy, required_confirmations,
         expires_at, created_at, updated_at)
       values ($1, $2, 'USDT', 'ETH', 1, $1, $1, 'evm', (select least(min(derivation_index), 0) - 1 from payment), 'CANCELED', 1, 0, 'ACCEPT', 1,
         now(), now(), now())`,
      [payment, merchantId],
    );
    await gateway.sql(
      `insert into payout (id, kind, merchant_id, currency, network, amount, network_fee, address, status, created_at, updated_at)
       values ($1, 'WITHDRAWAL', $2, 'USDT', 'ETH', 1, 0, '0x1', 'FAILED', now(), now())`,
      [newId('wdr'), merchantId],
    );
    await gateway.sql(
      `insert into event (id, merchant_id, type, created_at, position) values ($1, $2, 'webhook.test', now(),
         (select coalesce(min(position), 0) - 1 from event))`,
      [event, merchantId],
    );
    await gateway.sql(
      `insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, created_at)
       values ($1, $2, $3, false, 'x', 'https://shop.example', 'FAILED', now())`,
      [newId('dlv'), event, merchantId],
    );
    await gateway.sql(
      `insert into api_log (merchant_id, request_id, at, method, path, status, duration_ms, ip)
       values ($1, $2, '2026-01-01', 'GET', '/', 200, 1, '::1')`,
      [merchantId, payment],
    );
  }
}

const cursorOf = async (by: TestMerchant, path: string): Promise<string> =>
  dataOf(await by.rest('GET', `${path}?limit=1`)).pagination.nextCursor as string;

/** The GraphQL answer to a cursor: without errors, or the faults it lists. */
async function over(by: TestMerchant, field: string, after: string): Promise<Json> {
  const { body } = await by.graphql(
    `query($after: String) { ${field}(first: 1, after: $after) { pageInfo { endCursor } } }`,
    {
      after,
    },
  );
  return body;
}

function expectRefused(body: Json): void {
  expect(body.errors).toMatchObject([{ extensions: { errorCode: '2001', details: [{ path: 'after' }] } }]);
}

/** The cursor with one character changed, at each end and in between. */
function tampered(cursor: string): string[] {
  const places = [0, Math.floor(cursor.length / 3), Math.floor(cursor.length / 2), cursor.length - 2];
  const changed = places.map((at) => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1));
  return [...changed, `${cursor}A`, cursor.slice(0, -4), cursor.toLowerCase() + 'x', newId('ord'), '', 'AAAA', '%'];
}

describe.each(LISTS)('the cursor of %s', (path, field) => {
  it('is taken back by this list of this merchant, over REST and GraphQL alike', async () => {
    const cursor = await cursorOf(shop, path);
    const next = dataOf(await shop.rest('GET', `${path}?limit=1&cursor=${cursor}`));
    expect(next.items).toHaveLength(1);
    expect(await cursorOf(shop, path)).not.toBe(next.pagination.nextCursor);
    expect((await over(shop, field, cursor)).errors).toBeUndefined();
  });

  it('is 2001 once a character of it was changed, added or taken away', async () => {
    for (const cursor of tampered(await cursorOf(shop, path))) {
      expectFaults(await shop.rest('GET', `${path}?cursor=${encodeURIComponent(cursor)}`), ['cursor']);
      expectRefused(await over(shop, field, cursor));
    }
  });

  it('is 2001 for another merchant, who has the same list', async () => {
    const cursor = await cursorOf(shop, path);
    expectFaults(await other.rest('GET', `${path}?cursor=${cursor}`), ['cursor']);
    expectRefused(await over(other, field, cursor));
  });

  it('is 2001 in every other list', async () => {
    const cursor = await cursorOf(shop, path);
    for (const [otherPath, otherField] of LISTS.filter(([one]) => one !== path)) {
      expectFaults(await shop.rest('GET', `${otherPath}?cursor=${cursor}`), ['cursor']);
      expectRefused(await over(shop, otherField, cursor));
    }
  });

  it('shows nothing that it was not: it is of URL-safe characters and needs no encoding', async () => {
    expect(await cursorOf(shop, path)).toMatch(/^[\w-]+$/);
  });
});

it('GET /events goes by sequence numbers: an invalid one is 2001, and one beyond the last is an empty page', async () => {
  for (const after of ['-1', 'x', '1.5', await cursorOf(shop, '/payments')])
    expectFaults(await shop.rest('GET', `/events?after=${after}`), ['after']);
  expect(dataOf(await shop.rest('GET', '/events?after=999999999'))).toEqual({ items: [], hasMore: false });
});
