// The client that the npm registry has for BTCPay Server, as it was published, against this gateway.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import * as btcpay from 'btcpay-greenfield-node-client';
import { newMerchant, type Json, type TestMerchant } from '../../support/clients.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';

/** Its types were written from an older document: `everything` is a text there, and a DELETE has a body. */
const webhooks = btcpay.WebhooksService as unknown as Readonly<
  Record<`${'post' | 'put' | 'delete'}WebhooksService` | 'webhokksGetWebhooks', (asked: object) => Promise<Json>>
>;

let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
  Object.assign(btcpay.OpenAPI, { BASE: gateway.url, TOKEN: shop.secret });
});
afterAll(() => gateway.stop());

it('reads server, key and stores', async () => {
  expect(await btcpay.HealthService.healthGetHealth()).toEqual({ synchronized: true });
  expect(await btcpay.ServerInfoService.serverInfoGetServerInfo()).toMatchObject({ fullySynched: true });
  const { permissions } = (await btcpay.ApiKeysService.getApiKeysService()) as Json;
  expect(permissions).toContain(`btcpay.store.cancreateinvoice:${shop.id}`);
  expect(await btcpay.StoresService.storesGetStores()).toEqual([expect.objectContaining({ id: shop.id })]);
  expect(await btcpay.StoresService.storesGetStore({ storeId: shop.id })).toMatchObject({ id: shop.id });
});

it('creates, reads, lists and ends invoices', async () => {
  const storeId = shop.id;
  const requestBody = { amount: '5.00', currency: 'USD', metadata: { orderId: '7' }, checkout: {} };
  const made = (await btcpay.InvoicesService.invoicesCreateInvoice({ storeId, requestBody })) as Json;
  expect(made).toMatchObject({ amount: '5', currency: 'USD', status: 'New', metadata: { orderId: '7' } });
  const invoiceId = made.id as string;
  expect(await btcpay.InvoicesService.invoicesGetInvoice({ storeId, invoiceId })).toEqual(made);
  expect(await btcpay.InvoicesService.invoicesGetInvoices({ storeId })).toEqual([made]);
  expect(await btcpay.InvoicesService.invoicesGetInvoicePaymentMethods({ storeId, invoiceId })).toEqual([]);
  const marking = { storeId, invoiceId, requestBody: { status: 'Invalid' as never } };
  expect(await btcpay.InvoicesService.invoicesMarkInvoiceStatus(marking)).toMatchObject({ status: 'Invalid' });
  const nowhere = btcpay.InvoicesService.invoicesGetInvoice({ storeId, invoiceId: 'inv_0' });
  await expect(nowhere).rejects.toMatchObject({ status: 404 });
});

it('makes, changes and removes webhooks', async () => {
  const storeId = shop.id;
  const requestBody = { url: 'https://shop.example/hook', enabled: true, authorizedEvents: { everything: true } };
  const made = await webhooks.postWebhooksService({ storeId, requestBody });
  expect(made).toMatchObject({ enabled: true, authorizedEvents: { everything: true }, secret: expect.any(String) });
  const webhookId = made.id as string;
  const off = { storeId, webhookId, requestBody: { ...requestBody, enabled: false } };
  expect(await webhooks.putWebhooksService(off)).toMatchObject({ enabled: false });
  expect(await webhooks.webhokksGetWebhooks({ storeId })).toHaveLength(1);
  await webhooks.deleteWebhooksService({ storeId, webhookId });
  expect(await webhooks.webhokksGetWebhooks({ storeId })).toEqual([]);
});
