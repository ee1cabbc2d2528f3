// A merchant has at most so many API keys, however they are requested.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, type Answer, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';

const NEW_KEY = { name: 'Till', permissions: ['READ_PAYMENTS'] };
const make = (shop: TestMerchant): Promise<Answer> => shop.rest('POST', '/merchant/api-keys', NEW_KEY);
const kept = async (gateway: Pick<TestGateway, 'sql'>, { id }: TestMerchant): Promise<number> =>
  (await gateway.sql('select from api_key where merchant_id = $1 and revoked_at is null', [id])).length;

describe('a hundred keys', () => {
  let gateway: BorrowedGateway;
  beforeAll(async () => {
    gateway = await borrowGateway();
  });
  afterAll(() => gateway.stop());

  it('are all that 1,000 aliases in 20 requests at once make, with the one that is there', async () => {
    const shop = await newMerchant(gateway);
    const one = (nth: number) => `k${nth}: createApiKey(input: { name: "n", permissions: [READ_PAYMENTS] }) { keyId }`;
    const document = `mutation { ${Array.from({ length: 50 }, (_, nth) => one(nth)).join(' ')} }`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.graphql(document)));
    const errors = answers.flatMap(({ body }) => (body.errors ?? []) as Json[]);
    // A missing value in a non-null field ends its request.
    expect(errors).toHaveLength(20);
    expect(new Set(errors.map(({ extensions }) => extensions.errorCode))).toEqual(new Set(['2001']));
    expect(await kept(gateway, shop)).toBe(100);
  });
});

describe('API_KEYS_MAX', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ API_KEYS_MAX: '3' });
  });
  afterAll(() => gateway.stop());

  it('is exact when keys are made at once, and another merchant has their own', async () => {
    const [shop, other] = [await newMerchant(gateway), await newMerchant(gateway)];
    const answers = await Promise.all(Array.from({ length: 10 }, () => make(shop)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectFaults(answer, ['']);
    expect(await kept(gateway, shop)).toBe(3);
    dataOf(await make(other), 201);
  });

  it('does not count revoked keys, whose list is bounded, and lets a repeat be answered', async () => {
    const shop = await newMerchant(gateway);
    const headers = { 'idempotency-key': 'the-last-one' };
    dataOf(await make(shop), 201);
    const last = dataOf(await shop.rest('POST', '/merchant/api-keys', NEW_KEY, headers), 201);
    const repeated = dataOf(await shop.rest('POST', '/merchant/api-keys', NEW_KEY, headers), 201);
    expect(repeated).toEqual({ ...last, secret: null });
    expectFaults(await make(shop), ['']);
    dataOf(await shop.rest('DELETE', `/merchant/api-keys/${last.keyId as string}`));
    dataOf(await make(shop), 201);
    await gateway.sql(
      `insert into api_key (key_id, merchant_id, secret_digest, name, permissions, created_at, revoked_at)
       select 'pk_test_old' || n, $1, decode(md5(n::text), 'hex'), 'Old', '{READ_PAYMENTS}', now() + n * interval '1 s', now()
       from generate_series(1, 1000) n`,
      [shop.id],
    );
    const { body } = await shop.graphql('{ apiKeys { keyId revokedAt createdAt } }');
    const keys = body.data.apiKeys as Json[];
    expect(keys.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(3);
    expect(keys).toHaveLength(403);
    const times = keys.map(({ createdAt }) => createdAt as string);
    expect(times).toEqual([...times].sort().reverse());
  });
});
