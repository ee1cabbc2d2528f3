// From nothing to a paid order and verified webhooks, by the installed command line alone.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PUBLIC_EVENT_TYPES, USUAL_EVENT_TYPES } from '../../src/values/internet/webhook-events.ts';
import { newWebhookSecret } from '../../src/values/secrets/webhook-secret.ts';
import { PAYOUT_TYPES, USUAL_TYPES } from '../../cli/src/listen/event-types.ts';
import { LANGUAGES, startReceiver } from '../examples/receiver-programs.fixture.ts';
import type { Json } from '../support/clients.ts';
import { ROOT } from '../support/sources.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { until } from '../support/until.ts';
import { install, readJson, type Installed } from './program.fixture.ts';
import { openShop, type Shop } from './receiver.fixture.ts';

const ORDER = ['--amount', '25', '--currency', 'USDT', '--network', 'ETH', '--json'];

let gateway: BorrowedGateway;
let cli: Installed;
let shop: Shop;

beforeAll(async () => {
  [gateway, cli, shop] = await Promise.all([borrowGateway(), install(), openShop()]);
  const { code, errors } = await cli.run(['login', '--new', '--base-url', gateway.url]);
  expect([code, errors]).toEqual([0, '']);
});
afterAll(() => Promise.all([gateway.stop(), cli.remove(), shop.close()]));

const create = async (): Promise<string> => (await cli.run(['payments', 'create', ...ORDER])).json[0].orderId;
const profile = (): Promise<Json> => readJson(join(cli.home, '.config/turnpike/profiles.json'));
const listen = (...more: string[]) => cli.start(['listen', '--json', '--forward-to', shop.url, ...more]);
const isListening = (line: Json): boolean => line.listening === true;
const sequencesOf = (lines: Json[]): number[] => lines.filter((one) => one.isTaken).map((one) => one.sequence);

describe('the package', () => {
  it('is one program without dependencies, and has nothing else in it', async () => {
    expect([...cli.files].sort()).toEqual(['LICENSE', 'README.md', 'dist/turnpike.js', 'package.json']);
    const { version } = await readJson(join(ROOT, 'package.json'));
    const { code, out } = await cli.run(['--version']);
    expect([code, out]).toEqual([0, `${version}\n`]);
  });

  it('knows the types of webhooks that the gateway has', () => {
    expect(USUAL_TYPES).toEqual(USUAL_EVENT_TYPES);
    expect([...USUAL_TYPES, ...PAYOUT_TYPES]).toEqual(PUBLIC_EVENT_TYPES);
  });
});

describe('payments', () => {
  it('keeps the key for its owner alone', async () => {
    const folder = join(cli.home, '.config/turnpike');
    const modes = await Promise.all(
      [folder, join(folder, 'profiles.json')].map(async (path) => (await stat(path)).mode),
    );
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it('are created, shown, listed, and waited for until they are paid', async () => {
    const id = await create();
    const waiting = cli.run(['payments', 'wait', id, '--json']);
    expect((await cli.run(['payments', 'get', id, '--json'])).json[0]).toMatchObject({
      orderId: id,
      status: 'PENDING',
    });
    const { sandbox: key } = await profile();
    const variables = { TURNPIKE_API_KEY: key.keyId, TURNPIKE_API_SECRET: key.secret, TURNPIKE_BASE_URL: key.baseUrl };
    const triggered = await cli.run(['trigger', 'payment.succeeded', '--json'], { ...variables, HOME: '/nowhere' });
    expect(triggered.json[0]).toMatchObject({ status: 'SUCCEEDED' });
    await deposit(id);
    const { code, json } = await waiting;
    expect([code, json.at(-1).status]).toEqual([0, 'SUCCEEDED']);
    const listed = await cli.run(['--json', 'payments', 'list', '--status', 'succeeded', '--limit', '5']);
    expect(listed.json.map((one) => one.orderId)).toContain(id);
  });

  it('waited for in vain have exit codes of their own', async () => {
    const id = await create();
    expect((await cli.run(['payments', 'wait', id, '--timeout', '1'])).code).toBe(7);
    const expired = await cli.run(['trigger', 'payment.expired', '--json']);
    expect((await cli.run(['payments', 'wait', expired.json[0].orderId])).code).toBe(6);
  });

  it('with an order id are made once', async () => {
    const [one, two] = [await create(), await create()];
    expect(one).not.toBe(two);
    const ids = ['a', 'b'].map(async () => {
      return (await cli.run(['payments', 'create', ...ORDER, '--order-id', 'BK-1 ☕'])).json[0].orderId as string;
    });
    const [first, second] = await Promise.all(ids);
    expect(first).toBe(second);
  });
});

describe('listen', () => {
  it('forwards each event once that a webhook would be sent for, signed, and the same as the webhook', async () => {
    const listening = listen();
    const { secret } = await listening.printed(isListening);
    shop.secret = secret;
    const { url: hook, received } = await openSecondShop();
    const payment = await cli.run(['payments', 'create', ...ORDER, '--callback-url', hook]);
    const { orderId } = payment.json[0];
    await deposit(orderId);
    await listening.printed((line) => line.type === 'payment.succeeded' && line.isTaken);
    await until(() => Promise.resolve(received.length > 0));
    const [own] = shop.received.filter(({ event }) => event.data.payment?.orderId === orderId);
    expect(own?.fault).toBeNull();
    expect(own?.event).toEqual(received[0]?.event);
    expect(Object.keys(received[0]?.headers ?? {}).filter((name) => !(name in (own?.headers ?? {})))).toEqual([]);
    expect(await listening.end('SIGINT')).toBe(0);
  });

  it('loses nothing when it is killed in the midst of an answer, and repeats what was not answered', async () => {
    shop.answers.push(0);
    const before = shop.received.length;
    const killed = listen();
    const { after, secret } = await killed.printed(isListening);
    expect(secret).toBe(shop.secret);
    const first = await cli.run(['trigger', 'payment.expired', '--json']);
    await until(() => Promise.resolve(shop.received.length > before));
    await killed.end('SIGKILL');
    const second = await cli.run(['trigger', 'payment.succeeded', '--json']);
    const again = listen();
    expect((await again.printed(isListening)).after).toBeLessThan(after + 3);
    await again.printed((line) => line.type === 'payment.succeeded' && line.isTaken);
    await again.end('SIGTERM');
    const arrived = shop.received.slice(before).map(({ event }) => event.data.payment.orderId as string);
    const [one, two] = [first.json[0].orderId as string, second.json[0].orderId as string];
    expect(arrived).toEqual([one, one, two]);
    expect(shop.received.every(({ fault }) => fault === null)).toBe(true);
  });

  it('repeats what was refused, and says when it gives up, where it goes on, and how to have it again', async () => {
    shop.answers.push(500, 302, 503);
    const listening = listen('--retries', '1');
    await listening.printed(isListening);
    await cli.run(['trigger', 'payment.expired']);
    await cli.run(['trigger', 'payment.expired']);
    await until(() => Promise.resolve(sequencesOf(listening.lines()).length === 1));
    const outcomes = listening.lines().slice(1);
    expect(outcomes.map((one) => [one.attempt, one.status, one.isGivenUp])).toEqual([
      ...[
        [1, 500, false],
        [2, 302, true],
      ],
      ...[
        [1, 503, false],
        [2, 200, false],
      ],
    ]);
    await listening.end('SIGINT');
    const again = listen('--after', String(outcomes[1].sequence - 1));
    await again.printed((line) => line.sequence === outcomes[1].sequence && line.isTaken);
    await again.end('SIGINT');
  });

  it('is the only one for its URL', async () => {
    const listening = listen();
    await listening.printed(isListening);
    expect((await cli.run(['listen', '--forward-to', shop.url])).code).toBe(8);
    await listening.end('SIGINT');
  });

  it('is one of several that take over what a killed one has left', async () => {
    const killed = listen();
    await killed.printed(isListening);
    await killed.end('SIGKILL');
    const several = Array.from({ length: 5 }, () => listen());
    const codes: (number | null)[] = [];
    for (const { code } of several) void code.then((ended) => codes.push(ended));
    await until(() => Promise.resolve(codes.length >= several.length - 1));
    expect(several.filter((one) => one.lines().some(isListening))).toHaveLength(1);
    expect(codes).toEqual([8, 8, 8, 8]);
    for (const one of several) await one.end('SIGINT');
  });

  it("signs with the merchant's own secret if it is told, which the examples' receiver takes", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'turnpike-receiver-'));
    const secret = newWebhookSecret();
    const [typescript] = LANGUAGES;
    const program = await startReceiver(typescript?.build(folder) ?? ['false'], folder, [secret]);
    const args = ['listen', '--json', '--forward-to', program.url];
    const listening = cli.start(args, { TURNPIKE_WEBHOOK_SECRET: secret });
    expect((await listening.printed(isListening)).secret).toBeNull();
    await cli.run(['trigger', 'payment.succeeded']);
    await listening.printed((line) => line.type === 'payment.succeeded' && line.isTaken);
    await listening.end('SIGINT');
    await program.stop();
    await rm(folder, { recursive: true });
  });
});

describe('trigger', () => {
  it.each([
    ['payment.failed', 'FAILED'],
    ['payment.refunded', /REFUNDED$/],
  ])('%s', async (type, status) => {
    const { code, json, errors } = await cli.run(['trigger', type, '--json']);
    expect([code, errors]).toEqual([0, '']);
    expect(json[0].status).toEqual(typeof status === 'string' ? status : expect.stringMatching(status));
  });
});

describe('the log of events and that of calls', () => {
  it('sends an event again, to the endpoint of the merchant', async () => {
    const second = await openSecondShop();
    const payment = await cli.run(['payments', 'create', ...ORDER, '--callback-url', second.url]);
    await deposit(payment.json[0].orderId);
    await until(() => Promise.resolve(second.received.length === 1));
    const { event } = second.received[0] ?? {};
    expect((await cli.run(['events', 'resend', event.id, '--json'])).json[0]).toMatchObject({ event_id: event.id });
    await until(() => Promise.resolve(second.received.length === 2));
    const log = await cli.run(['events', 'list', '--json', '--limit', '1000']);
    expect(log.json.map((one) => one.sequence)).toEqual(log.json.map((_, index) => index + 1));
    expect(log.json.find((one) => one.id === event.id)).toMatchObject({ type: 'payment.succeeded' });
  });

  it('follows the calls, each once and without its own', async () => {
    const following = cli.start(['logs', '--follow', '--json']);
    const id = await create();
    await following.printed((line) => line.operation === 'createPayment');
    await cli.run(['payments', 'get', id]);
    await following.printed((line) => line.operation === 'payment');
    await cli.run(['payments', 'get', 'ord_unknown']);
    await following.printed((line) => line.errorCode === '2004');
    expect(await following.end('SIGTERM')).toBe(0);
    const ids = following.lines().map((line) => `${line.requestId} ${line.at}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(following.lines().filter((line) => line.operation === 'apiLogs')).toEqual([]);
  });
});

const others: Shop[] = [];
afterAll(() => Promise.all(others.map((one) => one.close())));

/** A shop that the gateway itself sends webhooks to. */
async function openSecondShop(): Promise<Shop> {
  const one = await openShop();
  others.push(one);
  return one;
}

/** Pays with the sandbox's faucet, as a customer would. */
async function deposit(id: string): Promise<void> {
  const { sandbox: key } = await profile();
  const call = (path: string, body: unknown, headers = {}): Promise<Json> =>
    fetch(`${gateway.url}/api/v1${path}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      body: JSON.stringify(body),
    }).then((response) => response.json());
  const token = await call('/auth/token', { keyId: key.keyId, secret: key.secret });
  await call(`/sandbox/payments/${id}/deposit`, {}, { authorization: `Bearer ${token.data.accessToken}` });
}
