// A trace leads from a call through the domain, SQL, the chain and the signer to the webhook, over processes that meet
// in rows only. The receiver stands in for a collector: it takes what the exporter posts, as JSON.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, send, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

interface Posted {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const bodies: string[] = [];
const asked: { url: string; token: string }[] = [];
let collector: Server;
let endpoint: string;

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked.push({ url: request.url ?? '', token: String(request.headers['x-token']) });
      if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString());
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterAll(async () => {
  collector.close();
  collector.closeAllConnections();
  await once(collector, 'close');
});
afterEach(() => {
  bodies.length = 0;
  asked.length = 0;
});

const posted = () => bodies.map((body) => JSON.parse(body) as Posted);
const spans = (): Span[] =>
  posted().flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );

const start = (ratio: string): Promise<TestGateway> =>
  startTestGateway({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'x-token=a%20token' },
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });

async function payAndRefund(shop: TestMerchant, gateway: TestGateway): Promise<string> {
  const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201) as { orderId: string };
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, {}), 200);
  await until(async () => dataOf(await shop.rest('GET', `/payments/${orderId}`)).status === 'SUCCEEDED');
  const order = { address: ADDRESS, amount: '1' };
  const refunded = await shop.rest('POST', `/payments/${orderId}/refund`, order, { 'x-request-id': 'the-refund' });
  const { refundId } = dataOf(refunded, refunded.status) as { refundId: string };
  await until(
    async () =>
      (await gateway.sql<{ status: string }>('select status from payout where id = $1', [refundId]))[0]?.status ===
      'COMPLETED',
    120_000,
  );
  return refundId;
}

describe('with every call sampled', () => {
  it('a refund is one trace, from the call to its webhook, with its id in the API log; no secret is in it', async () => {
    const gateway = await start('1');
    try {
      const shop = await newMerchant(gateway);
      const hook = dataOf(await shop.rest('PUT', '/merchant/webhook', { url: `${endpoint}/hook?key=canary-in-url` }));
      const refundId = await payAndRefund(shop, gateway);
      const isOfRefund = (span: Span) => JSON.stringify(span.attributes).includes(refundId);
      const trace = await until(() => {
        const { traceId } = spans().find((span) => span.name === 'pay' && isOfRefund(span)) ?? {};
        const own = spans().filter((span) => span.traceId === traceId);
        return own.some(({ name }) => name === 'webhook') && own.some(({ name }) => name.startsWith('POST ')) && own;
      }, 120_000);
      const names = new Set(trace.map(({ name }) => name));
      for (const name of [
        'POST /api/v1/payments/:id/refund',
        'mutation refundPayment',
        'sql',
        'pay',
        'sign',
        'quote of ETH',
        'complete payout',
        'webhook',
      ])
        expect([...names]).toContain(name);
      const ids = new Set(trace.map(({ spanId }) => spanId));
      const [root, ...others] = trace.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId));
      expect([root?.name, others.map(({ name }) => name)]).toEqual(['POST /api/v1/payments/:id/refund', []]);

      const logged = await until(async () => {
        const rows = await gateway.sql<{ trace_id: string | null }>(
          `select trace_id from api_log where request_id = 'the-refund'`,
        );
        return rows[0];
      });
      expect(logged).toEqual({ trace_id: root?.traceId });

      // The webhook of the payment itself begins with the block that brought its money.
      const block = spans().filter(({ name }) => name === 'apply block');
      const hooks = spans().filter(({ name }) => name === 'webhook');
      expect(hooks.some(({ traceId }) => block.some((one) => one.traceId === traceId))).toBe(true);

      const resource = JSON.stringify(posted()[0]?.resourceSpans[0]?.resource.attributes);
      for (const text of ['"service.name"', '"turnpike"', 'api,observer,dispatcher,mailer,signer'])
        expect(resource).toContain(text);
      expect(asked.filter(({ url }) => url === '/v1/traces').map(({ token }) => token)).toContain('a token');
      const all = JSON.stringify(spans());
      const secrets = [
        shop.secret,
        shop.token,
        shop.email,
        String(hook['secret'] ?? shop.secret),
        'canary-in-url',
        ADDRESS,
      ];
      for (const secret of secrets) expect(all).not.toContain(secret);
      expect(all).not.toContain('/healthz');
    } finally {
      await gateway.stop();
    }
  });
});

describe('with no call sampled', () => {
  it('nothing is sent, and no row names a trace', async () => {
    const gateway = await start('0');
    try {
      const shop = await newMerchant(gateway);
      await payAndRefund(shop, gateway);
      const traced = `select (select count(trace) from payout) + (select count(trace) from event) + (select count(trace_id) from api_log) as count`;
      expect(await gateway.sql(traced)).toEqual([{ count: '0' }]);
    } finally {
      await gateway.stop();
    }
    expect(bodies).toEqual([]);
  });
});

describe('with a collector that is away', () => {
  it('calls are answered as ever, and the process stops', async () => {
    const gateway = await startTestGateway({
      ...{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_SAMPLER_ARG: '1' },
    });
    const answer = await send({ method: 'GET', url: `${gateway.url}/api/v1/currencies` });
    expect(answer.status).toBe(200);
    await gateway.stop();
  });
});
