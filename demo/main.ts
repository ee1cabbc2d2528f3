// The story of Turnpike: a shop is paid in crypto, from its registration to its balance. Read it from top to bottom.
// `npm run demo` uses the gateway at BASE_URL (http://localhost:3000), or starts one of its own where none is ready.
// `npm run demo -- money` tells what becomes of money that comes short, too much, late, or goes back (money.ts),
// `npm run demo -- networks` pays an order on each network that can run here (networks.ts),
// `npm run demo -- invoices` tells five lives of an invoice, with rates that move (invoices.ts),
// `npm run demo -- cells` has two cells behind a proxy, one of which is killed (cells/story.ts).

import { randomUUID } from 'node:crypto';
import { prepareCells } from './cells/story.ts';
import { containing, expectLike, expectSame, ISO_TIME } from './support/expect.ts';
import { compareLiveUpdates, describeUpdate, LIVE_FIELDS } from './live-updates.ts';
import type { LiveSocket, Updates } from './support/live-socket.ts';
import { cancel, letExpire, overpay, reorganise } from './other-endings.ts';
import { expectErrors } from './refusals.ts';
import { prepareInvoices } from './invoices.ts';
import { tellMoney } from './money.ts';
import { prepareNetworks } from './networks.ts';
import { plain, runStory, type Stage } from './run.ts';
import {
  STATE,
  type Balance,
  type LiveUpdate,
  type PaymentOrder,
  type RegisteredKey,
  type Shop,
} from './support/shapes.ts';
import { verifyWebhook } from './support/verify-webhook.ts';
import { waitUntil } from './support/wait.ts';

async function tellEverything(stage: Stage): Promise<void> {
  const keys = await registerMerchants(stage);
  const shop = await exchangeKeys(stage, keys);
  const secret = await configureWebhook(stage, shop);
  const sockets = await openSockets(stage, shop);

  const order = await createPayment(stage, shop);
  const live = await followPayment(stage, sockets, order);
  await openPaymentPage(stage, order);
  await payInTwoParts(stage, shop, order, live.merchant);
  await receiveWebhook(stage, shop, order, secret);
  await readBalance(stage, shop, 'Read the balance: 25 USDT less 1 percent', { USDT: '24.75' });

  await overpay(stage, shop);
  await letExpire(stage, shop, secret);
  await cancel(stage, shop);
  await reorganise(stage, shop);
  await expectErrors(stage, shop);
  await compareLiveUpdates(stage, order, { ...live, everyPayment: sockets.everyPayment });
  await readBalance(stage, shop, 'The balance at the end', { USDT: '24.75', ETH: '0.0594', USDC: '4.95' });
}

const STORIES = {
  everything: plain(tellEverything),
  money: plain(tellMoney),
  networks: prepareNetworks,
  invoices: prepareInvoices,
  cells: prepareCells,
};

const exitCode = await runStory(STORIES);
// An interrupted step may still be waiting for something; exit without waiting for it.
process.exit(exitCode);

async function registerMerchants({ http, printer }: Stage) {
  printer.step('Register two merchants');
  const mailbox = () => `demo-${randomUUID()}@example.com`;
  const account = { email: mailbox(), companyName: 'Narrow Gate Ltd', password: `correct horse ${randomUUID()}` };
  const registered = await http.call<{ apiKey: RegisteredKey }>('POST', '/merchant/register', {
    body: account,
    status: 201,
  });
  expectLike('the registration', registered.data, {
    merchantId: /^mer_/,
    apiKey: { keyId: /^pk_test_/, secret: /^sk_test_/, permissions: ['CREATE_PAYMENTS', 'READ_PAYMENTS'] },
  });

  printer.say(
    'The sandbox also makes merchants whose first key holds every permission; the story goes on with this one.',
  );
  const body = { email: mailbox(), companyName: 'Toll House Books' };
  const made = await http.call<{ apiKey: { keyId: string; key: string } }>('POST', '/merchant', { body, status: 201 });
  expectLike('the merchant', made.data, {
    merchant: { id: /^mer_/, email: body.email, companyName: body.companyName, createdAt: ISO_TIME },
    apiKey: { keyId: /^pk_test_/, key: /^sk_test_/ },
  });
  const { keyId, key } = made.data.apiKey;
  return { narrow: registered.data.apiKey, full: { keyId, secret: key } };
}

async function exchangeKeys(
  { http, printer }: Stage,
  keys: { narrow: RegisteredKey; full: RegisteredKey },
): Promise<Shop> {
  printer.step('Exchange a key for an access token');
  const exchange = async ({ keyId, secret }: RegisteredKey, permissions: number) => {
    const { data } = await http.call<{ accessToken: string; permissions: string[] }>('POST', '/auth/token', {
      body: { keyId, secret },
    });
    expectLike('the token', data, { accessToken: /^eyJ/, tokenType: 'Bearer', expiresAt: ISO_TIME });
    expectLike('the number of permissions', data.permissions.length, permissions);
    return data.accessToken;
  };
  return { token: await exchange(keys.full, 8), narrowToken: await exchange(keys.narrow, 2) };
}

async function configureWebhook({ http, printer, receiver }: Stage, { token }: Shop): Promise<string> {
  printer.step('Tell the gateway where webhooks go: to a receiver of our own');
  const body = { url: receiver.url, enabled: true };
  const { data } = await http.call<{ secret: string }>('PUT', '/merchant/webhook', { token, body });
  expectLike('the webhook', data, { ...body, id: /^whk_/, secret: /^whsec_/ });
  return data.secret;
}

interface Sockets {
  readonly merchant: LiveSocket;
  readonly customer: LiveSocket;
  readonly everyPayment: Updates<LiveUpdate>;
}

async function openSockets({ openSocket, printer }: Stage, { token }: Shop): Promise<Sockets> {
  printer.step('Open two web sockets: the merchant with a token, the customer without');
  const [merchant, customer] = [await openSocket(token), await openSocket(null)];
  const query = `subscription { paymentUpdated { ${LIVE_FIELDS} } }`;
  printer.sent(`merchant: ${query}`);
  return { merchant, customer, everyPayment: merchant.follow(query, {}) };
}

async function createPayment({ http, printer }: Stage, { token }: Shop): Promise<PaymentOrder> {
  printer.step('Create a payment of 25 USDT, twice with the same Idempotency-Key');
  const body = {
    amount: '25',
    currency: 'USDT',
    network: 'ERC20',
    merchantOrderId: 'cart-42',
    productName: 'The Collected Tolls',
    customerEmail: 'reader@example.com',
  };
  const options = { token, headers: { 'Idempotency-Key': randomUUID() }, status: 201 };
  const first = await http.call<PaymentOrder>('POST', '/payments', { ...options, body });
  expectLike('the order', first.data, {
    orderId: /^ord_/,
    address: /^0x[0-9a-fA-F]{40}$/,
    amount: '25',
    currency: 'USDT',
    network: 'ETH',
    paymentUrl: containing(first.data.orderId),
    expiresAt: ISO_TIME,
    status: 'PENDING',
  });
  expectLike('Idempotent-Replayed of the first answer', first.headers.get('idempotent-replayed'), null);

  const again = await http.call<PaymentOrder>('POST', '/payments', { ...options, body, show: ['orderId'] });
  expectSame('the second answer', again.data, first.data);
  expectLike('Idempotent-Replayed of the second', again.headers.get('idempotent-replayed'), 'true');
  printer.met('The second call made no second order: Idempotent-Replayed: true');
  return first.data;
}

async function followPayment({ printer }: Stage, sockets: Sockets, { orderId: id }: PaymentOrder) {
  printer.step('Follow the payment live');
  const ofMerchant = `subscription($id: ID!) { paymentUpdated(id: $id) { ${LIVE_FIELDS} } }`;
  const ofCustomer = `subscription($id: ID!) { checkoutUpdated(id: $id) { ${LIVE_FIELDS} } }`;
  printer.sent(`merchant: ${ofMerchant}`, { id });
  const show = (update: LiveUpdate) => printer.arrived(`live: ${describeUpdate(update)}`);
  const merchant = sockets.merchant.follow<LiveUpdate>(ofMerchant, { id }, show);
  await merchant.until('PENDING, as the current state', ({ status }) => status === 'PENDING');
  printer.sent(`customer: ${ofCustomer}`, { id });
  const customer = sockets.customer.follow<LiveUpdate>(ofCustomer, { id });
  await customer.until('PENDING, as the current state', ({ status }) => status === 'PENDING');
  printer.met('Both begin with the current state');
  return { merchant, customer };
}

async function openPaymentPage({ http, printer }: Stage, { paymentUrl, address, amount, currency }: PaymentOrder) {
  printer.step('Open the payment page, as the customer does');
  const page = await http.page(paymentUrl);
  const text = page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  // The address is in groups, which a copy of it joins.
  expectLike('the payment page', text.replaceAll(' ', ''), containing(address));
  expectLike('the payment page', text, containing(`${amount} ${currency}`));
  printer.met(`It asks for ${amount} ${currency} to ${address}`);
}

async function payInTwoParts(
  { http, printer }: Stage,
  { token }: Shop,
  order: PaymentOrder,
  live: Updates<LiveUpdate>,
) {
  printer.step('Pay in two parts, with real transactions on the test chain');
  const id = order.orderId;
  printer.say('10 USDT, broadcast and not mined yet:');
  const body = { amount: '10', confirmations: -1 };
  await http.call('POST', `/sandbox/payments/${id}/deposit`, { token, body, show: STATE });
  await live.until('PARTIALLY_PAID with 10 of 25', (update) => isAt(update, 'PARTIALLY_PAID', '10'));

  printer.say('What is still due, over GraphQL, in one block with the first part:');
  const pay = `mutation($input: SimulateDepositInput!) { simulateDeposit(input: $input) { ${LIVE_FIELDS} requiredConfirmations } }`;
  const input = { paymentId: id, confirmations: 0 };
  const paid = await http.graphql<{ simulateDeposit: PaymentOrder }>(pay, { input }, { token });
  const required = paid.simulateDeposit.requiredConfirmations;
  await live.until('CONFIRMING with one confirmation', (update) => isAt(update, 'CONFIRMING', '25', 1));

  printer.say(`It takes ${required} confirmations; the including block was the first:`);
  const mine = 'mutation($input: MineBlocksInput!) { mineBlocks(input: $input) { network tip } }';
  await http.graphql(mine, { input: { network: order.network, count: required - 1 } }, { token });
  await live.until('SUCCEEDED', (update) => isAt(update, 'SUCCEEDED', '25', required));
  printer.met('PENDING → PARTIALLY_PAID → CONFIRMING → SUCCEEDED');
}

function isAt(update: LiveUpdate, status: string, received: string, confirmations = 0): boolean {
  return update.status === status && update.amountReceived === received && update.confirmations === confirmations;
}

async function receiveWebhook(
  { http, printer, receiver }: Stage,
  { token }: Shop,
  order: PaymentOrder,
  secret: string,
) {
  printer.step('Receive the webhook and check its signature');
  const webhook = await receiver.waitFor('payment.succeeded', order.orderId);
  const { 'x-pgw-signature': signature, 'user-agent': sender } = webhook.headers;
  printer.arrived('webhook', { sender, signature, body: JSON.parse(webhook.rawBody.toString()) as unknown });
  const event = await verifyWebhook(webhook, secret);
  const { data: payment } = await http.call('GET', `/payments/${order.orderId}`, { token, show: STATE });
  expectLike('the webhook', event, {
    type: 'payment.succeeded',
    apiVersion: 'v1',
    environment: 'sandbox',
    createdAt: ISO_TIME,
  });
  expectSame(
    'the fields of its payment',
    Object.keys(event.data.payment).sort(),
    Object.keys(payment as object).sort(),
  );
  expectLike('its payment', event.data.payment, {
    orderId: order.orderId,
    status: 'SUCCEEDED',
    amountReceived: '25',
    amountConfirmed: '25',
    feeAmount: '0.25',
  });
  printer.met('Headers and both signatures are right; the body is the full payment');

  const path = `/webhooks/deliveries/${event.id}`;
  const isRecorded = async () =>
    (await http.look<{ status: string }>(path, token)).status === 'PENDING' ? null : true;
  await waitUntil('the delivery to be recorded', isRecorded);
  const { data: delivery } = await http.call('GET', path, { token });
  const facts = { status: 'SUCCESS', attempts: 1, response_code: 200, next_retry_at: null, last_attempt_at: ISO_TIME };
  expectLike('the delivery', delivery, { event_id: event.id, url: receiver.url, ...facts });
}

async function readBalance(
  { http, printer }: Stage,
  { token }: Shop,
  title: string,
  available: Record<string, string>,
) {
  printer.step(title);
  const { data } = await http.call<{ balances: Balance[] }>('GET', '/wallet/balance', { token });
  for (const [currency, amount] of Object.entries(available)) {
    const balance = data.balances.find((one) => one.currency === currency && one.network === 'ETH');
    expectLike(`the balance in ${currency}`, balance, { available: amount, pending: '0', reserved: '0' });
    printer.met(`${amount} ${currency} are available`);
  }
}
