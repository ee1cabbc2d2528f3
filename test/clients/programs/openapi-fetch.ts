// openapi-fetch with the types of openapi-typescript: a sale from the token to the confirmed payment.

import createClient from 'openapi-fetch';
import type { paths, webhooks } from '../dist/generated/openapi-typescript.js';
import { assert, BASE, KEY } from './call.js';

const client = createClient<paths>({ baseUrl: BASE });
const { data: exchanged } = await client.POST('/api/v1/auth/token', { body: KEY });
assert(exchanged);
client.use({
  onRequest({ request }) {
    request.headers.set('authorization', `Bearer ${exchanged.data.accessToken}`);
  },
});

const order = { amount: '25', currency: 'USDT', network: 'ETH', metadata: { basket: '7f3a' } };
const header = { 'Idempotency-Key': `fetch-${Date.now()}` };
const { data: created } = await client.POST('/api/v1/payments', { params: { header }, body: order });
assert(created);
const path = { id: created.data.orderId };
await client.POST('/api/v1/sandbox/payments/{id}/deposit', { params: { path }, body: {} });
const { data: read } = await client.GET('/api/v1/payments/{id}', { params: { path } });
assert.equal(read?.data.status, 'SUCCEEDED');
assert.deepEqual(read.data.metadata, { basket: '7f3a' });

const { data: page } = await client.GET('/api/v1/payments', { params: { query: { status: ['SUCCEEDED'], limit: 1 } } });
assert.equal(page?.data.items[0]?.orderId, created.data.orderId);

const { error, response } = await client.POST('/api/v1/payments', { body: { ...order, amount: '-1' } });
assert.equal(response.status, 400);
const code: '2001' | '2008' | string | undefined = error?.error.code;
assert.equal(code, '2001');

type Body = NonNullable<webhooks['payment.succeeded']['post']['requestBody']>['content']['application/json'];
const isPaid = (body: Body): boolean => body.type === 'payment.succeeded' && body.data.payment.status === 'SUCCEEDED';
assert.equal(typeof isPaid, 'function');
