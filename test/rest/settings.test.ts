// The contract of GET and PUT /merchant/settings, and what settings do to the payments that follow.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { newMerchant, rest, USDT_PAYMENT, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  shop = await newMerchant(gateway);
});

const PATH = '/merchant/settings';
const DEFAULTS = {
  companyName: 'Test shop',
  expirationMinutes: 30,
  underpaymentTolerance: 0,
  latePaymentPolicy: 'ACCEPT',
  defaultReturnUrl: null,
  logoUrl: null,
  accentColor: null,
  locale: null,
};
const ALL = {
  companyName: 'Bäckerei Müller',
  expirationMinutes: 1_440,
  underpaymentTolerance: 0.29,
  latePaymentPolicy: 'MANUAL',
  defaultReturnUrl: 'https://shop.example/thanks?a=1',
  logoUrl: 'https://shop.example/logo.svg',
  accentColor: '#12aBcd',
  locale: 'pt-BR',
};
const change = (body: unknown) => shop.rest('PUT', PATH, body);
const create = async (fields: object = {}): Promise<Json> =>
  dataOf(await shop.rest('POST', '/payments', { ...USDT_PAYMENT, ...fields }), 201);
const minutesOf = ({ createdAt, expiresAt }: Json) =>
  (Date.parse(expiresAt as string) - Date.parse(createdAt as string)) / 60_000;
const pay = async ({ orderId }: Json, amount: string) =>
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, { amount }));

describe('GET /merchant/settings', () => {
  it('answers every setting, with the defaults at first', async () => {
    const settings = dataOf(await shop.rest('GET', PATH));
    expectKeys(settings, Object.keys(DEFAULTS));
    expect(settings).toEqual(DEFAULTS);
  });
});

describe('PUT /merchant/settings', () => {
  it('changes them all, and answers them as they are then', async () => {
    expect(dataOf(await change(ALL))).toEqual(ALL);
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(ALL);
  });

  it.each(Object.entries(ALL))('changes %s alone, and nothing else', async (name, value) => {
    expect(dataOf(await change({ [name]: value }))).toEqual({ ...DEFAULTS, [name]: value });
    expect(dataOf(await shop.rest('GET', PATH))).toEqual({ ...DEFAULTS, [name]: value });
  });

  it('changes nothing when nothing is sent', async () => {
    dataOf(await change(ALL));
    expect(dataOf(await change({}))).toEqual(ALL);
  });

  it('null empties what can be empty, and is no change elsewhere', async () => {
    dataOf(await change(ALL));
    const empty = { defaultReturnUrl: null, logoUrl: null, accentColor: null, locale: null };
    expect(dataOf(await change({ ...empty, companyName: null, expirationMinutes: null }))).toEqual({
      ...ALL,
      ...empty,
    });
  });

  it('of several at once keeps each', async () => {
    await Promise.all(Object.entries(ALL).map(([name, value]) => change({ [name]: value })));
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(ALL);
  });

  it("leaves other merchants' settings alone", async () => {
    const other = await newMerchant(gateway);
    dataOf(await change(ALL));
    expect(dataOf(await other.rest('GET', PATH))).toEqual(DEFAULTS);
  });

  it.each([
    ['companyName', ''],
    ['companyName', ' '],
    ['companyName', 'x'.repeat(201)],
    ['companyName', 'a\0b'],
    ['companyName', 5],
    ['expirationMinutes', 4],
    ['expirationMinutes', 1_441],
    ['expirationMinutes', 30.5],
    ['expirationMinutes', '30'],
    ['underpaymentTolerance', -0.01],
    ['underpaymentTolerance', 50.01],
    ['underpaymentTolerance', 1.234],
    ['underpaymentTolerance', 1e-7],
    ['underpaymentTolerance', '1'],
    ['latePaymentPolicy', 'REFUSE'],
    ['latePaymentPolicy', ''],
    ['defaultReturnUrl', '/thanks'],
    ['defaultReturnUrl', 'javascript:alert(1)'],
    ['defaultReturnUrl', 'https://user:pass@shop.example/'],
    ['logoUrl', 'data:image/png;base64,AAAA'],
    ['logoUrl', `https://shop.example/${'x'.repeat(2_048)}`],
    ['accentColor', 'red'],
    ['accentColor', '#12345'],
    ['accentColor', '#123456;'],
    ['locale', 'english'],
    ['locale', 'de_DE'],
    ['unknown', 1],
  ])('%s: %j is refused (2001)', async (name, value) => {
    expectFaults(await change({ [name]: value }), [name]);
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(DEFAULTS);
  });

  it('lists every fault at once and changes nothing (2001)', async () => {
    const bad = { companyName: '', expirationMinutes: 1, accentColor: 'x', other: 1, locale: 'de' };
    expectFaults(await change(bad), ['companyName', 'expirationMinutes', 'accentColor', 'other']);
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(DEFAULTS);
  });
});

describe('without the right to', () => {
  it('401 without a token (1001), 403 without MANAGE_SETTINGS (1004)', async () => {
    const clerk = await newMerchant(
      gateway,
      PERMISSIONS.filter((permission) => permission !== 'MANAGE_SETTINGS'),
    );
    for (const [method, body] of [['GET'], ['PUT', {}], ['PUT', { unknown: 1 }]] as const) {
      expectRefusal(await rest(gateway)(method, PATH, body), 401, '1001');
      const error = expectRefusal(await clerk.rest(method, PATH, body), 403, '1004');
      expect(error.message).toBe('Missing permission: MANAGE_SETTINGS');
    }
  });
});

describe('the next payment', () => {
  it('has the new time and return URL at once; one that is open keeps its own', async () => {
    const before = await create();
    for (const minutes of [5, 60, 1_440]) {
      dataOf(await change({ expirationMinutes: minutes, defaultReturnUrl: `https://shop.example/${minutes}` }));
      const { orderId, ...created } = await create();
      expect(minutesOf(created)).toBe(minutes);
      const { returnUrl } = dataOf(await shop.rest('GET', `/payments/${orderId}`));
      expect(returnUrl).toBe(`https://shop.example/${minutes}`);
    }
    const kept = dataOf(await shop.rest('GET', `/payments/${before.orderId}`));
    expect(minutesOf(kept)).toBe(30);
    expect(kept.returnUrl).toBeNull();
  });

  it('has its own return URL where it says one', async () => {
    dataOf(await change({ defaultReturnUrl: 'https://shop.example/default' }));
    const { orderId } = await create({ returnUrl: 'https://shop.example/own' });
    expect(dataOf(await shop.rest('GET', `/payments/${orderId}`)).returnUrl).toBe('https://shop.example/own');
  });

  it('has the new tolerance; one that is open keeps its own', async () => {
    const strict = await create();
    dataOf(await change({ underpaymentTolerance: 10 }));
    const lenient = await create();
    dataOf(await change({ underpaymentTolerance: 0 }));
    expect((await pay(strict, '22.5')).status).toBe('PARTIALLY_PAID');
    expect((await pay(lenient, '22.5')).status).toBe('SUCCEEDED');
  });

  it('has the new policy for late money; one that is open keeps its own', async () => {
    const accepting = await create();
    dataOf(await change({ latePaymentPolicy: 'MANUAL' }));
    const manual = await create();
    dataOf(await change({ latePaymentPolicy: 'ACCEPT' }));
    for (const { orderId } of [accepting, manual]) {
      dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/expire`));
      await until(async () => dataOf(await shop.rest('GET', `/payments/${orderId}`)).status === 'EXPIRED');
    }
    expect((await pay(manual, '25')).status).toBe('EXPIRED');
    expect(await pay(accepting, '25')).toMatchObject({ status: 'SUCCEEDED', exception: 'PAID_LATE' });
  });

  it('shows the new company name on its payment page', async () => {
    const { orderId } = await create();
    dataOf(await change({ companyName: 'New name' }));
    const answer = await shop.graphql('query ($id: ID!) { checkout(id: $id) { companyName } }', { id: orderId });
    expect(answer.body).toEqual({ data: { checkout: { companyName: 'New name' } } });
  });
});
