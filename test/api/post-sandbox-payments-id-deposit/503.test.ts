// POST /sandbox/payments/{id}/deposit: the calls that are answered with 503.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { newMerchant, rest } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { PASS, startMeddlingProxy, type MeddlingProxy } from '../../support/proxies/meddling-proxy.ts';

let anvil: Anvil;
let node: MeddlingProxy;
let gateway: TestGateway;

beforeAll(async () => {
  anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  node = await startMeddlingProxy(anvil.url);
  gateway = await startTestGateway({ ETH_RPC_URL: node.url, SANDBOX_NETWORKS: '' });
});
afterAll(async () => {
  await gateway.stop();
  await node.stop();
  await anvil.stop();
});

describe('POST /sandbox/payments/{id}/deposit: 503', () => {
  it('3007 while the node does not answer, also before its network counts as unavailable', async () => {
    const { token } = await newMerchant(gateway);
    const api = rest(gateway, token);
    const { orderId } = dataOf(await api('POST', '/payments', { amount: '25', currency: 'USDT', network: 'ETH' }), 201);
    const deposit = () => api('POST', `/sandbox/payments/${String(orderId)}/deposit`, {});
    // All other questions are answered, so the network stays in service.
    const away = { kind: 'say', status: 502, body: 'bad gateway' } as const;
    node.meddle(({ body }) => (body.includes('eth_sendRawTransaction') ? away : PASS));
    expectRefusal(await deposit(), 503, '3007');
    node.meddle(() => PASS);
    expect(dataOf(await deposit()).status).toBe('SUCCEEDED');
  });
});
