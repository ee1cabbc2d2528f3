// The contract of the rate limits: 429 with 9001, by key for calls with a key, by address for the others.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exchange, graphql, newEmail, newMerchant, rest, send, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

/** At one call a second a window is a minute long, so what a test counts stays in it on any machine. */
const BURST = 60;
const AUTH = 8;
const SECONDS = /^([1-9]|[1-5]\d|60)$/;
let gateway: TestGateway;
let first: TestMerchant;
let second: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway({
    RATE_LIMIT_PER_SECOND: '1',
    RATE_LIMIT_BURST: String(BURST),
    RATE_LIMIT_AUTH_PER_MINUTE: String(AUTH),
  });
  first = await newMerchant(gateway);
  second = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

describe('429', () => {
  it('comes after the burst, with when to try again, and for this key alone (9001)', async () => {
    for (let left = BURST - 1; left >= 0; left -= 1) {
      const answer = await first.rest('GET', '/payments');
      dataOf(answer);
      expect(answer.headers).toMatchObject({ 'ratelimit-limit': `${BURST}`, 'ratelimit-remaining': `${left}` });
    }
    const refused = await first.rest('GET', '/payments');
    expectRefusal(refused, 429, '9001');
    expect(refused.headers['retry-after']).toMatch(SECONDS);
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': `${BURST}`, 'ratelimit-remaining': '0' });
    expect(refused.headers['ratelimit-reset']).toMatch(SECONDS);

    dataOf(await second.rest('GET', '/payments'));
    const byAddress = await rest(gateway)('GET', '/payments');
    expectRefusal(byAddress, 401, '1001');
  });

  it('comes before every other check, by REST and GraphQL alike', async () => {
    expectRefusal(await first.rest('POST', '/payments', '{'), 429, '9001');
    const answer = await first.graphql('{');
    expectGraphQLError(answer, 429, 'RATE_LIMITED', '9001');
    expect(answer.headers['retry-after']).toMatch(SECONDS);
  });

  it('registration and token exchange have a stricter limit for each address', async () => {
    const nobody = rest(gateway);
    // Two merchants were made and two keys exchanged before.
    for (let n = 4; n < AUTH; n += 1) await exchange(gateway, second);
    const refused = await nobody('POST', '/auth/token', { keyId: second.keyId, secret: second.secret });
    expectRefusal(refused, 429, '9001');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30);
    expect(refused.headers).toMatchObject({ 'ratelimit-limit': `${AUTH}`, 'ratelimit-remaining': '0' });
    expect(Number(refused.headers['ratelimit-reset'])).toBeGreaterThan(30);
    // A rate limit is checked before the body.
    expectRefusal(await nobody('POST', '/auth/token', '{'), 429, '9001');
    expectRefusal(await nobody('POST', '/merchant', {}), 429, '9001');
    const registration = { email: newEmail(), companyName: 'Shop', password: 'correct horse battery' };
    expectRefusal(await nobody('POST', '/merchant/register', registration), 429, '9001');
    const mutation = 'mutation ($k: ID!, $s: String!) { createAccessToken(keyId: $k, secret: $s) { accessToken } }';
    const answer = await graphql(gateway)(mutation, { k: second.keyId, s: second.secret });
    expectGraphQLError(answer, 429, 'RATE_LIMITED', '9001');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(30);
    dataOf(await second.rest('GET', '/payments'));
  });

  it('wrong tokens count for the address, so guessing is limited too', async () => {
    const guess = () => rest(gateway, `guess-${Math.random()}`)('GET', '/payments');
    const refused = await until(async () => {
      const answer = await guess();
      return answer.status === 429 && answer;
    });
    expectRefusal(refused, 429, '9001');
    expectRefusal(await rest(gateway)('GET', '/payments'), 429, '9001');
    dataOf(await second.rest('GET', '/payments'));
  });

  it('does not come for /healthz, /readyz and /metrics', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      for (let n = 0; n <= BURST; n += 1)
        expect((await send({ method: 'GET', url: gateway.url + path })).status).toBe(200);
    }
  });

  it('ends after the time it named', async () => {
    const soon = await startTestGateway({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '2' });
    try {
      const call = () => rest(soon)('GET', '/currencies');
      const { headers } = await until(async () => {
        const answer = await call();
        return answer.status === 429 && answer;
      });
      await new Promise((resolve) => setTimeout(resolve, Number(headers['retry-after']) * 1_000));
      dataOf(await call());
    } finally {
      await soon.stop();
    }
  });
});
