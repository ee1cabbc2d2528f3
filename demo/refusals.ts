// Refused calls: every error has the documented code and the same shape, over REST and GraphQL.

import { randomUUID } from 'node:crypto';
import { expectLike } from './support/expect.ts';
import type { Stage } from './run.ts';
import type { Shop } from './support/shapes.ts';

const NO_ORDER = `ord_${'0'.repeat(26)}`;

/** Makes the mistakes that every integrator makes once. */
export async function expectErrors({ http, printer }: Stage, { token, narrowToken }: Shop): Promise<void> {
  printer.step('Make mistakes: errors have one shape');
  const message = /./;
  printer.say('No token, and a bad one:');
  await http.refused('GET', '/payments', { status: 401, error: { code: '1001', message } });
  await http.refused('GET', '/payments', { token: 'not-a-token', status: 401, error: { code: '1002', message } });

  printer.say('A key that may not do this; the message names what is missing:');
  const missing = 'Missing permission: READ_WALLET';
  const denied = { token: narrowToken, status: 403, error: { code: '1004', message: missing } };
  await http.refused('GET', '/wallet/balance', denied);

  printer.say('A field that does not exist:');
  const body = { amount: '25', currency: 'USDT', network: 'ETH', colour: 'blue' };
  const unknown = { code: '2001', message, details: [{ path: 'colour', message }] };
  await http.refused('POST', '/payments', { token, body, status: 400, error: unknown });

  printer.say('An order that does not exist, over REST and over GraphQL:');
  await http.refused('GET', `/payments/${NO_ORDER}`, { token, status: 404, error: { code: '2004', message } });
  const query = 'query($id: ID!) { payment(id: $id) { status } }';
  const extensions = { code: 'NOT_FOUND', errorCode: '2004', requestId: /./ };
  await http.graphqlRefused(query, { id: NO_ORDER }, { token, error: { message, extensions } });
  await expectIdempotencyMismatch({ http, printer }, token);
}

async function expectIdempotencyMismatch({ http, printer }: Pick<Stage, 'http' | 'printer'>, token: string) {
  printer.say('One Idempotency-Key for two different orders:');
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { amount: '1', currency: 'USDC', network: 'ETH' };
  const { data } = await http.call('POST', '/payments', { token, headers, body, status: 201, show: ['orderId'] });
  expectLike('the order', data, { status: 'PENDING' });
  const error = { code: '2002', message: /./ };
  await http.refused('POST', '/payments', { token, headers, body: { ...body, amount: '2' }, status: 422, error });
}
