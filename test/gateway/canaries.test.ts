// No secret leaks (threat 14): a live deployment goes through successful calls, refused ones and failures, with a
// recognisable value for each secret; then everything that it said, stored or showed is searched for them.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HDKey } from '@scure/bip32';
import { closeReceivers } from '../dispatch/receivers.fixture.ts';
import { receiveWebhooks } from '../dispatch/webhook-receiver.fixture.ts';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { connectAs } from '../server/graphql/ws/setup.fixture.ts';
import { newEmail, send, TLS, type Answer, type Json } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { runSql } from '../support/database/database.ts';
import { startPostgresProxy, type PostgresProxy } from '../support/proxies/postgres-proxy.ts';
import { until } from '../support/until.ts';
import { openLiveSetup, type LiveProgram, type LiveSetup } from './live/setup.fixture.ts';

const LONG = 120_000;
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const canary = (): string => `c${randomBytes(20).toString('hex')}`;

/** The secrets, by name, each in the forms in which something could have written it. */
const secrets = new Map<string, string>();
/** The one answer that shows each secret. */
const shown = new Map<string, Answer>();
const heard: { readonly what: string; readonly answer: Answer }[] = [];

let setup: LiveSetup;
let proxy: PostgresProxy;
let program: LiveProgram;
const others: LiveProgram[] = [];
let receiver: Awaited<ReturnType<typeof receiveWebhooks>>;

const keep = (name: string, value: string): string => {
  secrets.set(name, value);
  return value;
};

beforeAll(async () => {
  setup = await openLiveSetup();
  receiver = await receiveWebhooks();
  proxy = await startPostgresProxy(setup.databaseUrl);
  const database = new URL(proxy.url);
  if (database.password !== '') keep('the database password', decodeURIComponent(database.password));
  const node = Object.assign(new URL(setup.variables['ETH_RPC_URL'] ?? ''), {
    username: 'gateway',
    password: keep('the password of the node', canary()),
  });
  keep('the passphrase', setup.variables['KEYSTORE_PASSPHRASE'] ?? '');
  keep('the words', setup.wallet.mnemonic);
  keep('the seed', Buffer.from(setup.wallet.seed).toString('hex'));
  keep('the extended private key', HDKey.fromMasterSeed(setup.wallet.seed).derive("m/44'/60'/0'").privateExtendedKey);
  program = await setup.launch({
    ...setup.variables,
    ...setup.certificate,
    TURNPIKE_SECRET: keep('TURNPIKE_SECRET', canary()),
    TOKEN_SECRETS: [keep('the present token secret', canary()), keep('the former token secret', canary())].join(','),
    DATABASE_URL: proxy.url,
    ETH_RPC_URL: node.href,
    LOG_LEVEL: 'trace',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    WEBHOOK_RETRY_DELAYS: '1,1',
    API_DOCS: 'true',
  });
  await program.ready;
}, LONG);
afterAll(async () => {
  await setup.stop();
  await proxy.stop();
  await closeReceivers();
});

interface More {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes a call, whose answer is searched at the end. */
async function call(method: string, path: string, { token, body, headers = {} }: More = {}): Promise<Answer> {
  const answer = await send({
    method,
    url: `https://${program.host}${path}`,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
  heard.push({ what: `${method} ${path.split('?')[0]?.slice(0, 60) ?? ''}`, answer });
  return answer;
}
const api = (method: string, path: string, more?: More) => call(method, `/api/v1${path}`, more);
const ask = (query: string, more: More & { readonly variables?: Json } = {}) =>
  call('POST', '/graphql', { ...more, body: { query, variables: more.variables ?? {} } });

/** A secret that this answer shows, as it should, and no other may. */
function keepShown(name: string, value: unknown, answer: Answer): string {
  expect(typeof value).toBe('string');
  shown.set(name, answer);
  return keep(name, value as string);
}

interface Account {
  readonly owner: string;
  readonly token: string;
  readonly email: string;
}

const LOGIN =
  'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }';

async function openAccount(): Promise<Account> {
  const email = newEmail();
  const password = keep('the password', canary());
  const registered = await api('POST', '/merchant/register', { body: { email, companyName: 'Canary', password } });
  keepShown('the first key', dataOf(registered, 201).apiKey.secret, registered);
  const login = await ask(LOGIN, { variables: { email, password } });
  const owner = keepShown("the owner's token", login.body.data.login.accessToken, login);
  const cookie = await ask(
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { permissions } }',
    {
      variables: { email, password },
      headers: { 'turnpike-session': 'cookie' },
    },
  );
  const set = String(cookie.headers['set-cookie']);
  keepShown('the session', /__Host-turnpike=([^;]+)/.exec(set)?.[1], cookie);
  const made = await api('POST', '/merchant/api-keys', {
    token: owner,
    body: { name: 'All', permissions: PERMISSIONS },
  });
  const { keyId, secret } = dataOf(made, 201) as { keyId: string; secret: string };
  keepShown('the key', secret, made);
  const exchanged = await api('POST', '/auth/token', { body: { keyId, secret } });
  const token = keepShown('the token', dataOf(exchanged).accessToken, exchanged);
  return { owner, token, email };
}

/** Makes an order, pays it, waits for its webhook, and withdraws its money. */
async function payAndWithdraw({ token }: Account): Promise<void> {
  const configured = await api('PUT', '/merchant/webhook', { token, body: { url: receiver.url } });
  keepShown('the first webhook secret', dataOf(configured).secret, configured);
  const rotated = await api('POST', '/merchant/webhook/rotate-secret', { token, body: {} });
  keepShown('the webhook secret', dataOf(rotated, rotated.status).secret, rotated);
  const order = { amount: '25', currency: 'USDT', network: 'ETH' };
  const created = await until(async () => {
    const answer = await api('POST', '/payments', { token, body: order });
    return answer.status === 201 ? answer : null;
  });
  const { orderId, address } = dataOf(created, 201) as Record<string, string>;
  await setup.pay(address ?? '', 'USDT', 25_000_000n);
  await until(async () => dataOf(await api('GET', `/payments/${orderId}`, { token })).status === 'SUCCEEDED');
  await until(() => receiver.received.length > 0);
  await setup.fundGasWallet();
  const body = { currency: 'USDT', network: 'ETH', amount: '10', address: RECIPIENT };
  const asked = dataOf(await api('POST', '/wallet/withdraw', { token, body }), 201) as { withdrawalId: string };
  await until(async () => {
    await setup.mineWhatWaits();
    return dataOf(await api('GET', `/wallet/withdrawals/${asked.withdrawalId}`, { token })).status === 'COMPLETED';
  });
}

/** Sends secrets where they do not belong, and makes calls that are refused. */
async function misplace({ token, owner, email }: Account): Promise<void> {
  const of = (name: string) => secrets.get(name) ?? '';
  const misplaced = ['the key', 'the password', 'the webhook secret', "the owner's token"].map(of);
  for (const secret of misplaced) {
    const text = encodeURIComponent(secret);
    const tries: readonly Promise<Answer>[] = [
      api('GET', '/payments', { token: secret.slice(0, -1) }),
      api('GET', `/payments/${text}`, { token }),
      api('GET', `/payments?secret=${text}&cursor=${text}&status=${text}`, { token }),
      api('GET', `/${text}`),
      api('GET', `/merchant/api-logs?keyId=${text}`, { token }),
      api('POST', '/payments', { token, body: { amount: secret, currency: secret, network: secret, address: secret } }),
      api('POST', '/payments', { token, body: `{"amount":"${secret}"` }),
      api('POST', '/payments', { token, body: secret, headers: { 'content-type': 'text/plain' } }),
      api('POST', '/auth/token', { body: { keyId: secret, secret: `${secret}x` } }),
      api('POST', '/auth/token', { body: { keyId: 5, secret: [secret] } }),
      api('POST', '/wallet/withdraw', {
        token,
        body: { currency: 'USDT', network: 'ETH', amount: '1', address: secret },
      }),
      api('PUT', '/merchant/webhook', { token, body: { url: `https://shop:${text}@shop.example/hook` } }),
      api('PUT', '/merchant/settings', { token, body: { locale: secret, accentColor: secret, logoUrl: secret } }),
      api('POST', '/webhooks/resend', { token, body: { event_id: secret } }),
      ask(LOGIN, { variables: { email: secret, password: `${secret}x` } }),
      ask(LOGIN, { variables: { email, password: [secret, { a: secret }] } }),
      ask('query ($first: Int) { payments(first: $first) { nodes { id } } }', { token, variables: { first: secret } }),
      ask('{ payment(id: "%") { id } }'.replace('%', secret), { token }),
      ask(`{ settings { companyName } } "${secret}`, { token }),
      ask('{ settings { companyName } }', { token: `${secret}x` }),
      call('GET', `/pay/${text}`),
      call('GET', `/docs/${text}`),
    ];
    await Promise.all(tries);
  }
  await api('POST', '/merchant/register', { body: { email, companyName: 'Canary', password: of('the password') } });
  await expect(connectAs(`wss://${program.host}/graphql`, `${token}x`, TLS)).rejects.toThrow();
  const change = 'mutation ($a: String!, $b: String!) { changePassword(current: $a, password: $b) }';
  await ask(change, { token: owner, variables: { a: of('the password'), b: 'short' } });
}

/** Reads everything that the merchant, the operator and Prometheus can read. */
async function readEverything({ token, owner }: Account): Promise<void> {
  const paths = ['/payments', '/events', '/wallet/balance', '/wallet/withdrawals', '/webhooks', '/webhooks/deliveries'];
  const more = ['/reports', '/reports?format=csv', '/merchant/settings', '/merchant/api-keys', '/currencies'];
  for (const path of [...paths, ...more, '/merchant/api-logs?limit=100'])
    expect((await api('GET', path, { token })).status).toBe(200);
  for (const path of ['/metrics', '/healthz', '/readyz', '/openapi.json', '/docs']) await call('GET', path);
  const audit = await ask('{ auditLog(first: 100) { nodes { id action details } } sessions { id } }', { token: owner });
  expect(audit.status).toBe(200);
}

/** Starts programs that fail to start, or whose node does not answer. */
async function failToStart(): Promise<void> {
  const gone = `http://gateway:${keep('the password of a node that is away', canary())}@127.0.0.1:1/v2/${keep('its key', canary())}`;
  const database = `postgresql://turnpike:${keep('the password of a database that is away', canary())}@127.0.0.1:1/turnpike`;
  const { variables, certificate } = setup;
  const common = { ...variables, ...certificate, LOG_LEVEL: 'trace' };
  const bad = (name: string) => keep(`a bad ${name}`, canary());
  const [withoutNode, withoutDatabase, refused] = await Promise.all([
    setup.launch({ ...common, DATABASE_URL: proxy.url, ETH_RPC_URL: gone }),
    setup.launch({ ...common, DATABASE_URL: database }),
    setup.launch({
      ...common,
      TURNPIKE_SECRET: bad('TURNPIKE_SECRET').slice(0, 30),
      TOKEN_SECRETS: bad('TOKEN_SECRETS').slice(0, 30),
      DATABASE_URL: `mysql://turnpike:${bad('DATABASE_URL')}@127.0.0.1/x`,
      REDIS_URL: `http://turnpike:${bad('REDIS_URL')}@127.0.0.1`,
      ETH_RPC_URL: `ftp://gateway:${bad('ETH_RPC_URL')}@127.0.0.1`,
      KEYSTORE_PASSPHRASE: bad('KEYSTORE_PASSPHRASE').slice(0, 11),
    }),
  ]);
  others.push(withoutNode, withoutDatabase, refused);
  await until(() => withoutNode.said().includes('out of service'));
  await withoutNode.stop();
  expect(await withoutDatabase.exited).toBe(1);
  expect(await refused.exited).toBe(1);
}

const findRows = `
select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`;

/** Every row of every table. The secrets that sign webhooks have to be stored, and are in two columns only. */
async function readTables(): Promise<string[]> {
  const tables = await runSql<{ name: string }>(setup.databaseUrl, findRows);
  expect(tables.length).toBeGreaterThan(15);
  const rows = tables.map(async ({ name }) => {
    const statement = `select coalesce(string_agg((to_jsonb(t) - 'webhook_secret' - 'previous_webhook_secret')::text, E'\\n'), '') as text
      from "${name}" t`;
    const [row] = await runSql<{ text: string }>(setup.databaseUrl, statement);
    return `${name}\n${row?.text ?? ''}`;
  });
  return Promise.all(rows);
}

/** The forms in which a value could have been written. A value cut in the middle counts as well. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = [
    secret,
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
  // All tokens begin alike.
  const beginning = secret.startsWith('eyJ') ? [] : [secret.slice(0, 30)];
  return [...new Set([...whole, ...beginning, secret.slice(-24)])];
}

/** The names of the secrets that are in a text. */
const leaksIn = (text: string, but: (name: string) => boolean = () => false): string[] =>
  [...secrets]
    .filter(([name, secret]) => !but(name) && formsOf(secret).some((form) => text.includes(form)))
    .map(([name]) => name);

describe('no secret is found', () => {
  beforeAll(async () => {
    const account = await openAccount();
    await payAndWithdraw(account);
    await misplace(account);
    await failToStart();
    // Calls are logged within a second.
    await until(async () => {
      const last = `select from api_log where path = '/api/v1/webhooks/resend' and status = 404 limit 1`;
      return (await runSql(setup.databaseUrl, last)).length === 1;
    });
    await readEverything(account);
    await proxy.stop();
    const cut = await until(async () => {
      const answer = await api('GET', '/payments', account);
      return answer.status === 503 ? answer : null;
    });
    expect(cut.body.error.code).toBe('9503');
    await ask('{ settings { companyName } }', account);
  }, LONG);

  it('by a search that finds what is there', () => {
    expect(secrets.size).toBeGreaterThan(20);
    for (const [name, secret] of secrets) {
      expect(secret.length).toBeGreaterThanOrEqual(20);
      for (const form of formsOf(secret)) expect(leaksIn(`before ${form} after`)).toContain(name);
    }
    for (const [name, answer] of shown) expect(leaksIn(answer.text + JSON.stringify(answer.headers))).toContain(name);
  });

  it('in the log, at its most talkative, and on the terminal', () => {
    expect(program.said().length).toBeGreaterThan(1_000);
    for (const { said } of [program, ...others]) expect(leaksIn(said())).toEqual([]);
  });

  it('in any answer but the one that shows it, headers, metrics, exports and errors included', () => {
    expect(heard.length).toBeGreaterThan(100);
    const found = heard.map(({ what, answer }) => {
      const text = `${answer.text}\n${JSON.stringify(answer.headers)}`;
      return { what, status: answer.status, leaks: leaksIn(text, (name) => shown.get(name) === answer) };
    });
    expect(found.filter(({ leaks }) => leaks.length > 0)).toEqual([]);
  });

  it('in a webhook', () => {
    const told = receiver.received.map(
      ({ headers, body, path }) => `${path}${JSON.stringify(headers)}${body.toString()}`,
    );
    expect(told.flatMap((text) => leaksIn(text))).toEqual([]);
  });

  it('in the database, API log and audit log included', async () => {
    const tables = await readTables();
    const found = tables.map((text) => ({ table: text.split('\n')[0], leaks: leaksIn(text) }));
    expect(found.filter(({ leaks }) => leaks.length > 0)).toEqual([]);
  });
});
