// /metrics: it answers, its labels are bounded, and it discloses no secret.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { watchCostly } from '../../../src/server/metrics/cached-gauges.ts';
import { graphql, newMerchant, rest, send, USDT_PAYMENT, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { untilPasses } from '../../support/until.ts';
import { differences } from './table.fixture.ts';
import { connectAs, type TestClient } from '../graphql/ws/setup.fixture.ts';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

let gateway: TestGateway;
let shop: TestMerchant;
let orderId: string;
let client: TestClient;

beforeAll(async () => {
  gateway = await startTestGateway();
  shop = await newMerchant(gateway);
  orderId = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201).orderId as string;
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`));
  await shop.rest('GET', `/payments/${orderId}?x=1`);
  await rest(gateway)('GET', `/nowhere/${orderId}`);
  await graphql(gateway, 'sk_test_wrong')('{ __typename }');
  await send({ method: 'GET', url: `${gateway.url}/pay/${orderId}` });
  client = await connectAs(`${gateway.url.replace('http', 'ws')}/graphql`, shop.token);
  client.subscribe('a', 'subscription { paymentUpdated { id } }');
});
afterAll(async () => {
  client.socket.close();
  await gateway.stop();
});

async function scrape(): Promise<Sample[]> {
  const { status, headers, text } = await send({ method: 'GET', url: `${gateway.url}/metrics` });
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4; charset=utf-8/);
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseSample);
}

/** One line of Prometheus's text format. */
function parseSample(line: string): Sample {
  const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
  if (!match) throw new Error(`Not a sample: ${line}`);
  const [, name = '', labels = '', value = ''] = match;
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)",?/g)].map(([, key = '', text = '']) => [key, text]);
  const joined = pairs.map(([key = '', text = '']) => `${key}="${text}"`).join(',');
  if (joined !== labels) throw new Error(`Not labels: ${labels}`);
  return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
}

const only = (samples: readonly Sample[], name: string, labels: Record<string, string> = {}) => {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (found.length !== 1) throw new Error(`${found.length} samples of ${name} ${JSON.stringify(labels)}`);
  return found[0]?.value ?? NaN;
};

describe('/metrics', () => {
  it('counts calls by their route and status, and how long they took', async () => {
    const samples = await scrape();
    const calls = 'turnpike_http_requests_total';
    expect(only(samples, calls, { route: '/api/v1/payments', method: 'POST', status: '201' })).toBe(1);
    expect(only(samples, calls, { route: '/api/v1/payments/:id', method: 'GET', status: '400' })).toBe(1);
    expect(only(samples, calls, { route: '/graphql', status: '401' })).toBe(1);
    expect(only(samples, calls, { route: 'unknown', status: '404' })).toBe(1);
    const seconds = 'turnpike_http_request_seconds_count';
    expect(only(samples, seconds, { route: '/api/v1/payments', method: 'POST' })).toBe(1);
  });

  it('counts operations by their field at the top, whatever they came by, and what they came to', async () => {
    const asked = async (labels: Record<string, string>) => {
      const name = 'turnpike_graphql_operations_total';
      const found = (await scrape()).filter(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
      );
      return found.reduce((sum, { value }) => sum + value, 0);
    };
    const created = { kind: 'mutation', field: 'createPayment', outcome: 'success' };
    const [before, missed] = [await asked(created), await asked({ field: 'payment', outcome: 'refused' })];
    await shop.rest('POST', '/payments', USDT_PAYMENT);
    await shop.rest('GET', '/payments/pay_unknown');
    expect(await asked(created)).toBe(before + 1);
    expect(await asked({ field: 'payment', outcome: 'refused' })).toBe(missed + 1);

    const merged = '{ payments(first: 1) { nodes { id } } __typename }';
    const two = '{ a: payments(first: 1) { nodes { id } } b: currencies { currency } }';
    for (const text of [merged, merged, two]) await shop.graphql(text);
    // On the short way and by Apollo Server, once each.
    const refused = 'query ($n: Int!) { payments(first: $n) { nodes { id } } }';
    for (let nth = 0; nth < 3; nth += 1) await shop.graphql(refused, { n: 'many' });
    const query = { kind: 'query', field: 'payments' };
    expect(await asked({ ...query, outcome: 'success' })).toBe(2);
    expect(await asked({ ...query, outcome: 'refused' })).toBe(3);
    expect(await asked({ field: 'several', outcome: 'success' })).toBe(1);
    expect(await asked({ kind: 'subscription', field: 'paymentUpdated', outcome: 'success' })).toBe(1);
    expect(only(await scrape(), 'turnpike_graphql_operation_seconds_count', { ...query })).toBe(2);
  });

  it('shows payouts that are open, what the wallets hold and need, and what was signed', async () => {
    const order = {
      currency: 'ETH',
      network: 'ETH',
      amount: '5',
      address: '0x52908400098527886E0F7030069857D2E4169EE7',
    };
    await gateway.sql(
      `insert into payout (id, kind, merchant_id, currency, network, amount, network_fee, address, status, created_at, updated_at, held_reason, held_since, look_at)
       values ('wdr_held', 'WITHDRAWAL', $1, 'ETH', 'ETH', 5e18, 0, $2, 'REQUESTED', now() - interval '2 hours', now(), 'FROZEN', now(), now() + interval '1 day')`,
      [shop.id, order.address],
    );
    const open = { network: 'ETH', state: 'requested' };
    const hot = { network: 'ETH', wallet: 'hot', currency: 'ETH' };
    await untilPasses(async () => {
      const samples = await scrape();
      expect(only(samples, 'turnpike_payouts_open', open)).toBe(1);
      expect(only(samples, 'turnpike_payouts_open_seconds', open)).toBeGreaterThan(7_199);
      expect(only(samples, 'turnpike_payouts_open', { network: 'ETH', state: 'broadcast' })).toBe(0);
      expect(only(samples, 'turnpike_wallet_needed', hot)).toBe(5);
      expect(only(samples, 'turnpike_wallet_needed', { ...hot, wallet: 'gas' })).toBe(0.02);
      expect(only(samples, 'turnpike_wallet_balance', { ...hot, wallet: 'gas' })).toBeGreaterThanOrEqual(0);
    }, 200_000);
    await gateway.sql(`delete from payout where id = 'wdr_held'`);
  });

  it('shows the clock, and that the database answers', async () => {
    await untilPasses(async () => {
      const samples = await scrape();
      expect(only(samples, 'turnpike_database_up')).toBe(1);
      expect(Math.abs(only(samples, 'turnpike_clock_skew_seconds'))).toBeLessThan(5);
      expect(only(samples, 'turnpike_database_connections_max')).toBe(10);
      expect(only(samples, 'turnpike_database_standbys')).toBe(0);
      expect(only(samples, 'turnpike_database_wait_seconds_count')).toBeGreaterThan(0);
      const tips = { network: 'ETH', method: 'tip', outcome: 'answered' };
      expect(only(samples, 'turnpike_chain_questions_total', tips)).toBeGreaterThan(0);
      const loop = { loop: 'watch-deposits ETH' };
      expect(only(samples, 'turnpike_loop_runs_total', { ...loop, outcome: 'success' })).toBeGreaterThan(0);
      expect(only(samples, 'turnpike_loop_busy_seconds_total', loop)).toBeGreaterThan(0);
    });
  });

  it('shows the database pool, the live connections and the calls under way', async () => {
    await untilPasses(async () => {
      const samples = await scrape();
      const connections = ['idle', 'used'].map((state) => only(samples, 'turnpike_database_connections', { state }));
      expect(connections.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(1);
      expect(only(samples, 'turnpike_database_waiting')).toBeGreaterThanOrEqual(0);
      expect(only(samples, 'turnpike_live_connections', { kind: 'web socket' })).toBe(1);
      expect(only(samples, 'turnpike_live_connections', { kind: 'event stream' })).toBe(0);
      expect(only(samples, 'turnpike_live_listeners')).toBe(1);
      // The request for the metrics does not count itself.
      expect(only(samples, 'turnpike_http_calls', { state: 'under way' })).toBe(0);
      expect(only(samples, 'turnpike_http_calls', { state: 'waiting' })).toBe(0);
    });
  });

  it('shows how far the chain was read, and when its tip was', async () => {
    await untilPasses(async () => {
      const samples = await scrape();
      expect(only(samples, 'turnpike_chain_lag_blocks', { network: 'ETH' })).toBe(0);
      expect(only(samples, 'turnpike_chain_tip_age_seconds', { network: 'ETH' })).toBeLessThan(60);
    });
  });

  it('shows events that wait to be numbered and to be sent, read again after five seconds', async () => {
    await untilPasses(async () => expect(only(await scrape(), 'turnpike_events_not_relayed')).toBeLessThan(7));
    await untilPasses(async () => expect(only(await scrape(), 'turnpike_events_unnumbered_seconds')).toBe(0));
    // As if seven events had been numbered that the relay has not reached.
    await gateway.sql(`update event_counter set last = last + 7 where scope = 'position'`);
    await untilPasses(async () =>
      expect(only(await scrape(), 'turnpike_events_not_relayed')).toBeGreaterThanOrEqual(7),
    );
    await untilPasses(async () => expect(only(await scrape(), 'turnpike_events_unnumbered')).toBe(0));
  });

  it('shows at what pace the chain is read, and how long it takes to the tip, from the second look on', async () => {
    await untilPasses(async () => {
      const samples = await scrape();
      expect(only(samples, 'turnpike_chain_blocks_per_second', { network: 'ETH' })).toBeGreaterThanOrEqual(0);
      expect(only(samples, 'turnpike_chain_catch_up_seconds', { network: 'ETH' })).toBe(0);
    });
  });

  it('shows each loop: when it last ran, when without an error, and how often it has failed since', async () => {
    await gateway.sql('alter table webhook_lane rename to webhook_lane_away');
    await untilPasses(async () => {
      const samples = await scrape();
      expect(only(samples, 'turnpike_loop_failures', { loop: 'send-webhooks' })).toBeGreaterThan(0);
      expect(only(samples, 'turnpike_loop_failures', { loop: 'watch-deposits ETH' })).toBe(0);
      const ran = only(samples, 'turnpike_loop_since_run_seconds', { loop: 'send-webhooks' });
      expect(only(samples, 'turnpike_loop_since_success_seconds', { loop: 'send-webhooks' })).toBeGreaterThan(ran);
    });
    await gateway.sql('alter table webhook_lane_away rename to webhook_lane');
    await untilPasses(async () => {
      expect(only(await scrape(), 'turnpike_loop_failures', { loop: 'send-webhooks' })).toBe(0);
    });
  });

  it('has a name and a help for everything, in the form of Prometheus', async () => {
    const { text } = await send({ method: 'GET', url: `${gateway.url}/metrics` });
    const helped = new Set([...text.matchAll(/^# HELP (\S+) \S.*$/gm)].map(([, name]) => name));
    for (const { name } of await scrape())
      expect(helped).toContain(helped.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''));
  });

  it('tells of the families of docs/metrics.md and of no other, with the labels that it says', async () => {
    const { text } = await send({ method: 'GET', url: `${gateway.url}/metrics` });
    expect(differences(text, ['api', 'observer', 'dispatcher', 'mailer', 'signer'])).toEqual([]);
  });

  it('has as many series after calls of new merchants, keys, paths, operations, methods and hosts as before', async () => {
    const callAll = async (name: string) => {
      const other = await newMerchant(gateway);
      const url = `http://${name}.example/hook`;
      dataOf(await other.rest('PUT', '/merchant/webhook', { url }));
      const { orderId: id } = dataOf(await other.rest('POST', '/payments', USDT_PAYMENT), 201);
      dataOf(await other.rest('POST', `/sandbox/payments/${String(id)}/deposit`));
      await other.rest('GET', `/payments/${name}`);
      for (const path of [`/${name}`, `/api/v1/${name}`, `/pay/${name}`, `/api/v1/payments?${name}=1`])
        for (const method of ['GET', 'DELETE', 'PROPFIND']) await send({ method, url: gateway.url + path });
      await other.graphql(`query ${name} { ${name}: payments(first: 1) { nodes { id } } }`);
      await graphql(gateway, name)('{ __typename }');
      await other.rest('GET', '/currencies', undefined, { 'user-agent': name, 'x-request-id': name });
    };
    const series = async () =>
      (await scrape())
        .filter(({ name, labels }) => name.startsWith('turnpike_') && Object.keys(labels).length > 0)
        // By network and coin; present or not depending on what the observer saw last.
        .filter(({ name }) => !/^turnpike_(chain_catch_up_seconds|custody_difference)$/.test(name))
        .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`)
        .sort();
    await callAll('first');
    const before = await series();
    for (const name of ['second', 'third', 'fourth']) await callAll(name);
    expect(await series()).toEqual(before);
  });

  it('has no label whose values are without bound: no id, address, URL, name of a merchant, and no secret', async () => {
    const samples = await scrape();
    const secrets = [
      shop.id,
      shop.email,
      shop.keyId,
      shop.secret,
      shop.token,
      orderId,
      gateway.config.databaseUrl ?? '',
    ];
    for (const { labels } of samples) {
      for (const value of Object.values(labels)) {
        expect(value.length).toBeLessThanOrEqual(64);
        expect(value).not.toMatch(
          /\b(mer|ord|evt|dlv|whk|wdr|rfd|key)_|[ps]k_|whsec_|eyJ|0x|:\/\/|@|\d+\.\d+\.\d+\.\d+|[0-9a-f]{16}/,
        );
        for (const secret of secrets) expect(value).not.toContain(secret);
      }
    }
    const byName = Map.groupBy(samples, ({ name }) => name);
    for (const [name, found] of byName) expect([name, found.length < 1_500]).toEqual([name, true]);
  });
});

describe('a costly gauge', () => {
  const open = (read: () => Promise<number>) => {
    const registry = new Registry();
    watchCostly(registry, read, [
      { name: 'a', help: 'a', of: (count) => count },
      { name: 'b', help: 'b', label: 'x', of: (count) => new Map([['y', count]]) },
    ]);
    return registry;
  };

  it('is read once for all its figures and for all who ask within five seconds', async () => {
    let reads = 0;
    const registry = open(() => Promise.resolve((reads += 1)));
    const [first, second] = await Promise.all([registry.metrics(), registry.metrics()]);
    expect(first).toContain('\na 1\n');
    expect(first).toContain('b{x="y"} 1');
    expect(second).toContain('\na 1\n');
    expect(reads).toBe(1);
  });

  it('has no figure before its first reading, and does not keep a scrape waiting', async () => {
    const failing = await open(() => Promise.reject(new Error('away'))).metrics();
    expect(failing).not.toMatch(/^[ab][ {]/m);
    const never = open(() => new Promise(() => undefined));
    expect(await never.metrics()).not.toMatch(/^[ab][ {]/m);
  });
});
