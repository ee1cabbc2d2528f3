// @hey-api/openapi-ts: the same sale by its functions.

import { client } from '../dist/generated/hey-api/client.gen.js';
import { createAccessToken, createPayment, payment, simulateDeposit } from '../dist/generated/hey-api/sdk.gen.js';
import { assert, BASE, KEY } from './call.js';

client.setConfig({ baseUrl: BASE });
const { data: exchanged } = await createAccessToken({ body: KEY });
assert(exchanged);
client.setConfig({ baseUrl: BASE, auth: () => exchanged.data.accessToken });

const { data: created } = await createPayment({ body: { amount: '25', currency: 'USDT', network: 'ETH' } });
assert(created);
await simulateDeposit({ path: { id: created.data.orderId }, body: {} });
const { data: read } = await payment({ path: { id: created.data.orderId } });
assert.equal(read?.data.status, 'SUCCEEDED');

const { error } = await payment({ path: { id: 'none' } });
assert.equal(error?.error.code, '2004');
