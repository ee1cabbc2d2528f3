// The page that ends mails to a customer: a GET asks, a POST does it, in every language, and forged tokens do nothing.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../web/pay/languages.ts';
import { deriveSecrets } from '../../src/values/secrets/keys.ts';
import { unsubscribeToken } from '../../src/values/secrets/unsubscribe-tokens.ts';
import { newMerchant, send, type Answer } from '../support/clients.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';

const SECRET = 'nine brass bells above the northern harbour';
let gateway: TestGateway;
let merchantId: string;

beforeAll(async () => {
  gateway = await startTestGateway({ TURNPIKE_SECRET: SECRET });
  const shop = await newMerchant(gateway);
  merchantId = (await shop.graphql('{ merchant { id } }')).body.data.merchant.id as string;
});
afterAll(() => gateway.stop());

const keys = deriveSecrets(SECRET);
const tokenOf = (email: string) => unsubscribeToken(keys, merchantId, email);
const ask = (token: string, method = 'GET', more: { query?: string; type?: string; body?: string } = {}) => {
  const { query = '', type, body } = more;
  const headers = type === undefined ? {} : { 'content-type': type };
  return send({
    ...{ method, url: `${gateway.url}/mail/unsubscribe/${token}${query}`, headers },
    ...(body !== undefined && { body }),
  });
};
const kept = async () =>
  (await gateway.sql('select 1 from unsubscription where merchant_id = $1', [merchantId])).length;

describe('/mail/unsubscribe/{token}', () => {
  it('asks, in a form without a script that nobody may frame, and ends nothing', async () => {
    const page: Answer = await ask(tokenOf('ann@customer.example'));
    expect(page.status).toBe(200);
    expect(page.text).toContain('<form class="fill" method="post">');
    expect(page.text).not.toContain('<script');
    expect(page.headers['content-security-policy']).toContain("form-action 'self'");
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(page.headers['cache-control']).toBe('no-store');
    expect(await kept()).toBe(0);
  });

  it.each(LANGUAGES.map(({ code, direction }) => [code, direction]))('is in %s', async (code, direction) => {
    const page = await ask(tokenOf('ann@customer.example'), 'GET', { query: `?lang=${code}` });
    expect(page.text).toContain(`<html lang="${code}" dir="${direction}">`);
    expect(page.text).toContain('Test shop');
    expect(page.text).not.toMatch(/[{}](company|host)|undefined/);
  });

  it.each([
    ['of the button', 'application/x-www-form-urlencoded', ''],
    ['of a mail program', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    [
      'of one that sends parts',
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
    ],
    ['without a body', undefined, undefined],
  ])('a POST %s ends the mails, once and for all', async (name, type, body) => {
    const before = await kept();
    const more = { ...(type !== undefined && { type }), ...(body !== undefined && { body }) };
    for (const email of [`${name.length}@customer.example`, `${name.length}@CUSTOMER.example`]) {
      const done = await ask(tokenOf(email), 'POST', more);
      expect([done.status, done.text.includes('<form')]).toEqual([200, false]);
      expect(done.text).toContain('Test shop');
    }
    expect(await kept()).toBe(before + 1);
  });

  it.each(['GET', 'POST'])('a %s with a token that is not ours is a page that says so (404)', async (method) => {
    const before = await kept();
    const [merchant = '', digest = '', proof = ''] = tokenOf('ann@customer.example').split('.');
    const foreign = unsubscribeToken(deriveSecrets('another secret of another gateway'), merchantId, 'a@b.example');
    for (const token of ['x', `${merchant}.${digest}`, `${merchant}.${digest}.${proof.slice(1)}A`, foreign]) {
      const page = await ask(token, method);
      expect([page.status, page.text.includes('This link is not complete')]).toEqual([404, true]);
    }
    expect(await kept()).toBe(before);
  });

  it('a body that no form has is refused', async () => {
    const refused = await ask(tokenOf('bo@customer.example'), 'POST', { type: 'text/plain', body: 'x'.repeat(9_000) });
    expect(refused.status).toBe(413);
  });
});
