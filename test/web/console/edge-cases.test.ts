// Edge cases of the console in Chromium: keyboard only, empty and long lists, a failing gateway, a lost web socket.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page, WebSocketRoute } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { newId } from '../../../src/values/id.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let page: Page;

if (executablePath !== undefined)
  describe('the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ ETH_USDT_NETWORK_FEE: '1.5' });
      browser = await launch();
      look = await register(browser, gateway);
      page = look.page;
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });

    it('says on each page that there is nothing yet, and what will be there', lookAtNothing, 60_000);
    it('by keyboard alone: a payment, its refund, a webhook resent, a withdrawal, a key revoked', useKeyboard, 90_000);
    it('loads the rest of each long list with "Load more"', loadMore, 90_000);
    it('broke no content security policy, called no other host and logged no error', () => {
      expect(look.faults).toEqual([]);
    });
    it('shows on each page that it is loading or what went wrong, and offers a retry', meetTrouble, 120_000);
    it('loads itself anew once where a part of it is missing, and then says so', missParts, 60_000);
    it('shows what happened while its web socket was lost, once it is back', loseSocket, 60_000);
  });

const NOTHING: readonly (readonly [page: string, words: readonly string[]])[] = [
  ['Payments', ['No payments yet.']],
  ['Balances', ['Your wallet is empty.', 'No withdrawals yet.']],
  ['Webhooks', ['No endpoints yet.', 'Nothing has been delivered yet.']],
  ['Reports', ['No money came in or went out in this period.']],
  ['Test receiver', ['Nothing has arrived yet.']],
  ['Home', ['Nothing was paid in this time.', 'Nothing needs your attention.', 'The wallet is empty.']],
];

async function lookAtNothing(): Promise<void> {
  for (const [name, words] of NOTHING) {
    await look.go(name);
    for (const text of words) await page.getByText(text).waitFor();
    await look.inspect(`nothing-${name.toLowerCase().replace(' ', '-')}`);
  }
}

/** Runs in the browser. */
const hasFocus = (element: unknown): boolean =>
  element === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement;

/** Presses Tab until it has the focus, which must be visible. */
async function reach(target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await target.evaluate(hasFocus)) {
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      expect([String(target), outline]).not.toEqual([String(target), 'none']);
      return;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`The focus never came to ${String(target)}`);
}

async function pressKey(target: Locator): Promise<void> {
  await reach(target);
  await page.keyboard.press('Enter');
}

async function type(label: string, text: string): Promise<void> {
  await reach(page.getByLabel(label));
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(text);
}

/** With the arrow keys: text typed into a list starts a new word after a second. */
async function choose(list: Locator, value: string): Promise<void> {
  await reach(list);
  await until(async () => {
    if ((await list.inputValue()) === value) return true;
    await page.keyboard.press('ArrowDown');
    return false;
  });
}

const link = (name: string): Locator => page.getByRole('link', { name, exact: true });
const rows = (table: string): Locator => page.getByRole('table', { name: table }).locator('tbody').getByRole('row');
const question = (): Locator => page.getByRole('alertdialog');

async function useKeyboard(): Promise<void> {
  const { webhookReceiver } = await look.operate<{ webhookReceiver: { url: string } }>('{ webhookReceiver { url } }');
  await look.confirm();
  await look.operate('mutation ($input: ConfigureWebhookInput!) { configureWebhook(input: $input) { id } }', {
    input: { url: webhookReceiver.url },
  });
  await pressKey(link('Payments'));
  await pressKey(link('New payment').first());
  await choose(page.getByLabel('Currency'), 'USDT/ETH');
  await type('Amount', '40');
  await type('Your reference', 'BK-K');
  await page.keyboard.press('Enter');
  await pressKey(look.button('Pay from the faucet'));
  await page.getByRole('region', { name: 'Summary' }).getByText('Paid', { exact: true }).waitFor();

  await rows('Deliveries').first().getByText('Delivered').waitFor();
  await pressKey(rows('Deliveries').getByRole('button', { name: /^Resend evt/ }));
  await rows('Deliveries').nth(1).waitFor();

  await type('Address on Ethereum', ADDRESS);
  await type('Amount in USDT', '3');
  await page.keyboard.press('Enter');
  await question().getByText(ADDRESS).waitFor();
  await type('Your password', look.password);
  await page.keyboard.press('Enter');
  await rows('Refunds').getByText('3.00 USDT').waitFor();

  await pressKey(link('Balances'));
  await pressKey(look.button('Withdraw'));
  await page.getByText('1.5 is for the network fee').waitFor();
  await type('Amount in USDT', '5');
  await type('Address on Ethereum', ADDRESS);
  await page.keyboard.press('Enter');
  await question().getByText('A network fee of 1.50 USDT is charged on top.').waitFor();
  await look.inspect('withdraw-with-fee');
  await type('Your password', look.password);
  await page.keyboard.press('Enter');
  await rows('Withdrawals').getByText('5.00 USDT + 1.50 fee').waitFor();

  await pressKey(link('API keys'));
  await pressKey(look.button('Revoke Initial key'));
  await type('Your password', look.password);
  await page.keyboard.press('Enter');
  await rows('Keys').getByText('Revoked').waitFor();
  await question().waitFor({ state: 'detached' });
}

/** Many rows of every kind, for the merchant in the browser. */
async function fillLists(count: number): Promise<void> {
  const [merchant] = await gateway.sql<{ id: string }>('select id from merchant where email = $1', [look.email]);
  const [payment] = await gateway.sql<{ id: string }>('select id from payment where merchant_id = $1', [merchant?.id]);
  const ids = (prefix: Parameters<typeof newId>[0]) => Array.from({ length: count }, () => newId(prefix));
  const fill = (text: string, ...values: unknown[]) => gateway.sql(text, [merchant?.id, ...values]);
  await fill(
    `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
       derivation_index, status, version, tolerance_basis_points, late_payment_policy, required_confirmations, expires_at,
       created_at, updated_at)
     select id, $1, 'USDT', 'ETH', 1, id, id, 'evm', -n, 'CANCELED', 1, 0, 'ACCEPT', 1, now(), now(), now()
     from unnest($2::text[]) with ordinality as r(id, n)`,
    ids('ord'),
  );
  const payouts = `insert into payout (id, kind, merchant_id, payment_id, currency, network, amount, network_fee, address,
    status, created_at, updated_at)
    select id, $3, $1, $4, 'USDT', 'ETH', 1, 0, '0x1', 'FAILED', now(), now() from unnest($2::text[]) as id`;
  await fill(payouts, ids('wdr'), 'WITHDRAWAL', null);
  await fill(payouts, ids('rfd'), 'REFUND', payment?.id);
  await fill(
    `insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, created_at, resend)
     select r.id, e.id, $1, false, 'x', 'https://shop.example', 'FAILED', now(), n
     from unnest($2::text[]) with ordinality as r(id, n), event e where e.payment_id = $3 and e.type = 'payment.succeeded'`,
    ...[ids('dlv'), payment?.id],
  );
  await fill(
    `insert into api_log (merchant_id, request_id, at, key_id, method, path, status, duration_ms, ip)
     select $1, id, now() - n * interval '1 hour', 'pk_test_x', 'GET', '/', 200, 1, '::1' from unnest($2::text[]) with ordinality as r(id, n)`,
    ids('ord'),
  );
  await fill(
    `insert into audit_log (id, merchant_id, at, actor, ip, request_id, action, details)
     select id, $1, now(), 'owner', '::1', 'x', 'SETTINGS_CHANGED', '{}' from unnest($2::text[]) as id`,
    ids('evt'),
  );
}

/** Loads more until there is no more, and counts the final list. */
async function countAll(table: string): Promise<number> {
  const more = page
    .locator('section')
    .filter({ has: rows(table).first() })
    .getByRole('button', { name: 'Load more' });
  await rows(table).first().waitFor();
  for (let times = 1; (await more.count()) > 0; times += 1) {
    const before = await rows(table).count();
    await more.click();
    await expectMore(table, before);
    expect(times).toBeLessThan(10);
  }
  return rows(table).count();
}

const expectMore = (table: string, than: number): Promise<void> => rows(table).nth(than).waitFor();

async function loadMore(): Promise<void> {
  const many = 45;
  await fillLists(many);
  for (const [name, table, beside] of [
    ['Payments', 'Payments', 1],
    ['Balances', 'Withdrawals', 1],
    ['Webhooks', 'Deliveries', 2],
    ['Logs', 'Calls', 0],
    ['Settings', 'Changes', 0],
  ] as const) {
    await look.go(name);
    // The list's earlier content stays visible until the answer comes.
    await until(async () => (await countAll(table)) >= many + beside);
  }
  await look.go('Payments');
  await page.getByRole('searchbox').fill('BK-K');
  await look.button('Find').click();
  await link('BK-K').click();
  await until(async () => (await countAll('Refunds')) === many + 1);
  // With the refund's event, if it has been recorded by now.
  await until(async () => (await countAll('Deliveries')) >= many + 2);
}

type Trouble = 'none' | 'silence' | 'down' | 'busy' | 'forbidden';

const refusal = (code: string, errorCode: string, message: string) => ({
  contentType: 'application/graphql-response+json',
  body: JSON.stringify({ data: null, errors: [{ message, extensions: { code, errorCode } }] }),
});

const TROUBLES: readonly (readonly [trouble: Trouble, words: string])[] = [
  ['down', 'The gateway cannot be reached'],
  ['forbidden', 'Missing permission: EVERYTHING'],
  ['busy', 'The gateway is overloaded'],
];

const PAGES = ['Payments', 'Balances', 'Webhooks', 'API keys', 'Reports', 'Logs', 'Test receiver', 'Settings'];
/** Pages without a navigation entry. */
const FURTHER = [
  ...['/payments/new', '/payments/ord_00000000000000000000000000000000'],
  ...['/wallet/addresses', '/wallet/policy'],
];

const visits = [
  ...['Home', ...PAGES].map((name) => [name, () => look.go(name)] as const),
  ...FURTHER.map(
    (path) => [path, () => page.evaluate<void>(`history.pushState(null, '', '/console${path}')`)] as const,
  ),
];

async function meetTrouble(): Promise<void> {
  let trouble: Trouble = 'none';
  await page.route('**/graphql', async (route) => {
    const { operationName } = route.request().postDataJSON() as { operationName?: string };
    if (trouble === 'none' || operationName === 'Me') return route.continue();
    if (trouble === 'down') return route.abort();
    if (trouble === 'busy')
      return route.fulfill({ status: 503, ...refusal('UNAVAILABLE', '9503', 'The gateway is overloaded') });
    if (trouble === 'forbidden') return route.fulfill(refusal('FORBIDDEN', '1004', 'Missing permission: EVERYTHING'));
    return undefined; // Silence.
  });
  await page.goto(`${gateway.url}/console/nowhere`);
  await page.getByText('Page not found').waitFor();
  trouble = 'silence';
  for (const [name, visit] of visits) {
    await visit();
    await page.locator('.skeleton').first().waitFor();
    if (name === 'Settings') await look.inspect('loading-settings');
  }
  for (const [kind, words] of TROUBLES) {
    trouble = kind;
    for (const [name, visit] of visits) {
      await visit();
      await page.getByRole('alert').filter({ hasText: words }).first().waitFor();
      await expectLoaded();
      if (name === 'Home' || (kind === 'down' && process.env['SCREENSHOTS'] === 'all'))
        await look.inspect(`${kind}-${name.toLowerCase().replaceAll(/\W+/g, '-')}`);
    }
  }
  for (const [name, visit] of visits) {
    trouble = 'busy';
    await visit();
    await page.locator('.problem').first().waitFor();
    await expectLoaded();
    trouble = 'none';
    // All at once, since each may depend on what another loads.
    await page.evaluate(`document.querySelectorAll('.problem button').forEach((again) => again.click())`);
    await page.locator('.problem').first().waitFor({ state: 'detached' });
    await expectLoaded();
    expect([name, await page.getByRole('heading', { level: 1 }).count()]).toEqual([name, 1]);
  }
  await page.unroute('**/graphql');
}

/** Nothing is still loading, in whatever order the answers came. */
const expectLoaded = (): Promise<void> => page.locator('.skeleton').first().waitFor({ state: 'detached' });

/** How many live subscriptions there are, by the metrics. */
async function followed(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/^turnpike_live_listeners (\d+)$/m.exec(text)?.[1]);
}

async function missParts(): Promise<void> {
  let [missing, loads] = [true, 0];
  await page.route('**/console/assets/*.js', (route) =>
    missing && /reports/.test(route.request().url()) ? route.fulfill({ status: 404 }) : route.fallback(),
  );
  page.on('load', () => (loads += 1));
  await page.goto(`${gateway.url}/console`);
  await look.go('Reports');
  await page.getByText('A new version is there').waitFor();
  expect(loads).toBe(2);
  await look.go('Balances');
  await page
    .getByText('Your wallet is empty.')
    .or(page.getByRole('table', { name: 'Balances' }))
    .waitFor();
  missing = false;
  await look.go('Reports');
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('table').first().waitFor();
  expect(loads).toBe(3);
  await page.unroute('**/console/assets/*.js');
}

async function loseSocket(): Promise<void> {
  let isLost = false;
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket('**/graphql', async (socket) => {
    if (isLost) return socket.close({ code: 3001 });
    sockets.push(socket);
    socket.connectToServer();
  });
  await page.goto('about:blank');
  await until(async () => (await followed()) === 0);
  await page.goto(`${gateway.url}/console/payments`);
  // The count of payouts that wait is followed on every page.
  await until(async () => (await followed()) > 1);
  const { createPayment } = await look.operate<{ createPayment: { id: string } }>(
    'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }',
    { input: { amount: '7', currency: 'USDT', network: 'ETH', merchantOrderId: 'BK-S' } },
  );
  const row = rows('Payments').filter({ hasText: 'BK-S' });
  await row.getByText('Waiting').waitFor();
  isLost = true;
  for (const socket of sockets) await socket.close({ code: 3001 });
  await page.getByText('Reconnecting', { exact: true }).waitFor();
  await look.operate(`mutation { simulateDeposit(input: { paymentId: "${createPayment.id}" }) { id } }`);
  const [paid] = await gateway.sql<{ status: string }>('select status from payment where id = $1', [createPayment.id]);
  expect([paid?.status, await row.getByText('Waiting').isVisible()]).toEqual(['SUCCEEDED', true]);
  isLost = false;
  await page.evaluate(`dispatchEvent(new Event('online'))`);
  await row.getByText('Paid', { exact: true }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
}
