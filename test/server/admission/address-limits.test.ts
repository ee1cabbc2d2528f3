// Rate limits by address, behind a proxy: an IPv6 network of 64 bits counts as one caller, whatever addresses it uses.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, newEmail, rest, type Answer } from '../../support/clients.ts';
import { expectGraphQLError } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const LOGIN = `mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }`;
const PASSWORD = 'correct horse battery';

let gateway: TestGateway;

const from = (address: string) => ({ 'x-forwarded-for': address });
const login = (email: string, password: string, address: string): Promise<Answer> =>
  graphql(gateway)(LOGIN, { email, password }, { ...from(address), 'x-request-id': 'same' });
const statusesOf = async (call: (nth: number) => Promise<Answer>): Promise<number[]> => {
  const statuses: number[] = [];
  for (let nth = 1; nth <= 7; nth += 1) statuses.push((await call(nth)).status);
  return statuses;
};

describe('behind a proxy', () => {
  beforeAll(async () => {
    gateway = await startTestGateway({
      ...{ TRUST_PROXY: '127.0.0.1', RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '6' },
      RATE_LIMIT_AUTH_PER_MINUTE: '5',
    });
  });
  afterAll(() => gateway.stop());

  it('calls of one IPv6 network of 64 bits are counted together, those of the next apart', async () => {
    const read = (address: string) => rest(gateway)('GET', '/currencies', undefined, from(address));
    const statuses = await statusesOf((nth) => read(`2001:db8:1:2:${nth}::1`));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
    expect((await read('2001:db8:1:3::1')).status).toBe(200);
  });

  it('calls with credentials too', async () => {
    const exchange = (nth: number) =>
      rest(gateway)('POST', '/auth/token', { keyId: 'pk_test_none', secret: 'none' }, from(`2001:db8:2:2:${nth}::1`));
    expect(await statusesOf(exchange)).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });
});

describe('wrong passwords', () => {
  beforeAll(async () => {
    gateway = await startTestGateway({ TRUST_PROXY: '127.0.0.1' });
  });
  afterAll(() => gateway.stop());

  it('from one IPv6 network are ten, of an account and of an address that nobody has alike', async () => {
    const email = newEmail();
    await rest(gateway)('POST', '/merchant/register', { email, companyName: 'Shop', password: PASSWORD });
    const texts: string[][] = [];
    for (const account of [email, newEmail()]) {
      const seen: string[] = [];
      for (let nth = 1; nth <= 12; nth += 1) seen.push((await login(account, 'wrong', `2001:db8:3:3:${nth}::1`)).text);
      texts.push(seen);
    }
    expect(texts[1]).toEqual(texts[0]);
    const refused = await graphql(gateway)(LOGIN, { email, password: PASSWORD }, from('2001:db8:3:3::ff'));
    expectGraphQLError(refused, 429, 'RATE_LIMITED', '9001');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(600);
    expect((await login(email, PASSWORD, '2001:db8:3:4::1')).body.data.login.accessToken).toMatch(/^ey/);
  });

  it('are no reason to lose the secret of a new key: it is told although its address cannot be remembered', async () => {
    await gateway.sql('alter table sign_in_address rename to sign_in_address_away');
    const account = { email: newEmail(), companyName: 'Shop', password: PASSWORD };
    const registered = await rest(gateway)('POST', '/merchant/register', account);
    await gateway.sql('alter table sign_in_address_away rename to sign_in_address');
    expect(registered.status).toBe(201);
    expect(registered.text).toMatch(/"secret":"sk_/);
    const failure = 'where a merchant registered from was not remembered';
    expect(gateway.logged.filter(({ msg }) => msg === failure)).toHaveLength(1);
  });

  it('from everywhere do not keep the owner out of where they have registered or signed in before', async () => {
    const email = newEmail();
    const account = { email, companyName: 'Shop', password: PASSWORD };
    await rest(gateway)('POST', '/merchant/register', account, from('198.51.100.7'));
    await login(email, PASSWORD, '198.51.100.8');
    const guesses: Answer[] = [];
    for (let nth = 0; nth < 150; nth += 10) {
      const ten = Array.from({ length: 10 }, (_, more) => login(email, 'a guess', `203.0.113.${nth + more}`));
      guesses.push(...(await Promise.all(ten)));
    }
    expect(guesses.filter(({ text }) => text.includes('"1005"'))).toHaveLength(100);
    expect(guesses.filter(({ text }) => text.includes('"1009"'))).toHaveLength(50);
    expectGraphQLError(await login(email, PASSWORD, '192.0.2.1'), 200, 'UNAUTHENTICATED', '1009');
    for (const known of ['198.51.100.7', '198.51.100.8'])
      expect((await login(email, PASSWORD, known)).body.data.login.accessToken).toMatch(/^ey/);
  });
});
