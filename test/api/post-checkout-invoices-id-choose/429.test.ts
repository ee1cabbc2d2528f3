// POST /checkout/invoices/{id}/choose: the calls that are answered with 429, because payers without a token made too
// many.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, newMerchant, rest, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const CHOICES = 4;
const UNPAID = 6;
let gateway: TestGateway;
let shop: TestMerchant;
let other: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway({
    ...{
      RATE_LIMIT_CHECKOUT_PER_MINUTE: String(CHOICES),
      CHECKOUT_OPEN_LIMIT: String(UNPAID),
      TRUST_PROXY: '127.0.0.1',
    },
  });
  [shop, other] = [await newMerchant(gateway), await newMerchant(gateway)];
});
afterAll(() => gateway.stop());

const invoiceOf = async ({ rest }: TestMerchant): Promise<string> =>
  dataOf(await rest('POST', '/invoices', { amount: '20', currency: 'EUR' }), 201).invoiceId;
const choose = (invoiceId: string, address: string, token?: string) =>
  rest(gateway, token)(
    'POST',
    `/checkout/invoices/${invoiceId}/choose`,
    { currency: 'USDT', network: 'ETH' },
    { 'x-forwarded-for': address },
  );

describe('POST /checkout/invoices/{id}/choose: 429', () => {
  it('after so many choices from one address, whichever merchant they are of (9001)', async () => {
    const [mine, theirs] = [await invoiceOf(shop), await invoiceOf(other)];
    for (let nth = 0; nth < CHOICES; nth += 1) dataOf(await choose(nth % 2 ? mine : theirs, '192.0.2.1'));
    const refused = await choose(mine, '192.0.2.1');
    expectRefusal(refused, 429, '9001');
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    const query = 'mutation ($input: ChooseAssetInput!) { chooseAsset(input: $input) { id } }';
    const input = { invoiceId: mine, currency: 'USDT', network: 'ETH' };
    const answer = await graphql(gateway)(query, { input }, { 'x-forwarded-for': '192.0.2.1' });
    expectGraphQLError(answer, 429, 'RATE_LIMITED', '9001');
    dataOf(await choose(mine, '192.0.2.2'));
    // Looking is not limited, and a token of the invoice's merchant lifts the limit; that of another does not.
    const headers = { 'x-forwarded-for': '192.0.2.1' };
    dataOf(await rest(gateway)('GET', `/checkout/invoices/${mine}`, undefined, headers));
    dataOf(await choose(mine, '192.0.2.1', shop.token));
    expectRefusal(await choose(mine, '192.0.2.1', other.token), 429, '9001');
  });

  it('while a merchant has so many unpaid choices that were made without a token (9001)', async () => {
    const merchant = await newMerchant(gateway);
    // Those with the token of the merchant do not count.
    for (let nth = 0; nth < 2; nth += 1) dataOf(await choose(await invoiceOf(merchant), '192.0.2.9', merchant.token));
    const invoices: string[] = [];
    for (let nth = 0; nth < UNPAID; nth += 1) {
      const invoiceId = await invoiceOf(merchant);
      dataOf(await choose(invoiceId, `198.51.100.${nth}`));
      invoices.push(invoiceId);
    }
    const next = await invoiceOf(merchant);
    const refused = await choose(next, '198.51.100.100');
    expectRefusal(refused, 429, '9001');
    expect(refused.headers['retry-after']).toBe('60');
    expectRefusal(await choose(next, '198.51.100.101', other.token), 429, '9001');
    // A choice that stands is answered again, and the merchant's own token lifts the limit.
    dataOf(await choose(invoices[0] ?? '', '198.51.100.102'));
    dataOf(await choose(next, '198.51.100.103', merchant.token));
    // One that is canceled makes room.
    dataOf(await merchant.rest('DELETE', `/invoices/${invoices[0]}`));
    dataOf(await choose(await invoiceOf(merchant), '198.51.100.104'));
  });
});
