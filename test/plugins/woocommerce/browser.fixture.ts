// What people do in a shop: buy, pay on the gateway's page, and work in the admin. The selectors are WooCommerce's own.

import type { Browser, Page } from 'playwright-core';
import type { TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import type { Shop } from './wordpress.fixture.ts';

const WAIT = { timeout: 90_000 };
const ADDRESS = {
  first_name: 'Ada',
  last_name: 'Kettle',
  address_1: 'High Street 1',
  city: 'Leeds',
  postcode: 'LS1 1AA',
};

export const settingsUrl = (shop: Shop): string =>
  `${shop.url}/wp-admin/admin.php?page=wc-settings&tab=checkout&section=turnpike`;

export const orderUrl = (shop: Shop, id: number): string =>
  `${shop.url}/wp-admin/admin.php?page=wc-orders&action=edit&id=${id}`;

/** A page of the shop's admin, signed in. */
export async function signIn(browser: Browser, shop: Shop): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  page.setDefaultTimeout(WAIT.timeout);
  await page.goto(`${shop.url}/wp-login.php`);
  await page.locator('#user_login').fill('admin');
  await page.locator('#user_pass').fill('correct horse battery');
  await page.locator('#wp-submit').click();
  await page.waitForURL(/wp-admin/, WAIT);
  return page;
}

/** Fills the settings page and saves it. */
export async function saveSettings(page: Page, shop: Shop, values: Readonly<Record<string, string>>): Promise<void> {
  await page.goto(settingsUrl(shop));
  await page.locator('#woocommerce_turnpike_enabled').check();
  for (const [name, value] of Object.entries(values)) await page.locator(`#woocommerce_turnpike_${name}`).fill(value);
  await page.locator('.woocommerce-save-button').click();
  await page.waitForLoadState();
}

/** Presses the button of the connection test, and returns what it says. */
export async function testConnection(page: Page, shop: Shop): Promise<string> {
  await page.goto(settingsUrl(shop));
  await page.locator('#turnpike-test').click();
  const result = page.locator('#turnpike-test-result');
  await result.getByText(/\w{3}/).waitFor(WAIT);
  return result.innerText();
}

/** Opens the checkout with something in the cart. */
export async function openCheckout(browser: Browser, shop: Shop): Promise<Page> {
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  page.setDefaultTimeout(WAIT.timeout);
  await page.goto(shop.addToCartUrl);
  await page.goto(shop.checkoutUrl);
  return page;
}

/** Places the order; resolves on the gateway's page, with the ids of order and invoice. */
export async function placeOrder(page: Page, merchant: TestMerchant): Promise<{ order: number; invoice: string }> {
  for (const [name, value] of Object.entries({ ...ADDRESS, email: 'ada@example.com', phone: '0' })) {
    const field = page.locator(`#billing_${name}`);
    if ((await field.count()) > 0) await field.fill(value);
  }
  const method = page.locator('#payment_method_turnpike');
  if (await method.isVisible()) await method.check();
  await page.locator('#place_order').click();
  await page.waitForURL(/\/pay\/inv_/, WAIT);
  const invoice = /inv_\w+/.exec(page.url())?.[0] ?? '';
  const { metadata } = dataOf(await merchant.rest('GET', `/invoices/${invoice}`));
  return { order: Number((metadata as { merchantOrderId: string }).merchantOrderId), invoice };
}

/** Chooses a coin on the gateway's page, and has the sandbox pay it. */
export async function pay(page: Page, merchant: TestMerchant, invoice: string): Promise<void> {
  await page.locator('#coin-USDT').click();
  await page.locator('#address').waitFor(WAIT);
  const { payments } = dataOf(await merchant.rest('GET', `/invoices/${invoice}`));
  const { orderId } = (payments as { orderId: string }[]).at(-1) ?? { orderId: '' };
  dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`, {}));
}

/** Refunds on the order's page; resolves with what the admin is told if it was refused. */
export async function refund(page: Page, shop: Shop, order: number, amount: string): Promise<string> {
  page.once('dialog', (dialog) => void dialog.accept());
  await page.goto(orderUrl(shop, order));
  const opener = page.locator('.refund-items');
  if ((await opener.count()) > 0) await opener.click();
  await page.locator('#refund_amount').fill(amount);
  await page.locator('.do-api-refund').click();
  await page.waitForLoadState();
  const errors = await page.locator('.error.inline').allInnerTexts();
  return errors.join(' ');
}

/** Enters the address that a customer named. */
export async function enterAddress(page: Page, shop: Shop, order: number, network: string, address: string) {
  await page.goto(orderUrl(shop, order));
  await page.locator('#turnpike_refund_address_network').fill(network);
  await page.locator('#turnpike_refund_address').fill(address);
  await page.locator('.save_order').click();
  await page.waitForLoadState();
}

/** A reorganisation of the sandbox's chain. */
export async function reorganise(merchant: TestMerchant): Promise<void> {
  const answer = await merchant.graphql('mutation { simulateReorg(input: { network: "ETH", depth: 2 }) { tip } }');
  if (answer.body.errors) throw new Error(answer.text);
}

/** What the gateway keeps of a merchant's webhooks. */
export async function endpointsOf(merchant: TestMerchant): Promise<{ url: string; events: string[] }[]> {
  return dataOf(await merchant.rest('GET', '/webhooks')).items as { url: string; events: string[] }[];
}
