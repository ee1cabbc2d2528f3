// GET /events: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, read, readAll, readTo, sequencesOf, typesOf } from '../fixtures/events.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectKeys, FULL_PAYMENT_KEYS, id, ISO } from '../../support/expectations.ts';
import { type Json, newMerchant, USDT_PAYMENT } from '../../support/clients.ts';

describe('GET /events: 200', () => {
  it('answers what happened, oldest first, each with the full payment as of then', async () => {
    const merchant = await newMerchant(gateway);
    const created = dataOf(await merchant.rest('POST', '/payments', { ...USDT_PAYMENT, metadata: { a: 'é' } }), 201);
    const paid = dataOf(await merchant.rest('POST', `/sandbox/payments/${created.orderId}/deposit`));
    const items = await readTo('payment.succeeded', merchant);
    for (const item of items) {
      expectKeys(item as object, ['sequence', 'id', 'type', 'createdAt', 'payment', 'invoice', 'withdrawal', 'refund']);
      expectKeys(item.payment as object, FULL_PAYMENT_KEYS);
      expect(item).toMatchObject({ id: expect.stringMatching(id('evt')), createdAt: expect.stringMatching(ISO) });
      expect(item.payment).toMatchObject({ orderId: created.orderId, amount: '25', metadata: { a: 'é' } });
      for (const time of ['expiresAt', 'createdAt', 'updatedAt']) expect(item.payment[time]).toMatch(ISO);
    }
    expect(sequencesOf(items)).toEqual(items.map((_, index) => index + 1));
    expect(typesOf(items)[0]).toBe('payment.created');
    expect(items[0].payment).toMatchObject({ status: 'PENDING', amountReceived: '0', transactions: [] });
    const last = items.at(-1);
    expect(last.payment).toMatchObject({ status: 'SUCCEEDED', amountConfirmed: '25', feeAmount: '0.25' });
    expect(last.payment.transactions).toHaveLength(1);
    expect(last.payment.completedAt).toBe(paid.completedAt);
  });

  it('has what was answered a moment before', async () => {
    const merchant = await newMerchant(gateway);
    for (const sequence of [1, 2, 3, 4, 5]) {
      const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
      const { items } = await read(`?after=${sequence - 1}`, merchant);
      expect(items).toMatchObject([{ sequence, type: 'payment.created', payment: { orderId } }]);
    }
  });

  it('has test events too, without a payment', async () => {
    const merchant = await newMerchant(gateway);
    const { event_id: eventId } = dataOf(
      await merchant.rest('POST', '/webhooks/test', { url: 'http://127.0.0.1:1025/' }),
    );
    const [item] = await readAll(1, merchant);
    expect(item).toEqual({
      ...{ sequence: 1, id: eventId, type: 'webhook.test', createdAt: expect.stringMatching(ISO), payment: null },
      ...{ invoice: null, withdrawal: null, refund: null },
    });
  });

  it("each merchant has numbers of their own, and never another's events", async () => {
    const [a, b] = [await newMerchant(gateway), await newMerchant(gateway)];
    expect(await read('', a)).toEqual({ items: [], hasMore: false });
    for (const merchant of [a, b, a]) dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
    const [ofA, ofB] = [await readAll(2, a), await readAll(1, b)];
    expect([sequencesOf(ofA), sequencesOf(ofB)]).toEqual([[1, 2], [1]]);
    const own = dataOf(await b.rest('GET', '/payments')).items as Json[];
    expect(ofB.map((item) => item.payment.orderId as string)).toEqual(own.map((item) => item.orderId as string));
  });

  it('goes on after a number, twenty at a time unless asked otherwise, and says whether there is more', async () => {
    const merchant = await newMerchant(gateway);
    await Promise.all(Array.from({ length: 23 }, () => merchant.rest('POST', '/payments', USDT_PAYMENT)));
    const all = await readAll(23, merchant);
    expect(await read('', merchant)).toEqual({ items: all.slice(0, 20), hasMore: true });
    expect(await read('?after=20', merchant)).toEqual({ items: all.slice(20), hasMore: false });
    expect(await read('?after=0&limit=23', merchant)).toEqual({ items: all, hasMore: false });
    expect(await read('?after=3&limit=1', merchant)).toEqual({ items: [all[3]], hasMore: true });
    expect(await read('?after=23', merchant)).toEqual({ items: [], hasMore: false });
    expect(await read('?after=999999999', merchant)).toEqual({ items: [], hasMore: false });
  });

  it('a reader that resumes under load misses nothing and sees nothing twice, in order', async () => {
    const merchant = await newMerchant(gateway);
    const total = 120;
    let created = 0;
    const writers = Array.from({ length: 12 }, async () => {
      while (created < total) {
        created += 1;
        const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
        if (created % 3 === 0) dataOf(await merchant.rest('DELETE', `/payments/${orderId}`));
      }
    });
    const seen: Json[] = [];
    let writing = true;
    const written = Promise.all(writers).finally(() => (writing = false));
    const counted = async () => {
      const [row] = await gateway.sql<{ n: number }>('select count(*)::int as n from event where merchant_id = $1', [
        merchant.id,
      ]);
      return row?.n ?? 0;
    };
    await until(async () => {
      const { items } = await read(`?limit=17&after=${seen.at(-1)?.sequence ?? 0}`, merchant);
      seen.push(...items);
      return !writing && seen.length === (await counted());
    });
    await written;
    expect(sequencesOf(seen)).toEqual(seen.map((_, index) => index + 1));
    expect(new Set(seen.map((item) => item.id as string)).size).toBe(seen.length);
    const canceled = new Set<string>();
    for (const { type, payment } of [...seen].reverse()) {
      if (type === 'payment.updated') canceled.add(payment.orderId as string);
      else canceled.delete(payment.orderId as string);
    }
    // Read backwards, each canceled payment's creation comes after its cancellation.
    expect(canceled.size).toBe(0);
  });
});
