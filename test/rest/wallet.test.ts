// The contract of withdrawals: POST /wallet/withdraw, GET /wallet/withdrawals and /wallet/withdrawals/{id}.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { accountXpub, COIN_TYPES } from '../../src/custody/account-keys.ts';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { newMerchant, rest, USDT_PAYMENT, type Answer, type Json, type TestMerchant } from '../support/clients.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, id, ISO } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let database: TestDatabase;
let shop: TestMerchant;
let other: TestMerchant;

/** A merchant with 99 USDT available. */
async function fundedMerchant(): Promise<TestMerchant> {
  const merchant = await newMerchant(gateway);
  const { orderId } = dataOf(await merchant.rest('POST', '/payments', { ...USDT_PAYMENT, amount: '100' }), 201);
  expect(dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`)).status).toBe('SUCCEEDED');
  return merchant;
}

beforeAll(async () => {
  // Nobody signs here: what was asked for stays as it was asked for, and no block comes from elsewhere.
  const { xpub } = accountXpub(randomBytes(64), COIN_TYPES.evm);
  database = await createTestDatabase();
  await database.sql('insert into derivation_account (account, xpub) values ($1, $2)', ['evm', xpub]);
  gateway = await startTestGateway({ ROLES: 'api,observer,dispatcher', DATABASE_URL: database.url });
  [shop, other] = [await fundedMerchant(), await fundedMerchant()];
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const BODY = { currency: 'USDT', network: 'ETH', amount: '0.5', address: ADDRESS };
const KEYS = [
  ...['withdrawalId', 'status', 'amount', 'networkFee', 'currency', 'network', 'address', 'txHash', 'createdAt'],
  'merchantWithdrawalId',
];
const withdraw = (fields: object = {}, merchant = shop, headers = {}) =>
  merchant.rest('POST', '/wallet/withdraw', { ...BODY, ...fields }, headers);
const balanceOf = async (merchant: TestMerchant) =>
  (dataOf(await merchant.rest('GET', '/wallet/balance')).balances as Json[]).find(
    ({ currency }) => currency === 'USDT',
  );

describe('POST /wallet/withdraw', () => {
  describe('201', () => {
    it('answers the withdrawal as it was asked for', async () => {
      const withdrawal = dataOf(await withdraw({ amount: '0.50' }), 201);
      expectKeys(withdrawal, KEYS);
      expect(withdrawal).toEqual({
        ...{ ...BODY, withdrawalId: expect.stringMatching(id('wdr')), status: 'REQUESTED', amount: '0.5' },
        ...{ networkFee: '0', txHash: null, merchantWithdrawalId: null, createdAt: expect.stringMatching(ISO) },
      });
    });

    it('takes codes in any case, aliases, and an address without a checksum', async () => {
      const fields = { currency: 'usdt', network: 'erc20', address: ADDRESS.toLowerCase(), merchantWithdrawalId: 'x' };
      expect(dataOf(await withdraw(fields), 201)).toMatchObject({ ...BODY, merchantWithdrawalId: 'x' });
    });

    it('"max" is all that is available; then nothing is', async () => {
      const merchant = await fundedMerchant();
      expect(dataOf(await withdraw({ amount: 'max' }, merchant), 201)).toMatchObject({ amount: '99', networkFee: '0' });
      expect(await balanceOf(merchant)).toMatchObject({ available: '0' });
      expectRefusal(await withdraw({ amount: 'max' }, merchant), 409, '4001');
    });

    it('once for a whole balance that many want at once (4001)', async () => {
      const merchant = await fundedMerchant();
      const answers = await Promise.all(Array.from({ length: 20 }, () => withdraw({ amount: '99' }, merchant)));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 409, '4001');
    });
  });

  describe('400', () => {
    it.each([
      [{ amount: 5 }, ['amount']],
      [{ amount: '' }, ['amount']],
      [{ amount: '0' }, ['amount']],
      [{ amount: '-1' }, ['amount']],
      [{ amount: '1e3' }, ['amount']],
      [{ amount: 'MAX' }, ['amount']],
      [{ amount: '0.1234567' }, ['amount']],
      [{ amount: null }, ['amount']],
      [{ address: null }, ['address']],
      [{ address: ' ' }, ['address']],
      [{ address: 'x'.repeat(201) }, ['address']],
      [{ currency: 1, network: true }, ['currency', 'network']],
      [{ merchantWithdrawalId: '' }, ['merchantWithdrawalId']],
      [{ merchantWithdrawalId: 'x'.repeat(256) }, ['merchantWithdrawalId']],
      [{ merchantWithdrawalId: 7 }, ['merchantWithdrawalId']],
      [{ networkFee: '0' }, ['networkFee']],
    ])('%j is refused (2001)', async (fields, paths) => {
      expectFaults(await withdraw(fields), paths);
    });

    it('lists every field that is missing (2001)', async () => {
      expectFaults(await shop.rest('POST', '/wallet/withdraw', {}), ['currency', 'network', 'amount', 'address']);
    });

    it.each([
      [{ currency: 'DOGE' }, '3001'],
      [{ network: 'nowhere' }, '3001'],
      [{ currency: 'BTC' }, '3001'],
      [{ amount: '0.009999' }, '3002'],
      [{ amount: '1000000.000001' }, '3003'],
    ])('%j is refused (%s)', async (fields, code) => {
      expectRefusal(await withdraw(fields), 400, code);
    });

    it.each([
      '0x',
      `${ADDRESS}0`,
      ADDRESS.slice(0, -1),
      '0x52908400098527886E0F7030069857D2E4169Ee7',
      `0x${'0'.repeat(40)}`,
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      'vitalik.eth',
    ])('the address %s is none to send to (4002)', async (address) => {
      expectRefusal(await withdraw({ address }), 400, '4002');
    });

    it("a token's contract is no address to send to (4002)", async () => {
      const contract = gateway.deps.chains.get('ETH')?.adapter.contracts.get('USDT') ?? '';
      for (const address of [contract, contract.toLowerCase()]) expectRefusal(await withdraw({ address }), 400, '4002');
    });
  });

  it('503 for a pair this deployment has no node for (3007)', async () => {
    const bitcoin = { currency: 'BTC', network: 'BTC', amount: '1', address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' };
    expectRefusal(await withdraw(bitcoin), 503, '3007');
  });

  it('409 for more than is available, and for a coin there is none of (4001)', async () => {
    expectRefusal(await withdraw({ amount: '100' }), 409, '4001');
    expectRefusal(await withdraw({ currency: 'ETH', amount: '1' }), 409, '4001');
  });

  it('409 for a merchantWithdrawalId that was used before, whatever else is asked for (4005)', async () => {
    const fields = { merchantWithdrawalId: 'payroll 7' };
    const first = dataOf(await withdraw(fields), 201);
    for (const change of [{}, { amount: '0.7' }, { amount: 'max' }])
      expectRefusal(await withdraw({ ...fields, ...change }), 409, '4005');
    expect(dataOf(await withdraw(fields, other), 201).withdrawalId).not.toBe(first.withdrawalId);
    const work = () => withdraw({ merchantWithdrawalId: 'at once' });
    const answers = await Promise.all(Array.from({ length: 10 }, work));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 409, '4005');
  });

  describe('with an Idempotency-Key', () => {
    it('answers the same again, and reserves once', async () => {
      const headers = { 'idempotency-key': 'one' };
      const first = await withdraw({}, shop, headers);
      const { available } = await balanceOf(shop);
      const again = await withdraw({}, shop, headers);
      expect(dataOf(again, 201)).toEqual(dataOf(first, 201));
      expect([first, again].map((answer) => answer.headers['idempotent-replayed'])).toEqual([undefined, 'true']);
      expect((await balanceOf(shop)).available).toBe(available);
      expectRefusal(await withdraw({ amount: '0.6' }, shop, headers), 422, '2002');
      expect(dataOf(await withdraw({}, other, headers), 201)).not.toEqual(dataOf(first, 201));
    });

    it('keeps no refusal', async () => {
      const merchant = await newMerchant(gateway);
      const headers = { 'idempotency-key': 'two' };
      expectRefusal(await withdraw({}, merchant, headers), 409, '4001');
      const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
      await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`);
      dataOf(await withdraw({}, merchant, headers), 201);
    });
  });
});

describe('GET /wallet/withdrawals', () => {
  let merchant: TestMerchant;
  let ids: string[];
  const list = (query = '', its = merchant) => its.rest('GET', `/wallet/withdrawals${query}`);
  const idsOf = (answer: Answer) => (dataOf(answer).items as Json[]).map((item) => item.withdrawalId as string);

  beforeAll(async () => {
    merchant = await fundedMerchant();
    ids = [];
    for (let n = 0; n < 25; n += 1) ids.unshift(dataOf(await withdraw({}, merchant), 201).withdrawalId as string);
  });

  it('answers withdrawals, newest first, twenty unless asked otherwise', async () => {
    const answer = await list();
    expect(idsOf(answer)).toEqual(ids.slice(0, 20));
    expect(dataOf(answer).pagination).toEqual({ nextCursor: expect.any(String), hasMore: true });
    for (const item of dataOf(answer).items as object[]) expectKeys(item, KEYS);
  });

  it.each([1, 7, 25, 100])('pages of %i have no gaps and no repeats', async (limit) => {
    const found: string[] = [];
    let query = `?limit=${limit}`;
    for (let pages = 0; query !== '' && pages <= ids.length; pages += 1) {
      const answer = await list(query);
      found.push(...idsOf(answer));
      const { nextCursor, hasMore } = dataOf(answer).pagination as { nextCursor: string | null; hasMore: boolean };
      expect(hasMore).toBe(nextCursor !== null);
      query = nextCursor === null ? '' : `?limit=${limit}&cursor=${nextCursor}`;
    }
    expect(found).toEqual(ids);
  });

  it('a merchant without withdrawals has an empty list', async () => {
    expect(dataOf(await list('', await newMerchant(gateway)))).toEqual({
      items: [],
      pagination: { nextCursor: null, hasMore: false },
    });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=rubbish', 'cursor'],
    ['status=FAILED', 'status'],
  ])('?%s is refused (2001)', async (query, path) => {
    expectFaults(await list(`?${query}`), [path]);
  });

  it("another merchant's cursor, or that of another list, is refused (2001)", async () => {
    const cursor = dataOf(await list('?limit=1')).pagination.nextCursor as string;
    expectFaults(await list(`?cursor=${cursor}`, other), ['cursor']);
    expectFaults(await merchant.rest('GET', `/payments?cursor=${cursor}`), ['cursor']);
  });
});

describe('GET /wallet/withdrawals/{id}', () => {
  it('200 answers the same as the list', async () => {
    const { withdrawalId } = dataOf(await withdraw(), 201);
    const found = dataOf(await shop.rest('GET', `/wallet/withdrawals/${withdrawalId}`));
    expectKeys(found, KEYS);
    expect(found).toEqual(dataOf(await shop.rest('GET', '/wallet/withdrawals?limit=1')).items[0]);
  });

  it.each(['0', 'wdr_', 'ord_00000000000000000000000000000000', 'wdr_0000000000000000000000000000000O', '%00'])(
    '404 for the ill-formed id %s (2004)',
    async (ill) => {
      expectRefusal(await shop.rest('GET', `/wallet/withdrawals/${ill}`), 404, '2004');
    },
  );

  it("404 for another merchant's, byte for byte like one that never existed (2004)", async () => {
    const theirs = dataOf(await withdraw({}, other), 201).withdrawalId as string;
    const headers = { 'x-request-id': 'the-same' };
    const read = (one: string) => shop.rest('GET', `/wallet/withdrawals/${one}`, undefined, headers);
    const [foreign, missing] = [await read(theirs), await read(`${theirs.slice(0, -4)}0000`)];
    expectRefusal(foreign, 404, '2004');
    expect(foreign.text).toBe(missing.text);
  });
});

describe('without the right to', () => {
  let calls: readonly (readonly [method: string, path: string, body?: unknown])[];
  beforeEach(() => {
    const one = '/wallet/withdrawals/wdr_00000000000000000000000000000000';
    calls = [
      ['POST', '/wallet/withdraw', BODY],
      ['GET', '/wallet/withdrawals'],
      ['GET', one],
    ];
  });

  it('401 without a token (1001)', async () => {
    for (const [method, path, body] of calls) expectRefusal(await rest(gateway)(method, path, body), 401, '1001');
  });

  it('403 without WITHDRAW, whatever else the token may do (1004)', async () => {
    const clerk = await newMerchant(
      gateway,
      PERMISSIONS.filter((permission) => permission !== 'WITHDRAW'),
    );
    for (const [method, path, body] of [...calls, ['POST', '/wallet/withdraw', {}] as const]) {
      const error = expectRefusal(await clerk.rest(method, path, body), 403, '1004');
      expect(error.message).toBe('Missing permission: WITHDRAW');
    }
  });
});
