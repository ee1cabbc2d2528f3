// How many calls a GraphQL operation counts as against the rate limits, over every transport, and that the keys of a
// merchant share one limit.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchange, graphql, newMerchant, send, type Answer, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { connectAs } from '../../server/graphql/ws/setup.fixture.ts';

/** At a refill of one call a second, what a test counts stays counted on any machine. */
const BURST = 60;
const MERCHANT = 90;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    ...{ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) },
    ...{ RATE_LIMIT_MERCHANT_PER_SECOND: '1', RATE_LIMIT_MERCHANT_BURST: String(MERCHANT) },
  });
});
afterAll(() => gateway.stop());

const merchants = (count: number) =>
  `{ ${Array.from({ length: count }, (_, n) => `m${n}: merchant { id }`).join(' ')} }`;
const leftOf = ({ headers }: Answer) => Number(headers['ratelimit-remaining']);

describe('a GraphQL operation', () => {
  it('counts as the fields it runs, the first time and when it was seen before, and says so', async () => {
    const shop = await newMerchant(gateway);
    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push(await shop.graphql(merchants(15)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(leftOf)).toEqual([BURST - 15, BURST - 30, BURST - 45]);
    const refused = await shop.graphql(merchants(16));
    expectGraphQLError(refused, 429, 'RATE_LIMITED', '9001');
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    expect(leftOf(refused)).toBe(0);
    // The rejected operation was counted too, so retrying at once does not help.
    expectRefusal(await shop.rest('GET', '/payments'), 429, '9001');
  });

  it('that was seen before is refused too when it is too much, and nothing of a mutation is done', async () => {
    const shop = await newMerchant(gateway);
    const rename = (from: number) =>
      `mutation { ${Array.from({ length: 25 }, (_, n) => `m${n}: updateSettings(input: { companyName: "${from + n}" }) { companyName }`).join(' ')} }`;
    expect((await shop.graphql(rename(0))).status).toBe(200);
    expect((await shop.graphql(rename(0))).status).toBe(200);
    expectGraphQLError(await shop.graphql(rename(0)), 429, 'RATE_LIMITED', '9001');
    const [row] = await gateway.sql<{ n: string }>('select company_name as n from merchant where id = $1', [shop.id]);
    expect(row?.n).toBe('24');
  });

  it('whose fields its variables leave out counts as those that are left', async () => {
    const shop = await newMerchant(gateway);
    const query =
      'query ($on: Boolean!) { a: merchant { id } b: merchant @include(if: $on) { id } ...F @skip(if: $on) } fragment F on Query { c: merchant { id } d: merchant { id } }';
    expect(leftOf(await shop.graphql(query, { on: true }))).toBe(BURST - 2);
    expect(leftOf(await shop.graphql(query, { on: false }))).toBe(BURST - 5);
    expect(leftOf(await shop.graphql(query, { on: true }))).toBe(BURST - 7);
  });

  it('that costs more than a call counts as its cost', async () => {
    const shop = await newMerchant(gateway);
    const fields = Array.from({ length: 50 }, (_, n) => `f${n}: id`).join(' ');
    const answer = await shop.graphql(`{ payments(first: 100) { nodes { ${fields} } } }`);
    expect(leftOf(answer)).toBe(BURST - 3);
  });

  it('counts by web socket and by event stream as over HTTP', async () => {
    const shop = await newMerchant(gateway);
    const client = await connectAs(`${gateway.url.replace('http', 'ws')}/graphql`, shop.token);
    expect((await client.run(merchants(30))).type).toBe('next');
    const stream = (query: string) =>
      send({
        method: 'POST',
        url: `${gateway.url}/graphql/stream`,
        headers: { authorization: `Bearer ${shop.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
    const streamed = await stream(merchants(20));
    expect([streamed.status, leftOf(streamed)]).toEqual([200, BURST - 50]);
    expect(leftOf(await shop.graphql('{ merchant { id } }'))).toBe(BURST - 51);
    const refused = await client.run(merchants(10));
    expect(refused).toMatchObject({ type: 'error', payload: [{ extensions: { errorCode: '9001' } }] });
    expectGraphQLError(await stream(merchants(2)), 429, 'RATE_LIMITED', '9001');
    client.socket.close();
  });

  it('without a token counts for its address', async () => {
    const checkout = '{ a: checkout(id: "x") { id } b: checkout(id: "y") { id } c: checkout(id: "z") { id } }';
    const first = leftOf(await graphql(gateway)(checkout));
    expect(leftOf(await graphql(gateway)(checkout))).toBe(first - 3);
  });
});

describe('the keys of a merchant', () => {
  async function newKeys(shop: TestMerchant, count: number) {
    const made = [];
    for (let n = 0; n < count; n += 1) {
      const asked = { name: `${n}`, permissions: ['READ_PAYMENTS'] };
      const { keyId, secret } = dataOf(await shop.rest('POST', '/merchant/api-keys', asked), 201);
      made.push(graphql(gateway, await exchange(gateway, { keyId, secret })));
    }
    return made;
  }

  it('share a ceiling above the limit of each, and no other merchant feels it', async () => {
    const [shop, other] = [await newMerchant(gateway), await newMerchant(gateway)];
    const [first, second] = await newKeys(shop, 2);
    const payments = (count: number) =>
      `{ ${Array.from({ length: count }, (_, n) => `p${n}: payments(first: 1) { nodes { id } }`).join(' ')} }`;
    expect((await first?.(payments(50)))?.status).toBe(200);
    const last = await second?.(payments(20));
    // Two more calls made the keys, so the merchant has less left than the key.
    expect(last?.headers).toMatchObject({
      'ratelimit-limit': `${MERCHANT}`,
      'ratelimit-remaining': `${MERCHANT - 72}`,
    });
    const refused = await second?.(payments(25));
    expect(refused).toMatchObject({ status: 429, headers: { 'ratelimit-limit': `${MERCHANT}` } });
    for (const answer of [await first?.('{ __typename }'), await shop.graphql('{ merchant { id } }')])
      expect(answer?.status).toBe(429);
    expect((await other.graphql('{ merchant { id } }')).status).toBe(200);
  });

  it('what one of them is refused by its own limit takes nothing from the others', async () => {
    const shop = await newMerchant(gateway);
    const [first, second] = await newKeys(shop, 2);
    for (let n = 0; n < BURST; n += 1) await first?.('{ __typename }');
    for (let n = 0; n < MERCHANT; n += 1) expect((await first?.('{ __typename }'))?.status).toBe(429);
    const answer = await second?.('{ __typename }');
    expect(answer).toMatchObject({ status: 200, headers: { 'ratelimit-remaining': `${MERCHANT - 2 - BURST - 1}` } });
  });
});
