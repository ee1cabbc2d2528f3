// The contract of reading payments and of canceling one: GET /payments, GET and DELETE /payments/{id}.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, USDT_PAYMENT, type Answer, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, FULL_PAYMENT_KEYS, ISO } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { newId } from '../../src/values/id.ts';

let gateway: TestGateway;
let shop: TestMerchant;
let other: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
  [shop, other] = await Promise.all([newMerchant(gateway), newMerchant(gateway)]);
});
afterAll(() => gateway.stop());

const createFor = async (merchant: TestMerchant, fields: object = {}) =>
  dataOf(await merchant.rest('POST', '/payments', { ...USDT_PAYMENT, ...fields }), 201).orderId as string;
const idsOf = (answer: Answer) => (dataOf(answer).items as { orderId: string }[]).map((item) => item.orderId);

describe('GET /payments', () => {
  let merchant: TestMerchant;
  const ids: string[] = [];
  const list = (query = '') => merchant.rest('GET', `/payments${query}`);

  beforeAll(async () => {
    merchant = await newMerchant(gateway);
    for (let n = 0; n < 45; n += 1) ids.unshift(await createFor(merchant, { merchantOrderId: `n${n % 3}` }));
  });

  /** Every page from the first to the last. */
  async function readAll(limit: number): Promise<Json[][]> {
    const pages: Json[][] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? `?limit=${limit}` : `?limit=${limit}&cursor=${cursor}`;
      const { items, pagination } = dataOf(await list(query));
      expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
      pages.push(items as Json[]);
      cursor = pagination.nextCursor as string | null;
    } while (cursor !== null && pages.length <= ids.length);
    return pages;
  }

  describe('200', () => {
    it('answers full payments, newest first, twenty unless asked otherwise', async () => {
      const answer = await list();
      const data = dataOf(answer);
      expectKeys(data, ['items', 'pagination']);
      expectKeys(data.pagination, ['nextCursor', 'hasMore']);
      expect(data.pagination).toEqual({ nextCursor: expect.any(String), hasMore: true });
      expect(idsOf(answer)).toEqual(ids.slice(0, 20));
      for (const item of data.items as object[]) expectKeys(item, FULL_PAYMENT_KEYS);
    });

    it.each([
      [1, 45],
      [7, 7],
      [15, 3],
      [45, 1],
      [100, 1],
    ])('pages of %i have no gaps and no repeats', async (limit, pages) => {
      const read = await readAll(limit);
      expect(read).toHaveLength(pages);
      expect(read.flat().map((item) => item.orderId)).toEqual(ids);
    });

    it('a payment created meanwhile moves nothing', async () => {
      const first = dataOf(await list('?limit=10'));
      ids.unshift(await createFor(merchant));
      const second = await list(`?limit=10&cursor=${first.pagination.nextCursor}`);
      expect(idsOf(second)).toEqual(ids.slice(11, 21));
    });

    it('a merchant without payments has an empty list', async () => {
      const data = dataOf(await (await newMerchant(gateway)).rest('GET', '/payments'));
      expect(data).toEqual({ items: [], pagination: { nextCursor: null, hasMore: false } });
    });

    it('is narrowed by reference, across pages', async () => {
      const first = await list('?merchantOrderId=n1&limit=10');
      const cursor = dataOf(first).pagination.nextCursor as string;
      const second = await list(`?merchantOrderId=n1&limit=10&cursor=${cursor}`);
      expect([...idsOf(first), ...idsOf(second)]).toHaveLength(15);
      expect(dataOf(second).pagination).toEqual({ nextCursor: null, hasMore: false });
    });

    it('is narrowed by state, which may be repeated, in any case', async () => {
      const canceled = ids[3] ?? '';
      dataOf(await merchant.rest('DELETE', `/payments/${canceled}`));
      expect(idsOf(await list('?status=CANCELED'))).toEqual([canceled]);
      expect(idsOf(await list('?status=canceled&status=EXPIRED'))).toEqual([canceled]);
      expect(idsOf(await list('?status=PENDING&status=CANCELED&limit=100'))).toEqual(ids);
    });

    it('is narrowed by currency and network, by code or alias', async () => {
      const eth = await createFor(merchant, { currency: 'ETH' });
      ids.unshift(eth);
      expect(idsOf(await list('?currency=eth&network=erc20'))).toEqual([eth]);
      expect(idsOf(await list('?currency=USDT&network=ETH&limit=100'))).toEqual(ids.slice(1));
      expect(idsOf(await list('?network=BTC'))).toEqual([]);
    });

    it('is narrowed by dates: a bare end date is included', async () => {
      const today = new Date().toISOString().slice(0, 10);
      const day = 24 * 60 * 60_000;
      const yesterday = new Date(Date.now() - day).toISOString().slice(0, 10);
      const tomorrow = new Date(Date.now() + day).toISOString();
      expect(idsOf(await list(`?startDate=${yesterday}&endDate=${tomorrow.slice(0, 10)}&limit=100`))).toEqual(ids);
      expect(idsOf(await list(`?startDate=${tomorrow}`))).toEqual([]);
      expect(idsOf(await list(`?endDate=${yesterday}T00:00:00Z`))).toEqual([]);
      // A payment's id begins with the time of its creation.
      const lastInstant = new Date(`${today}T23:59:59.999Z`);
      const late = newId('ord', lastInstant.getTime());
      await gateway.sql('update payment set id = $2, created_at = $3 where id = $1', [ids[1], late, lastInstant]);
      expect(idsOf(await list(`?startDate=${today}T23:59:59.999Z&endDate=${today}`))).toEqual([late]);
    });
  });

  describe('400', () => {
    it.each([
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=-1', 'limit'],
      ['limit=ten', 'limit'],
      ['limit=1.5', 'limit'],
      ['limit=', 'limit'],
      ['limit=9999999999', 'limit'],
      ['limit=1&limit=2', 'limit'],
      ['status=PAID', 'status.0'],
      ['status=PENDING&status=', 'status.1'],
      ['startDate=yesterday', 'startDate'],
      ['startDate=2026-02-30', 'startDate'],
      ['endDate=2026-13-01', 'endDate'],
      ['endDate=1%20January%202026', 'endDate'],
      ['merchantOrderId=', 'merchantOrderId'],
      ['merchantOrderId=%00', 'merchantOrderId'],
      ['cursor=', 'cursor'],
      ['cursor=rubbish', 'cursor'],
      ['cursor=%F0%9F%92%A9', 'cursor'],
      ['page=2', 'page'],
      ['Limit=5', 'Limit'],
      ['first=5', 'first'],
      ['filter=5', 'filter'],
      ['__proto__=5', '__proto__'],
      ['constructor=5', 'constructor'],
    ])('?%s is refused (2001)', async (query, path) => {
      expectFaults(await list(`?${query}`), [path]);
    });

    it('lists every fault at once (2001)', async () => {
      expectFaults(await list('?limit=0&status=PAID&startDate=x&page=2'), ['limit', 'status.0', 'startDate', 'page']);
    });

    it('a network that is none is 3001', async () => {
      expectRefusal(await list('?network=nowhere'), 400, '3001');
    });

    it('a cursor that was changed, or that another merchant was given, is refused (2001)', async () => {
      const cursor = dataOf(await list('?limit=1')).pagination.nextCursor as string;
      const middle = Math.floor(cursor.length / 2);
      const changed = cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1);
      expectFaults(await list(`?cursor=${changed}`), ['cursor']);
      expectFaults(await list(`?cursor=${cursor}A`), ['cursor']);
      expectFaults(await list(`?cursor=${cursor.slice(0, -4)}`), ['cursor']);
      expectFaults(await other.rest('GET', `/payments?cursor=${cursor}`), ['cursor']);
      dataOf(await list(`?cursor=${cursor}`));
    });
  });

  it("another merchant's payments are not in the list", async () => {
    const own = await createFor(other);
    expect(idsOf(await other.rest('GET', '/payments?limit=100'))).toEqual([own]);
  });
});

describe('GET /payments/{id}', () => {
  it('200 answers the full payment, every documented key, null where there is no value', async () => {
    const created = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    const payment = dataOf(await shop.rest('GET', `/payments/${created.orderId}`));
    expectKeys(payment, FULL_PAYMENT_KEYS);
    expect(payment).toEqual({
      ...created,
      exception: null,
      test: false,
      merchantOrderId: null,
      productName: null,
      customerEmail: null,
      callbackUrl: null,
      returnUrl: null,
      metadata: null,
      amountReceived: '0',
      amountConfirmed: '0',
      amountRefunded: '0',
      feeAmount: '0',
      confirmations: 0,
      requiredConfirmations: 2,
      transactions: [],
      updatedAt: created.createdAt,
      completedAt: null,
    });
  });
});

const ILL_FORMED = [
  ...[
    '',
    '0',
    'ord_',
    'ord_0',
    'mer_00000000000000000000000000000000',
    'ord_0000000000000000000000000000000',
    '%00',
    '%',
  ],
  ...['ord_0000000000000000000000000000000O', 'ORD_00000000000000000000000000000000', '..%2F..%2Fetc', '%F0%9F%92%A9'],
];
const LONG = `ord_${'0'.repeat(5_000)}`;

describe.each(['GET', 'DELETE'])('%s /payments/{id}', (method) => {
  it.each(ILL_FORMED)('404 for the ill-formed id %s (2004)', async (ill) => {
    expectRefusal(await shop.rest(method, `/payments/${ill}`), 404, '2004');
  });

  it('404 for an id of thousands of characters (2004)', async () => {
    expectRefusal(await shop.rest(method, `/payments/${LONG}`), 404, '2004');
  });

  it("404 for another merchant's payment, byte for byte like one that never existed (2004)", async () => {
    const theirs = await createFor(other);
    const headers = { 'x-request-id': 'the-same' };
    const foreign = await shop.rest(method, `/payments/${theirs}`, undefined, headers);
    const missing = await shop.rest(method, `/payments/${theirs.slice(0, -4)}0000`, undefined, headers);
    expectRefusal(foreign, 404, '2004');
    expect(foreign.text).toBe(missing.text);
    const counted = ['date', 'ratelimit-remaining', 'ratelimit-reset'];
    const shown = ({ headers: all }: Answer) => Object.entries(all).filter(([name]) => !counted.includes(name));
    expect(shown(foreign)).toEqual(shown(missing));
    expect(dataOf(await other.rest('GET', `/payments/${theirs}`)).status).toBe('PENDING');
  });
});

describe('DELETE /payments/{id}', () => {
  it('200 answers the full payment, canceled', async () => {
    const orderId = await createFor(shop);
    const before = dataOf(await shop.rest('GET', `/payments/${orderId}`));
    const canceled = dataOf(await shop.rest('DELETE', `/payments/${orderId}`));
    expect(canceled).toEqual({ ...before, status: 'CANCELED', updatedAt: expect.stringMatching(ISO) });
    expect(dataOf(await shop.rest('GET', `/payments/${orderId}`))).toEqual(canceled);
  });

  it('409 the second time, and only one of many at once succeeds (3005)', async () => {
    const orderId = await createFor(shop);
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.rest('DELETE', `/payments/${orderId}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 409, '3005');
  });

  it.each([-1, 0, 1])('409 once a deposit was seen, with %i blocks on top of its own (3005)', async (confirmations) => {
    const orderId = await createFor(shop);
    dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, { amount: '1', confirmations }));
    expectRefusal(await shop.rest('DELETE', `/payments/${orderId}`), 409, '3005');
  });
});
