// What anyone who has a payment's id sees of it, without a token: what it is worth, what came, and whom to ask; and
// nothing that only concerns its merchant.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, newMerchant, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';

const CHECKOUT = `query ($id: ID!) { checkout(id: $id) {
  amountDue value valueCurrency isMainNetwork tokenContract completedAt supportEmail
  transactions { txHash amount status explorerUrl } } }`;

let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

async function order(changes: object = {}): Promise<string> {
  const body = { amount: '0.123456789', currency: 'ETH', network: 'ETH', ...changes };
  return dataOf(await shop.rest('POST', '/payments', body), 201).orderId as string;
}

const look = async (id: string): Promise<Json> => (await graphql(gateway)(CHECKOUT, { id })).body.data.checkout;
const settings = async (body: object) => dataOf(await shop.rest('PUT', '/merchant/settings', body));

/** The rate of ETH in a currency in units of 10⁻¹², as the merchant's own calls get it. */
async function rateIn(currency: string): Promise<bigint> {
  const { items } = dataOf(await shop.rest('GET', `/rates?currency=${currency}`)) as { items: Json[] };
  const [whole = '', fraction = ''] = String(items.find((item) => item.asset === 'ETH')?.rate).split('.');
  return BigInt(whole + fraction.padEnd(12, '0'));
}

/** 0.123456789 ETH in cents, half up. */
const cents = (rate: bigint): bigint => (123_456_789n * rate * 100n + 5n * 10n ** 20n) / 10n ** 21n;
const inCents = (value: unknown): bigint => BigInt(Math.round(Number(value) * 100));

describe('a checkout', () => {
  beforeAll(async () => {
    shop = await newMerchant(gateway);
  });

  it('says what is due in dollars, at the rate of the moment, rounded half up', async () => {
    const { value, valueCurrency } = await look(await order());
    expect([inCents(value), valueCurrency]).toEqual([cents(await rateIn('USD')), 'USD']);
  });

  it('says so in the currency of the merchant’s books, and without their spread', async () => {
    const id = await order();
    await settings({ accountingCurrency: 'EUR' });
    const before = await look(id);
    expect([inCents(before.value), before.valueCurrency]).toEqual([cents(await rateIn('EUR')), 'EUR']);
    await settings({ rateSpread: 500 });
    expect((await look(id)).value).toBe(before.value);
    await settings({ rateSpread: 0, accountingCurrency: null });
  });

  it('says nothing of that without a rate, nor of a choice of an invoice', async () => {
    const id = await order();
    dataOf(await shop.rest('POST', '/sandbox/rates', { code: 'ETH', usd: null }));
    expect(await look(id)).toMatchObject({ value: null, valueCurrency: null });
    dataOf(await shop.rest('POST', '/sandbox/rates', { code: 'ETH' }));
    const { invoiceId } = dataOf(await shop.rest('POST', '/invoices', { amount: '20', currency: 'EUR' }), 201);
    dataOf(
      await shop.rest('POST', `/checkout/invoices/${String(invoiceId)}/choose`, { currency: 'ETH', network: 'ETH' }),
    );
    const { payments } = dataOf(await shop.rest('GET', `/invoices/${String(invoiceId)}`)) as { payments: Json[] };
    expect(await look(String(payments[0]?.orderId))).toMatchObject({ value: null, valueCurrency: null });
  });

  it('says what came, when it was complete, and where the merchant is reached', async () => {
    await settings({ supportEmail: 'help@kettle.example' });
    const id = await order({ amount: '25', currency: 'USDT' });
    const before = await look(id);
    expect(before).toMatchObject({ completedAt: null, transactions: [], supportEmail: 'help@kettle.example' });
    expect(before.tokenContract).toMatch(/^0x[0-9a-fA-F]{40}$/);
    dataOf(await shop.rest('POST', `/sandbox/payments/${id}/deposit`, {}));
    const after = await look(id);
    const paid = dataOf(await shop.rest('GET', `/payments/${id}`));
    expect(after.completedAt).toBe(paid.completedAt);
    const [{ txHash } = {}] = paid.transactions as Json[];
    // In a sandbox nothing is on an explorer.
    expect(after.transactions).toEqual([{ txHash, amount: '25', status: 'CONFIRMED', explorerUrl: null }]);
    expect(after.isMainNetwork).toBe(false);
    expect((await look(await order())).tokenContract).toBeNull();
  });

  it('has no transaction for wallets where they make their own', async () => {
    const query =
      'query ($id: ID!) { walletTransaction(id: $id, payer: "0x52908400098527886E0F7030069857D2E4169EE7") }';
    const { body } = await graphql(gateway)(query, { id: await order() });
    expect(body.errors[0].extensions.errorCode).toBe('3001');
  });
});
