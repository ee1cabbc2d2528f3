// Live mode, by starting it with a certificate of its own, behind a proxy, and over plain HTTP: what it offers and what
// not.

import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { issueToken } from '../../../src/access/tokens.ts';
import { PERMISSIONS } from '../../../src/values/permission.ts';
import { deriveSecrets } from '../../../src/values/secrets/keys.ts';
import { connect, connectAs } from '../../server/graphql/ws/setup.fixture.ts';
import { graphql, newEmail, rest, send, TLS, type Answer } from '../../support/clients.ts';
import { dataOf, expectFaults, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { until } from '../../support/until.ts';
import {
  anybody,
  behind,
  LONG,
  openAccount,
  own,
  proxied,
  PROXIED,
  secure,
  through,
  setup,
} from './programs.fixture.ts';

const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';

describe('with a certificate of its own', () => {
  it(
    'takes a payment from a customer on a node of somebody else, and pays it out',
    async () => {
      const { token } = await openAccount();
      const shop = rest(secure, token);
      // The node is verified soon after the start; until then the network is not available.
      const created = await until(async () => {
        const answer = await shop('POST', '/payments', { amount: '25', currency: 'USDT', network: 'ERC20' });
        return answer.status === 201 ? answer : null;
      });
      const { orderId, address, paymentUrl } = dataOf(created, 201) as Record<string, string>;
      expect(paymentUrl).toBe(`https://pay.kettle.test/pay/${orderId}`);
      const page = await send({ method: 'GET', url: `${secure.url}/pay/${orderId}` });
      expect([page.status, page.text.includes(address ?? '')]).toEqual([200, true]);
      await setup.pay(address ?? '', 'USDT', 25_000_000n);
      const paid = await until(async () => {
        const payment = dataOf(await shop('GET', `/payments/${orderId}`));
        return payment.status === 'SUCCEEDED' ? payment : null;
      });
      expect(paid).toMatchObject({ amountConfirmed: '25', feeAmount: '0.25', exception: null });

      await setup.fundGasWallet();
      const order = { currency: 'USDT', network: 'ETH', amount: 'max', address: RECIPIENT };
      const { withdrawalId } = dataOf(await shop('POST', '/wallet/withdraw', order), 201) as { withdrawalId: string };
      const withdrawn = await until(async () => {
        await setup.mineWhatWaits();
        const record = dataOf(await shop('GET', `/wallet/withdrawals/${withdrawalId}`));
        return record.status === 'COMPLETED' ? record : null;
      });
      expect(withdrawn).toMatchObject({ amount: '23.25', networkFee: '1.5' });
      expect(await balanceOf(RECIPIENT)).toBe(23_250_000n);
    },
    LONG,
  );

  it('answers plain HTTP with 403 and 1008, and with its health alone', async () => {
    const plainly = (path: string) => send({ method: 'GET', url: `http://${own.host}${path}` });
    expectRefusal(await plainly('/api/v1/currencies'), 403, '1008');
    expect((await plainly('/healthz')).body).toEqual({ status: 'ok' });
  });

  it('holds its sockets by TLS, and closes none of them for that', async () => {
    const { token } = await openAccount();
    const client = await connectAs(`wss://${own.host}/graphql`, token, TLS);
    const answer = await client.run('{ settings { companyName } }');
    expect(answer.payload.data).toEqual({ settings: { companyName: 'Blue Kettle Tea' } });
    client.socket.close();
  });
});

async function balanceOf(address: string): Promise<bigint> {
  const data = `0x70a08231${address.slice(2).toLowerCase().padStart(64, '0')}`;
  const to = setup.variables['ETH_USDT_CONTRACT'];
  return BigInt((await setup.rpc.call('eth_call', [{ to, data }, 'latest'])) as string);
}

describe('behind a proxy that is trusted', () => {
  it('is reached when the proxy says that it was by HTTPS', async () => {
    const { token } = await openAccount();
    dataOf(await through(token)('GET', '/payments'));
    const client = await connectAs(`ws://${proxied.host}/graphql`, token, { headers: PROXIED });
    expect((await client.run('{ __typename }')).payload.data).toEqual({ __typename: 'Query' });
    client.socket.close();
  });

  const PLAIN: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['says nothing', {}],
    ['says http', { 'x-forwarded-proto': 'http' }],
    ['is the last to speak, and says http', { 'x-forwarded-proto': 'https, http' }],
    ['says something else', { 'x-forwarded-proto': 'https://' }],
  ];

  it.each(PLAIN)('that %s: everything is 403 with 1008', async (_name, headers) => {
    const { token } = await openAccount();
    const authorization = `Bearer ${token}`;
    const json = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };
    const ask = (method: string, path: string, more: Record<string, string> = {}, body?: string) =>
      send({ method, url: behind.url + path, headers: { ...headers, ...more }, body });
    const answers: readonly Answer[] = [
      await ask('GET', '/api/v1/payments', { authorization }),
      await ask('POST', '/api/v1/auth/token', json, '{}'),
      await ask('GET', '/api/v1/currencies'),
      await ask('GET', '/api/v1/nowhere'),
      await ask('PUT', '/api/v1/payments'),
      await ask('GET', '/openapi.json'),
      await ask('GET', '/pay/ord_00000000000000000000000000000000'),
      await ask('GET', '/pay/assets/client.js'),
      await ask('GET', '/'),
    ];
    for (const answer of answers) expectRefusal(answer, 403, '1008');
    const operation = JSON.stringify({ query: '{ __typename }' });
    for (const path of ['/graphql', '/graphql/stream'])
      expectGraphQLError(await ask('POST', path, { ...json, authorization }, operation), 403, 'FORBIDDEN', '1008');
    await expect(connect(`ws://${proxied.host}/graphql`, { headers })).rejects.toThrow('403');
  });

  it('who asks how it is, beside it, need not', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect((await send({ method: 'GET', url: behind.url + path })).status).toBe(200);
  });
});

describe('X-Forwarded-Proto of anybody', () => {
  it('is not believed (1008)', async () => {
    const { KEYSTORE_PATH: _path, KEYSTORE_PASSPHRASE: _passphrase, ...variables } = setup.variables;
    const elsewhere = await setup.launch({ ...variables, ROLES: 'api', TRUST_PROXY: '192.0.2.7' });
    await elsewhere.ready;
    const call = rest({ url: `http://${elsewhere.host}` });
    expectRefusal(await call('GET', '/currencies', undefined, PROXIED), 403, '1008');
    await expect(connect(`ws://${elsewhere.host}/graphql`, { headers: PROXIED })).rejects.toThrow('403');
    await elsewhere.stop();
  });
});

describe('what live has not', () => {
  it('a password that everybody tries first (2001), which the sandbox takes', async () => {
    const account = { email: newEmail(), companyName: 'Blue Kettle Tea', password: 'Password123' };
    expectFaults(await rest(secure)('POST', '/merchant/register', account), ['password']);
  });

  it.each([
    ['POST', '/merchant'],
    ['POST', '/sandbox/payments/ord_00000000000000000000000000000000/deposit'],
    ['POST', '/sandbox/payments/ord_00000000000000000000000000000000/expire'],
    ['POST', '/sandbox/mine'],
  ])('%s %s is 404 (2004)', async (method, path) => {
    const { token } = await anybody();
    expectRefusal(await through(token)(method, path, {}), 404, '2004');
  });

  it.each([
    'mutation { createMerchant(input: { email: "a@example.com", companyName: "A" }) { merchantId } }',
    'mutation { simulateDeposit(input: { paymentId: "ord_0" }) { id } }',
    'mutation { mineBlocks(input: { network: "ETH", count: 1 }) { tip } }',
    'mutation { simulateReorg(input: { network: "ETH", depth: 1 }) { tip } }',
    'mutation { expirePayment(id: "ord_0") { id } }',
    '{ webhookReceiver { url received { body } } }',
  ])('%s is unknown, and nothing is suggested in its place', async (query) => {
    const { token } = await anybody();
    const answer = await graphql(secure, token)(query);
    const error = expectGraphQLError(answer, 400, 'GRAPHQL_VALIDATION_FAILED', '2001');
    expect(error.message).not.toMatch(/Did you mean/);
  });

  it('a receiver of test webhooks: whoever looks or posts there gets 404 (2004), and the console is told', async () => {
    const { token } = await anybody();
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string };
    expect(sub).toMatch(/^mer_/);
    const url = `${secure.url}/sandbox/receiver/${sub}`;
    const headers = { 'content-type': 'application/json', 'x-pgw-signature': `t=1,v1=${'0'.repeat(64)}` };
    expectRefusal(await send({ method: 'POST', url, headers, body: '{}' }), 404, '2004');
    expectRefusal(await send({ method: 'GET', url }), 404, '2004');
    const { text } = await send({ method: 'GET', url: `${secure.url}/console` });
    expect(text).toContain('name="turnpike-environment" content="live"');
  });

  it('a test payment (2001), and the field in what is shown of others', async () => {
    const { token } = await anybody();
    const body = { amount: '25', currency: 'USDT', network: 'ETH', test: true };
    expectFaults(await rest(secure, token)('POST', '/payments', body), ['test']);
  });

  it('introspection, explorers', async () => {
    const { token } = await anybody();
    const answer = await graphql(secure, token)('{ __schema { queryType { name } } }');
    expect(answer.body.data).toBeUndefined();
    expectGraphQLError(answer, 400, 'GRAPHQL_VALIDATION_FAILED', '2001');
    expect((await send({ method: 'GET', url: `${secure.url}/docs` })).status).toBe(404);
    const graphiql = await send({ method: 'GET', url: `${secure.url}/graphql`, headers: { accept: 'text/html' } });
    expect(graphiql.headers['content-type']).not.toMatch(/html/);
    const { paths } = (await send({ method: 'GET', url: `${secure.url}/openapi.json` })).body as { paths: object };
    expect(Object.keys(paths).filter((path) => /sandbox|^\/merchant$/.test(path))).toEqual([]);
  });

  it('an embedded part, started or loaded, and no file of its own', async () => {
    for (const { pid, dataDir, loadsFile } of [own, proxied]) {
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      expect(children.trim()).toBe('');
      expect(await readdir(dataDir)).toEqual([]);
      const loaded = (await readFile(loadsFile, 'utf8')).split('\n');
      expect(loaded.filter((url) => url.includes('/dist/src/')).length).toBeGreaterThan(100);
      expect(loaded.filter((url) => url.includes('/src/sandbox/'))).toEqual([]);
    }
    const custody = (await readFile(proxied.loadsFile, 'utf8'))
      .split('\n')
      .filter((url) => url.includes('/src/custody/'));
    expect(custody).toEqual([]);
  });
});

describe('the sandbox at the door of live', () => {
  it('its keys and its well-signed tokens are 1007', async () => {
    const call = rest(secure);
    const pair = { keyId: `pk_test_${'0'.repeat(32)}`, secret: `sk_test_${'0'.repeat(56)}` };
    expectRefusal(await call('POST', '/auth/token', pair), 401, '1007');
    const claims = { merchantId: 'mer_0', keyId: pair.keyId, sessionId: null, permissions: PERMISSIONS };
    const secrets = deriveSecrets(setup.variables['TURNPIKE_SECRET'] ?? '');
    const { accessToken } = await issueToken({ secrets, environment: 'sandbox', ttlSeconds: 60 }, claims, new Date());
    expectRefusal(await rest(secure, accessToken)('GET', '/payments'), 401, '1007');
    const foreign = deriveSecrets('another secret, of another deployment altogether');
    const strange = await issueToken({ secrets: foreign, environment: 'sandbox', ttlSeconds: 60 }, claims, new Date());
    expectRefusal(await rest(secure, strange.accessToken)('GET', '/payments'), 401, '1002');
  });
});

describe('browsers', () => {
  it('are told to come by HTTPS alone, to guess no types and to frame nothing', async () => {
    const answers = [
      await rest(secure)('GET', '/currencies'),
      await through()('GET', '/currencies'),
      await send({ method: 'GET', url: `${secure.url}/pay/ord_0` }),
      await send({ method: 'GET', url: `${secure.url}/healthz` }),
    ];
    for (const { headers } of answers) {
      const maxAge = /max-age=(\d+)/.exec(headers['strict-transport-security'] ?? '')?.[1];
      expect(Number(maxAge)).toBeGreaterThanOrEqual(31_536_000);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['x-frame-options']).toBe('SAMEORIGIN');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['x-powered-by']).toBeUndefined();
    }
  });
});
