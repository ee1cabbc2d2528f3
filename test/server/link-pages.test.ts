// The pages of payment links over HTTP: the form, its submission and its refusals, and what a GET leaves alone.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { borrowGateway, borrowUnsignedGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { newMerchant, send, type Answer, type TestMerchant } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowUnsignedGateway();
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const get = (path: string): Promise<Answer> => send({ method: 'GET', url: `${gateway.url}${path}` });

async function newLink(changes: object = {}): Promise<string> {
  const body = { name: 'Window', amount: '20', currency: 'USD', ...changes };
  return dataOf(await shop.rest('POST', '/payment-links', body), 201).id as string;
}

const FORM = 'application/x-www-form-urlencoded';

function submit(id: string, fields: Record<string, string> | string = {}, query = '', type = FORM): Promise<Answer> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
  return send({ method: 'POST', url: `${gateway.url}/pay/${id}${query}`, headers: { 'content-type': type }, body });
}

const keyOf = ({ text }: Answer): string => /name="key" value="([^"]+)"/.exec(text)?.[1] ?? '';
const INVOICE = /^\/pay\/(inv_[0-9a-z]+)/;
const invoiceOf = ({ headers }: Answer): string => INVOICE.exec(String(headers.location))?.[1] ?? '';
const invoicesOf = async (linkId: string): Promise<readonly object[]> =>
  dataOf(await shop.rest('GET', `/invoices?linkId=${linkId}`)).items as object[];

describe('/pay/{id} of a payment link', () => {
  it('is a form that nobody may frame, and that goes to us alone', async () => {
    const id = await newLink({ description: 'A year of tea', requiredFields: ['EMAIL'], optionalFields: ['NOTE'] });
    const page = await get(`/pay/${id}`);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['cache-control']).toBe('no-store');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
    expect(page.text).toContain('A year of tea');
    expect(page.text).toContain(`<form class="fill" method="post" action="/pay/${id}">`);
    expect(page.text).toMatch(/<input id="email" name="email" type="email"[^>]*aria-required="true"/);
    expect(page.text).toMatch(/<textarea id="note" name="note"[^>]*aria-required="false"/);
    expect(page.text).not.toMatch(/id="amount" name|<script/);
  });

  it('looking makes nothing', async () => {
    const id = await newLink();
    for (const query of ['', '?amount=5', '?lang=de']) expect((await get(`/pay/${id}${query}`)).status).toBe(200);
    expect(await invoicesOf(id)).toEqual([]);
  });

  it('an open one asks for the amount within its bounds, and takes it from the address of a button', async () => {
    const id = await newLink({ amount: null, minAmount: '5', maxAmount: '50' });
    const page = await get(`/pay/${id}?amount=12.50`);
    expect(page.text).toMatch(/<input id="amount" name="amount"[^>]*value="12\.50"/);
    expect(page.text).toMatch(/From .*5\.00.* to .*50\.00/s);
    const odd = await get(`/pay/${id}?amount=${encodeURIComponent('"><script>alert(1)</script>')}`);
    expect(odd.text).not.toContain('<script>alert');
  });

  it('shows nothing that concerns only the merchant', async () => {
    const secrets = { callbackUrl: 'https://private.example/hook', metadata: { note: 'private-note' } };
    expect((await get(`/pay/${await newLink({ name: 'private-name', ...secrets })}`)).text).not.toContain('private');
  });

  it('is in the language that is asked for, and its form keeps it', async () => {
    const id = await newLink();
    const page = await get(`/pay/${id}?lang=de`);
    expect(page.text).toContain('<html lang="de"');
    expect(page.text).toContain(`action="/pay/${id}?lang=de"`);
  });

  it.each([
    ['disabled', { enabled: false }],
    ['ended', { endsAt: '2026-01-01T00:00:00Z' }],
  ])('a link that is %s says so, without a form', async (_how, changes) => {
    const page = await get(`/pay/${await newLink(changes)}`);
    expect(page.status).toBe(200);
    expect(page.text).toContain('This link takes no more payments');
    expect(page.text).not.toContain('<form class="fill"');
  });

  it.each(['lnk_00000000000000000000000000000000', 'lnk_'])('%s is a page that says so (404)', async (id) => {
    const page = await get(`/pay/${id}`);
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  });
});

describe('POST /pay/{id} of a payment link', () => {
  it('answers 303 to the invoice that it made, in the language of its address', async () => {
    const id = await newLink({ requiredFields: ['EMAIL'], optionalFields: ['ADDRESS'] });
    const fields = {
      email: 'payer@example.com',
      address: '1 Quay Street\r\nPort',
      key: keyOf(await get(`/pay/${id}`)),
    };
    const answer = await submit(id, fields, '?lang=fr');
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toMatch(/^\/pay\/inv_[0-9a-z]+\?lang=fr$/);
    expect(dataOf(await shop.rest('GET', `/invoices/${invoiceOf(answer)}`))).toMatchObject({
      ...{ linkId: id, amount: '20', currency: 'USD', customerEmail: 'payer@example.com' },
      customer: { address: '1 Quay Street\nPort' },
    });
    expect((await get(String(answer.headers.location))).text).toContain('<html lang="fr"');
  });

  it('one form sent twice, even at once, makes one invoice; another form makes another', async () => {
    const id = await newLink();
    const key = keyOf(await get(`/pay/${id}`));
    const [one] = await Promise.all([submit(id, { key }), submit(id, { key })]);
    const again = await submit(id, { key });
    expect(invoiceOf(again)).toMatch(/^inv_/);
    expect([303, 409]).toContain(one.status);
    expect(await invoicesOf(id)).toHaveLength(1);
    const other = await submit(id, { key: keyOf(await get(`/pay/${id}`)) });
    expect(invoiceOf(other)).not.toBe(invoiceOf(again));
    expect(await invoicesOf(id)).toHaveLength(2);
  });

  it('a comma among the digits of an amount is a point', async () => {
    const id = await newLink({ amount: null });
    const answer = await submit(id, { amount: '12,50' });
    expect(dataOf(await shop.rest('GET', `/invoices/${invoiceOf(answer)}`))).toMatchObject({ amount: '12.5' });
  });

  it.each([
    ['a missing field', {}, ['email']],
    ['an address that is none', { email: 'nobody' }, ['email']],
    ['a name that is too long', { email: 'a@example.com', name: 'n'.repeat(256) }, ['name']],
    ['an amount out of bounds', { email: 'a@example.com', amount: '51' }, ['amount']],
    ['an amount that is none', { email: 'a@example.com', amount: 'ten' }, ['amount']],
  ])('%s is the form again, with what was written (400)', async (_what, fields, faults) => {
    const open = { amount: null, minAmount: '5', maxAmount: '50', requiredFields: ['EMAIL'], optionalFields: ['NAME'] };
    const id = await newLink(open);
    const page = await submit(id, { amount: '10', ...fields });
    expect([page.status, page.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    const marked = [...page.text.matchAll(/id="(\w+)" name="\w+"[^>]*aria-invalid="true"/g)].map(([, name]) => name);
    expect(marked).toEqual(faults);
    expect(page.text).toContain('Please check the form');
    const isMissing = faults.some((name) => !(name in fields));
    expect(page.text).toContain(isMissing ? 'Please fill this in.' : 'Please correct this.');
    for (const text of Object.values(fields)) expect(page.text).toContain(text);
    expect(await invoicesOf(id)).toEqual([]);
  });

  it('neither a price, nor a URL, nor a field that was not asked for comes from the form', async () => {
    const id = await newLink({ returnUrl: 'https://shop.example/thanks' });
    const made = await submit(id, { returnUrl: 'https://evil.example', callbackUrl: 'https://evil.example/hook' });
    expect(dataOf(await shop.rest('GET', `/invoices/${invoiceOf(made)}`))).toMatchObject({
      ...{ returnUrl: 'https://shop.example/thanks', callbackUrl: null, amount: '20' },
    });
    expect((await submit(id, { amount: '1' })).status).toBe(400);
    expect((await submit(id, { note: 'unasked' })).status).toBe(400);
  });

  it('a link that takes no more says so (409)', async () => {
    const id = await newLink();
    dataOf(await shop.rest('PUT', `/payment-links/${id}`, { enabled: false }));
    const page = await submit(id);
    expect(page.status).toBe(409);
    expect(page.text).toContain('This link takes no more payments');
  });

  it.each([
    ['JSON', '{"amount":"1"}', 'application/json', 415],
    ['more than 8 KB', `note=${'x'.repeat(8_193)}`, FORM, 413],
  ])('%s is refused with a page', async (_what, body, type, status) => {
    const page = await submit(await newLink(), body, '', type);
    expect([page.status, page.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
  });

  it('the form of another site is refused', async () => {
    const id = await newLink();
    const headers = { 'content-type': FORM, origin: 'https://evil.example' };
    const answer = await send({ method: 'POST', url: `${gateway.url}/pay/${id}`, headers, body: '' });
    expect(answer.status).toBe(403);
    expect(await invoicesOf(id)).toEqual([]);
  });

  it('a link that does not exist is a page that says so (404)', async () => {
    const page = await submit('lnk_00000000000000000000000000000000');
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  });
});

describe('POST /pay/{id} of a payment link, after too many from one address', () => {
  it('is the form again with what was written, and when to come back (429)', async () => {
    const limited = await borrowGateway({ RATE_LIMIT_CHECKOUT_PER_MINUTE: '2' });
    try {
      const owner = await newMerchant(limited);
      const wish = { name: 'Window', amount: '20', currency: 'USD', requiredFields: ['EMAIL'] };
      const id = dataOf(await owner.rest('POST', '/payment-links', wish), 201).id as string;
      const url = `${limited.url}/pay/${id}`;
      const sent = { method: 'POST', url, headers: { 'content-type': FORM }, body: 'email=payer@example.com' };
      const answers = await Promise.all(Array.from({ length: 8 }, () => send(sent)));
      const made = answers.filter(({ status }) => status === 303);
      const refused = answers.filter(({ status }) => status === 429);
      expect([made.length + refused.length, refused.length > 0]).toEqual([8, true]);
      for (const { text, headers } of refused) {
        expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
        expect(text).toContain('Too many requests came from your network');
        expect(text).toContain('value="payer@example.com"');
      }
      expect(dataOf(await owner.rest('GET', `/invoices?linkId=${id}`)).items).toHaveLength(made.length);
      expect((await send({ method: 'GET', url })).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});
