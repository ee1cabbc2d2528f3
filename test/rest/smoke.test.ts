// smoke
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newMerchant, USDT_PAYMENT } from '../support/clients.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
let gateway: TestGateway;
beforeAll(async () => { gateway = await startTestGateway(); });
afterAll(() => gateway.stop());
it('works', async () => {
  const m = await newMerchant(gateway);
  const a = await m.rest('POST', '/payments', USDT_PAYMENT);
  console.log(a);
  const paid = await m.rest('POST', `/sandbox/payments/${a.body.data.orderId}/deposit`, {});
  console.log(paid.text, gateway.logged);
  console.log((await m.rest('GET', '/wallet/balance')).text);
  console.log((await m.graphql('{ payments { nodes { id } } x: payment(id: "a") { id } }')).text);
  expect(a.status).toBe(201);
});
