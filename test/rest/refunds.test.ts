// The contract of giving money back and of taking late money: POST /payments/{id}/refund and /payments/{id}/accept.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountXpub, COIN_TYPES } from '../../src/custody/account-keys.ts';
import { PERMISSIONS, type Permission } from '../../src/values/permission.ts';
import { newMerchant, rest, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, FULL_PAYMENT_KEYS, id } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
let database: TestDatabase;
let shop: TestMerchant;
let other: TestMerchant;

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const MISSING = 'ord_00000000000000000000000000000000';
const createFor = async (merchant: TestMerchant, fields: object = {}) =>
  dataOf(await merchant.rest('POST', '/payments', { ...USDT_PAYMENT, ...fields }), 201).orderId as string;
const pay = (orderId: string, body: object = {}, merchant = shop) =>
  merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`, body);
const refund = (orderId: string, body: object = {}, merchant = shop, headers = {}) =>
  merchant.rest('POST', `/payments/${orderId}/refund`, { address: ADDRESS, ...body }, headers);
const accept = (orderId: string, merchant = shop) => merchant.rest('POST', `/payments/${orderId}/accept`);
const read = async (orderId: string, merchant = shop) => dataOf(await merchant.rest('GET', `/payments/${orderId}`));

async function paid(merchant = shop): Promise<string> {
  const orderId = await createFor(merchant);
  expect(dataOf(await pay(orderId, {}, merchant)).status).toBe('SUCCEEDED');
  return orderId;
}

async function expired(merchant: TestMerchant, fields: object = {}): Promise<string> {
  const orderId = await createFor(merchant, fields);
  dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/expire`));
  await until(async () => (await read(orderId, merchant)).status === 'EXPIRED');
  return orderId;
}

beforeAll(async () => {
  // Nobody signs here: what was asked for stays as it was asked for, and no block comes from elsewhere.
  const { xpub } = accountXpub(randomBytes(64), COIN_TYPES.evm);
  database = await createTestDatabase();
  await database.sql('insert into derivation_account (account, xpub) values ($1, $2)', ['evm', xpub]);
  gateway = await startTestGateway({ ROLES: 'api,observer,dispatcher', DATABASE_URL: database.url });
  [shop, other] = await Promise.all([newMerchant(gateway), newMerchant(gateway)]);
  await pay(await createFor(shop, { amount: '1000' }));
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

describe('POST /payments/{id}/refund', () => {
  it('201 answers the refund, all that is refundable unless said otherwise', async () => {
    const orderId = await paid();
    const refunded = dataOf(await refund(orderId), 201);
    expectKeys(refunded, ['refundId', 'orderId', 'status', 'amount', 'address', 'txHash']);
    expect(refunded).toEqual({
      ...{ refundId: expect.stringMatching(id('rfd')), orderId, status: 'REQUESTED', amount: '25' },
      ...{ address: ADDRESS, txHash: null },
    });
  });

  it('201 for a part, then for what is left; 409 for more (3006)', async () => {
    const orderId = await paid();
    expect(dataOf(await refund(orderId, { amount: '10.50' }), 201).amount).toBe('10.5');
    expectRefusal(await refund(orderId, { amount: '14.500001' }), 409, '3006');
    expect(dataOf(await refund(orderId, { amount: null }), 201).amount).toBe('14.5');
    expectRefusal(await refund(orderId), 409, '3006');
  });

  it('201 for an expired payment: the deposit no longer counts', async () => {
    const orderId = await expired(shop);
    expect(dataOf(await pay(orderId, { amount: '10' })).status).toBe('EXPIRED');
    dataOf(await refund(orderId), 201);
    expect(dataOf(await pay(orderId, { amount: '15' })).status).toBe('EXPIRED');
    expect(dataOf(await pay(orderId, { amount: '10' }))).toMatchObject({ status: 'SUCCEEDED', exception: 'PAID_LATE' });
  });

  it.each([
    [{ amount: 5 }, ['amount']],
    [{ amount: '0' }, ['amount']],
    [{ amount: 'max' }, ['amount']],
    [{ amount: '0.1234567' }, ['amount']],
    [{ address: '' }, ['address']],
    [{ address: null }, ['address']],
    [{ address: 5, amount: '-1' }, ['address', 'amount']],
    [{ paymentId: MISSING }, ['paymentId']],
    [{ id: MISSING }, ['id']],
    [{ reason: 'late' }, ['reason']],
  ])('400 for %j (2001)', async (fields, paths) => {
    expectFaults(await refund(await paid(), fields), paths);
  });

  it('400 without an address (2001), for one that is none (4002), and for dust (4003)', async () => {
    const orderId = await paid();
    expectFaults(await shop.rest('POST', `/payments/${orderId}/refund`, {}), ['address']);
    for (const address of ['0x12', `0x${'0'.repeat(40)}`, ADDRESS.replace('E7', 'e7')])
      expectRefusal(await refund(orderId, { address }), 400, '4002');
    expectRefusal(await refund(orderId, { amount: '0.009999' }), 400, '4003');
  });

  it('409 while nothing was received, or what was is not confirmed (3006)', async () => {
    const orderId = await createFor(shop);
    expectRefusal(await refund(orderId), 409, '3006');
    expectRefusal(await refund(orderId, { amount: '1' }), 409, '3006');
    await pay(orderId, { confirmations: 0 });
    expectRefusal(await refund(orderId), 409, '3006');
  });

  it("409 when the balance does not bear it: the fee is the merchant's (4001)", async () => {
    const orderId = await paid(other);
    expectRefusal(await refund(orderId, {}, other), 409, '4001');
    dataOf(await refund(orderId, { amount: '24.75' }, other), 201);
  });

  it('with an Idempotency-Key answers the same again, and refunds once', async () => {
    const orderId = await paid();
    const headers = { 'idempotency-key': 'refund' };
    const first = await refund(orderId, { amount: '1' }, shop, headers);
    const again = await refund(orderId, { amount: '1' }, shop, headers);
    expect(dataOf(again, 201)).toEqual(dataOf(first, 201));
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectRefusal(await refund(orderId, { amount: '2' }, shop, headers), 422, '2002');
    expectRefusal(await refund(await paid(), { amount: '1' }, shop, headers), 422, '2002');
    expect(dataOf(await refund(orderId), 201).amount).toBe('24');
  });

  it('is no withdrawal', async () => {
    const { refundId } = dataOf(await refund(await paid()), 201);
    expectRefusal(await shop.rest('GET', `/wallet/withdrawals/${refundId}`), 404, '2004');
    expect(dataOf(await shop.rest('GET', '/wallet/withdrawals')).items).toEqual([]);
  });
});

describe('POST /payments/{id}/accept', () => {
  let careful: TestMerchant;
  beforeAll(async () => {
    careful = await newMerchant(gateway);
    dataOf(await careful.rest('PUT', '/merchant/settings', { latePaymentPolicy: 'MANUAL' }));
  });

  it('200 answers the full payment, SUCCEEDED (PAID_LATE), once', async () => {
    const orderId = await expired(careful);
    expect(dataOf(await pay(orderId, {}, careful))).toMatchObject({ status: 'EXPIRED', amountConfirmed: '25' });
    const accepted = dataOf(await accept(orderId, careful));
    expectKeys(accepted, FULL_PAYMENT_KEYS);
    expect(accepted).toMatchObject({ orderId, status: 'SUCCEEDED', exception: 'PAID_LATE' });
    expectRefusal(await accept(orderId, careful), 409, '3005');
  });

  it('200 while the money still wants confirmations: CONFIRMING', async () => {
    const orderId = await expired(careful);
    expect(dataOf(await pay(orderId, { confirmations: 0 }, careful)).status).toBe('EXPIRED');
    expect(dataOf(await accept(orderId, careful))).toMatchObject({ status: 'CONFIRMING', exception: null });
  });

  it('409 while nothing, or not the full amount, arrived, or a part of it was refunded (3005)', async () => {
    const orderId = await expired(careful);
    expectRefusal(await accept(orderId, careful), 409, '3005');
    await pay(orderId, { amount: '24' }, careful);
    expectRefusal(await accept(orderId, careful), 409, '3005');
    dataOf(await refund(orderId, { amount: '10' }, careful), 201);
    await pay(orderId, { amount: '10' }, careful);
    expectRefusal(await accept(orderId, careful), 409, '3005');
    await pay(orderId, { amount: '1' }, careful);
    expect(dataOf(await accept(orderId, careful)).status).toBe('SUCCEEDED');
  });

  it('409 for a payment that is open, paid, or not under MANUAL (3005)', async () => {
    expectRefusal(await accept(await createFor(careful), careful), 409, '3005');
    expectRefusal(await accept(await paid(careful), careful), 409, '3005');
    expectRefusal(await accept(await expired(shop)), 409, '3005');
  });

  it('400 for a body with a field (2001)', async () => {
    expectFaults(await careful.rest('POST', `/payments/${MISSING}/accept`, { force: true }), ['force']);
  });
});

describe.each([
  ['refund', 'WITHDRAW', { address: ADDRESS }],
  ['accept', 'CREATE_PAYMENTS', undefined],
] as const)('POST /payments/{id}/%s', (action, needed: Permission, body) => {
  const call = (orderId: string, merchant: Pick<TestMerchant, 'rest'>) =>
    merchant.rest('POST', `/payments/${orderId}/${action}`, body, { 'x-request-id': 'the-same' });

  it("404 for another merchant's payment, byte for byte like one that never existed (2004)", async () => {
    const theirs = await paid(other);
    const [foreign, missing] = [await call(theirs, shop), await call(`${theirs.slice(0, -4)}0000`, shop)];
    expectRefusal(foreign, 404, '2004');
    expect(foreign.text).toBe(missing.text);
  });

  it.each(['0', 'ord_', 'wdr_00000000000000000000000000000000', '%00'])('404 for the id %s (2004)', async (ill) => {
    expectRefusal(await call(ill, shop), 404, '2004');
  });

  it('401 without a token (1001), 403 without the permission (1004)', async () => {
    expectRefusal(await call(MISSING, { rest: rest(gateway) }), 401, '1001');
    const clerk = await newMerchant(
      gateway,
      PERMISSIONS.filter((permission) => permission !== needed),
    );
    expect(expectRefusal(await call(MISSING, clerk), 403, '1004').message).toBe(`Missing permission: ${needed}`);
  });
});
