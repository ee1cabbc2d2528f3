// The pages of invoices over HTTP: the choice by a form, its refusals as pages, what a GET leaves alone, and where a
// payment's page leads.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { borrowUnsignedGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { newMerchant, rest, send, USDT_PAYMENT, type Answer, type TestMerchant } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowUnsignedGateway();
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const get = (path: string): Promise<Answer> => send({ method: 'GET', url: `${gateway.url}${path}` });

async function newInvoice(changes: object = {}): Promise<string> {
  const answer = await shop.rest('POST', '/invoices', { amount: '49.90', currency: 'EUR', ...changes });
  return dataOf(answer, 201).invoiceId as string;
}

const FORM = 'application/x-www-form-urlencoded';

function choose(id: string, body = 'currency=USDT&network=ETH', query = '', type = FORM): Promise<Answer> {
  const headers = { 'content-type': type };
  return send({ method: 'POST', url: `${gateway.url}/pay/${id}/choose${query}`, headers, body });
}

const paymentsOf = async (id: string) =>
  dataOf(await rest(gateway)('GET', `/checkout/invoices/${id}`)).payments as readonly { checkout: { id: string } }[];

describe('/pay/{id} of an invoice', () => {
  it('is a page that nobody may frame, and whose forms go to us alone', async () => {
    const page = await get(`/pay/${await newInvoice()}`);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['cache-control']).toBe('no-store');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
    const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    const other = await get(`/pay/${orderId}`);
    expect(String(other.headers['content-security-policy'])).toContain("form-action 'none'");
  });

  it('looking makes nothing, whatever the address asks for', async () => {
    const id = await newInvoice();
    for (const query of ['', '?coin=USDT', '?coin=USDT&network=ETH', '?coin=']) await get(`/pay/${id}${query}`);
    expect((await get(`/pay/${id}/choose`)).status).toBe(303);
    expect(await paymentsOf(id)).toEqual([]);
  });

  it('shows nothing that concerns only the merchant', async () => {
    const secrets = { customerEmail: 'payer@private.example', metadata: { note: 'private-note' } };
    const id = await newInvoice({ ...secrets, callbackUrl: 'https://private.example/hook' });
    await choose(id);
    expect((await get(`/pay/${id}`)).text).not.toMatch(/private|sandbox/);
  });

  it.each(['inv_00000000000000000000000000000000', 'inv_'])('%s is a page that says so (404)', async (id) => {
    const page = await get(`/pay/${id}`);
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  });
});

describe('POST /pay/{id}/choose', () => {
  it('answers 303 to the page of the coin, in the language of its address', async () => {
    const id = await newInvoice();
    const answer = await choose(id, undefined, '?lang=de');
    expect([answer.status, answer.headers.location]).toEqual([303, `/pay/${id}?lang=de&coin=USDT&network=ETH`]);
    const { text } = await get(String(answer.headers.location));
    expect(text).toContain('<html lang="de"');
    expect(text).toMatch(/id="address" dir="ltr"><b>0x/);
  });

  it('is taken from a page of ours, and refused from any other', async () => {
    const id = await newInvoice();
    const from = (origin: string) =>
      send({
        ...{ method: 'POST', url: `${gateway.url}/pay/${id}/choose`, body: 'currency=USDT&network=ETH' },
        headers: { 'content-type': FORM, origin },
      });
    expect((await from('https://evil.example')).status).toBe(403);
    expect((await from('null')).status).toBe(403);
    expect((await from(gateway.url)).status).toBe(303);
    expect((await get(`/pay/${id}`)).text).toContain('<meta name="referrer" content="same-origin" />');
  });

  it('sent twice, it takes one address', async () => {
    const id = await newInvoice();
    await Promise.all([choose(id), choose(id)]);
    expect(await paymentsOf(id)).toHaveLength(1);
  });

  it.each([
    ['another coin', 'currency=DOGE&network=ETH', FORM, 400, 'This coin is not accepted here.'],
    ['nothing', '', FORM, 400, 'This coin is not accepted here.'],
    ['JSON', '{"currency":"USDT","network":"ETH"}', 'application/json', 415, 'This coin is not accepted here.'],
    ['more than 8 KB', `currency=${'x'.repeat(8_193)}`, FORM, 413, 'This coin is not accepted here.'],
  ])('%s is refused with a page', async (_what, body, type, status, said) => {
    const id = await newInvoice();
    const page = await choose(id, body, '', type);
    expect([page.status, page.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
    expect(page.text).toContain(said);
    expect(page.text).toContain(`href="/pay/${id}?coin="`);
    expect(await paymentsOf(id)).toEqual([]);
  });

  it('an invoice that takes no more says so (409)', async () => {
    const id = await newInvoice();
    dataOf(await shop.rest('DELETE', `/invoices/${id}`));
    const page = await choose(id);
    expect(page.status).toBe(409);
    expect(page.text).toContain('Nothing more can be chosen');
  });

  it('a coin without a rate says so (503), and when to come back', async () => {
    const id = await newInvoice();
    dataOf(await shop.rest('POST', '/sandbox/rates', { code: 'USDT', usd: null }));
    const page = await choose(id);
    dataOf(await shop.rest('POST', '/sandbox/rates', { code: 'USDT' }));
    expect([page.status, page.headers['retry-after']]).toEqual([503, '30']);
    expect(page.text).toContain('There is no rate for this coin at the moment.');
  });

  it('an invoice that does not exist is a page that says so (404)', async () => {
    const page = await choose('inv_00000000000000000000000000000000');
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  });
});

describe('/pay/{id} of an invoice’s payment', () => {
  it('leads to the invoice, to the coin that was chosen', async () => {
    const id = await newInvoice();
    await choose(id);
    const [payment] = await paymentsOf(id);
    const answer = await get(`/pay/${payment?.checkout.id}?lang=fr`);
    expect([answer.status, answer.headers.location]).toEqual([303, `/pay/${id}?lang=fr&coin=USDT&network=ETH`]);
  });
});
