// The story of the invoices: prices in the shop's currency, paid in coins at rates that hold for a while, told as five
// lives of an invoice. The sandbox's rates move between the steps, and after each life the whole ledger is verified.

import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { withLitecoin, withTron, type DemoChain } from './chains.ts';
import { startFeeds, type Feeds } from './feeds.ts';
import type { PreparedStory, Stage } from './run.ts';
import { expectLike, expectSame, inspectBriefly, type ExpectedFields } from './support/expect.ts';
import { verifyInvoiceWebhook } from './support/verify-webhook.ts';
import { waitUntil } from './support/wait.ts';

/** A customer's wallet, outside the gateway. */
const CUSTOMER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

/** The merchant whose story this is. */
interface Owner {
  readonly token: string;
  readonly webhookSecret: string;
}

interface Invoice {
  readonly invoiceId: string;
  readonly status: string;
  readonly amountDue: string;
  readonly payments: readonly { readonly orderId: string; readonly amount: string; readonly address: string }[];
}

/** What an invoice's page shows of the payment that its customer chose. */
interface Chosen {
  readonly payments: readonly {
    readonly checkout: { readonly id: string; readonly amount: string; readonly address: string };
    readonly isCurrent: boolean;
  }[];
}

interface Shop extends Owner {
  readonly feeds: Feeds;
  /** Null where it cannot run here. */
  readonly tron: DemoChain | null;
  readonly hasLitecoin: boolean;
}

/** The fields of an invoice that are worth printing. */
const STATE = ['status', 'exception', 'amount', 'currency', 'amountReceived', 'amountDue'];

/** Starts the chains that can run here, and feeds of rates that say what the story wants. */
export async function prepareInvoices(): Promise<PreparedStory> {
  const [litecoin, tron] = [await withLitecoin(), await withTron()];
  const feeds = await startFeeds();
  const chains = [litecoin, tron].filter((chain) => typeof chain !== 'string');
  const left = [litecoin, tron].filter((chain) => typeof chain === 'string');
  return {
    env: Object.assign({}, feeds.env, ...chains.map(({ env }) => env)) as Record<string, string>,
    tell: (stage) =>
      tellLives(stage, {
        feeds,
        tron: typeof tron === 'string' ? null : tron,
        hasLitecoin: typeof litecoin !== 'string',
        left,
      }),
    stop: async () => {
      for (const chain of chains) await chain.stop();
      await feeds.stop();
    },
  };
}

async function tellLives(
  stage: Stage,
  { left, ...here }: Pick<Shop, 'feeds' | 'tron' | 'hasLitecoin'> & { readonly left: readonly string[] },
): Promise<void> {
  const shop = { ...here, ...(await openShop(stage)) };
  for (const reason of left) stage.printer.say(reason);
  for (const tell of [livePlainly, switchCoins, payLate, meetLiars, sellByLink]) {
    await tell(stage, shop);
    await stage.verifyBook();
  }
}

async function openShop({ http, printer, receiver }: Stage): Promise<Owner> {
  printer.step('Make a merchant, who is told of invoices by webhook');
  const account = { email: `invoices-${randomUUID()}@example.com`, companyName: 'Blue Kettle Tea' };
  const made = await http.call<{ apiKey: { keyId: string; key: string } }>('POST', '/merchant', {
    ...{ body: account, status: 201 },
  });
  const { keyId, key: secret } = made.data.apiKey;
  const exchanged = await http.call<{ accessToken: string }>('POST', '/auth/token', { body: { keyId, secret } });
  const token = exchanged.data.accessToken;
  const webhook = await http.call<{ secret: string }>('PUT', '/merchant/webhook', {
    ...{ token, body: { url: receiver.url, enabled: true } },
  });
  const rates = () => http.look<object>('/rates?currency=EUR', token).catch(() => null);
  await waitUntil('the first rates to be read from the feeds', rates);
  return { token, webhookSecret: webhook.data.secret };
}

/** Litecoin plays Bitcoin, whose node is not here: the feeds say Bitcoin's price of it, and it has as many places. */
async function livePlainly(stage: Stage, shop: Shop): Promise<void> {
  const { http, printer } = stage;
  if (!shop.hasLitecoin) return printer.say('The first life is left out: it is paid in Litecoin');
  printer.step('1. Plain: 49.90 EUR, paid in a coin at 60,000 dollars, with a spread of 1 percent');
  await waitForNetwork(stage, shop, 'LTC');
  const settings = { rateSpread: 100 };
  expectLike(
    'the settings',
    (await http.call('PUT', '/merchant/settings', { ...by(shop), body: settings })).data,
    settings,
  );
  const invoice = await createInvoice(stage, shop, { amount: '49.90', currency: 'EUR' });
  const chosen = await choose(stage, invoice, 'LTC', 'LTC');
  expectSame('what is to be sent', chosen.amount, '0.00090728');
  await deposit(stage, shop, chosen.id);
  await expectInvoice(stage, shop, invoice, { status: 'SETTLED', exception: null, amountReceived: '49.9' });
  const [payment] = (await http.look<{ payments: object[] }>(`/invoices/${invoice}`, shop.token)).payments;
  expectLike('its quote', payment, { marketRate: '55555.555555555556', rate: '55000', spread: 100 });
  await expectReceipt(stage, shop, invoice, { fiatCurrency: 'EUR', fiatAmount: '50.4', fee: '0.00000907' });
  await expectEvent(stage, shop, 'invoice.settled', invoice);
  await http.call('PUT', '/merchant/settings', { ...by(shop), body: { rateSpread: 0 } });
}

async function switchCoins(stage: Stage, shop: Shop): Promise<void> {
  const { http, printer } = stage;
  const { tron } = shop;
  if (tron === null || !shop.hasLitecoin)
    return printer.say('The second life is left out: it is paid on TRON, and in Litecoin');
  printer.step('2. Switch: 12.345 KWD, of which an exchange sends only 20 USDT; the rest is paid in another coin');
  await waitForNetwork(stage, shop, 'TRON');
  await moveRate(stage, shop, 'LTC', '80');
  const invoice = await createInvoice(stage, shop, { amount: '12.345', currency: 'KWD' });
  const first = await choose(stage, invoice, 'USDT', 'TRON');
  expectSame('what is to be sent', first.amount, '40.141321');
  tron.pay({ to: first.address, currency: 'USDT', amount: '20' });
  await expectInvoice(stage, shop, invoice, { status: 'PARTIALLY_PAID', amountReceived: '6.15', amountDue: '6.195' });
  const rest = await choose(stage, invoice, 'LTC', 'LTC');
  expectSame('what is to be sent of the other coin', rest.amount, '0.25164063');
  await deposit(stage, shop, rest.id);
  await expectInvoice(stage, shop, invoice, { status: 'SETTLED', exception: null, amountDue: '0' });
  await expectEvent(stage, shop, 'invoice.settled', invoice);
  const part = await http.look<{ invoiceId: string; status: string }>(`/payments/${first.id}`, shop.token);
  expectLike('the payment that came short', { ...part }, { invoiceId: invoice, amountConfirmed: '20' });
  printer.met('The 20 USDT are in the book, and can be refunded');
}

async function payLate(stage: Stage, shop: Shop): Promise<void> {
  const { http, printer } = stage;
  printer.step('3. Late: 5000 JPY in ETH, sent after its quote was over, when ETH costs less');
  await moveRate(stage, shop, 'ETH', '3000');
  const invoice = await createInvoice(stage, shop, { amount: '5000', currency: 'JPY' });
  const first = await choose(stage, invoice, 'ETH', 'ETH');
  expectSame('what is to be sent', first.amount, '0.01083334');
  await http.call('POST', `/sandbox/payments/${first.id}/expire-quote`, { ...by(shop), show: STATE });
  await moveRate(stage, shop, 'ETH', '2850');
  // A block's time is a whole second, and in time is what a block of the quote's last second has.
  await rest(2_000);
  await deposit(stage, shop, first.id);
  await expectInvoice(stage, shop, invoice, { status: 'PARTIALLY_PAID', amountReceived: '4750', amountDue: '250' });
  const second = await choose(stage, invoice, 'ETH', 'ETH');
  expectSame('what is still to be sent', second.amount, '0.00057017');
  await deposit(stage, shop, second.id);
  await expectInvoice(stage, shop, invoice, { status: 'SETTLED', exception: null, amountDue: '0' });
  await expectEvent(stage, shop, 'invoice.settled', invoice);
}

async function meetLiars(stage: Stage, shop: Shop): Promise<void> {
  const { http, printer } = stage;
  const coin = 'LTC';
  if (!shop.hasLitecoin) return printer.say('The fourth life is left out: it is about the rate of Litecoin');
  printer.step(`4. Liars: one feed says ten times the price of ${coin}, another says zero`);
  await moveRate(stage, shop, coin, undefined);
  shop.feeds.say(coin, { kraken: '60010', coinbase: '59990', bitstamp: '600000', coingecko: '0' });
  const fresh = { rate: '60000', state: 'FRESH', sources: ['coinbase', 'kraken'] };
  await expectRate(stage, shop, coin, 'the lone liar not to be believed', fresh);
  const invoice = await createInvoice(stage, shop, { amount: '200', currency: 'USD' });

  printer.say('Coinbase falls silent: two feeds are left, which cannot both be right');
  shop.feeds.say(coin, { kraken: '60010', bitstamp: '600000', coingecko: '0' });
  await expectRate(stage, shop, coin, 'the last good rate to be held', { rate: '60000', state: 'HELD' });
  await expectRate(stage, shop, coin, 'the last good rate to be too old', { rate: null, state: 'NONE' });
  const body = { currency: coin, network: coin };
  const error = { code: '3010', message: /./ };
  await http.refused('POST', `/checkout/invoices/${invoice}/choose`, { body, status: 503, error });
  const other = await choose(stage, invoice, 'USDT', 'ETH');
  printer.met(`${coin} cannot be chosen, USDT can: ${other.amount}`);

  printer.say('Coinbase is back');
  shop.feeds.say(coin, { kraken: '60010', coinbase: '59990', bitstamp: '600000', coingecko: '0' });
  await expectRate(stage, shop, coin, 'quotes again', fresh);
  const chosen = await choose(stage, invoice, coin, coin);
  await deposit(stage, shop, chosen.id);
  await expectInvoice(stage, shop, invoice, { status: 'SETTLED', amountDue: '0' });
}

async function sellByLink(stage: Stage, shop: Shop): Promise<void> {
  const { http, printer } = stage;
  printer.step('5. Link: 20 USD, to be sold once; two customers choose before the first has paid');
  const body = { name: 'One pot', description: 'A tea pot', amount: '20', currency: 'USD', maxUses: 1 };
  const { data: link } = await http.call<{ id: string; url: string }>('POST', '/payment-links', {
    ...{ ...by(shop), body, status: 201, show: ['id', 'url', 'maxUses', 'uses'] },
  });
  const submit = async () =>
    (await http.call<{ id: string }>('POST', `/checkout/links/${link.id}`, SUBMISSION)).data.id;
  const [first, second] = [await submit(), await submit()];
  const [one, other] = [await choose(stage, first, 'USDC', 'ETH'), await choose(stage, second, 'USDC', 'ETH')];
  expectSame('what each is to send', [one.amount, other.amount], ['19.996001', '19.996001']);
  await deposit(stage, shop, other.id);
  await expectInvoice(stage, shop, second, { status: 'SETTLED' });
  await deposit(stage, shop, one.id);
  await expectInvoice(stage, shop, first, { status: 'SETTLED' });
  const sold = await http.look<{ uses: number }>(`/payment-links/${link.id}`, shop.token);
  expectSame('the uses of the link', sold.uses, 2);
  const error = { code: '3009', message: /./ };
  await http.refused('POST', `/checkout/links/${link.id}`, { body: {}, status: 409, error });
  await loseFirst(stage, shop, first);
  await refundSecond(stage, shop, second, other.id);
}

const SUBMISSION = { body: {}, status: 201, show: ['id', 'status', 'amount', 'currency'] } as const;

async function loseFirst(stage: Stage, shop: Shop, invoice: string): Promise<void> {
  const { http, printer } = stage;
  printer.step('A reorganisation takes the deposit of the first for good; the customer sends it again');
  const document = 'mutation($input: SimulateReorgInput!) { simulateReorg(input: $input) { network tip } }';
  await http.graphql(document, { input: { network: 'ETH', depth: 2 } }, by(shop));
  await expectInvoice(stage, shop, invoice, { status: 'FAILED', exception: 'REORGED', amountConfirmed: '0' });
  await expectReceipt(stage, shop, invoice, { reversedAt: /^\d/ });
  await expectEvent(stage, shop, 'invoice.failed', invoice);
  const { payments } = await http.look<Invoice>(`/invoices/${invoice}`, shop.token);
  await deposit(stage, shop, payments[0]?.orderId ?? '');
  await expectInvoice(stage, shop, invoice, { status: 'SETTLED', amountDue: '0' });
}

async function refundSecond(stage: Stage, shop: Shop, invoice: string, orderId: string): Promise<void> {
  stage.printer.step('The second is refunded whole');
  await stage.http.call('POST', `/payments/${orderId}/refund`, {
    ...{ ...by(shop), body: { address: CUSTOMER }, status: 201, show: ['refundId', 'amount', 'status'] },
  });
  await expectInvoice(stage, shop, invoice, { status: 'REFUNDED' });
  await expectEvent(stage, shop, 'invoice.refunded', invoice);
}

const by = ({ token }: Owner) => ({ token });

async function createInvoice({ http }: Stage, shop: Owner, price: { amount: string; currency: string }) {
  const show = ['invoiceId', 'invoiceUrl', ...STATE];
  const { data } = await http.call<Invoice>('POST', '/invoices', { ...by(shop), body: price, status: 201, show });
  return data.invoiceId;
}

/** Chooses as the invoice's page does, without a token. Returns what is to be sent, and where to. */
async function choose({ http, printer }: Stage, invoice: string, currency: string, network: string) {
  const path = `/checkout/invoices/${invoice}/choose`;
  const { data } = await http.call<Chosen>('POST', path, {
    body: { currency, network },
    show: ['id', 'status', 'amountDue'],
  });
  const checkout = data.payments.find(({ isCurrent }) => isCurrent)?.checkout;
  if (!checkout) throw new Error('Nothing was chosen');
  printer.met(`To send: ${checkout.amount} ${currency} on ${network}`);
  return checkout;
}

async function deposit({ http }: Stage, shop: Owner, orderId: string): Promise<void> {
  const show = ['status', 'amountReceived'];
  await http.call('POST', `/sandbox/payments/${orderId}/deposit`, { ...by(shop), body: {}, show });
}

/** Moves a rate for this merchant alone; undefined: what the feeds say counts. */
async function moveRate({ http }: Stage, shop: Owner, code: string, usd: string | undefined): Promise<void> {
  const body = usd === undefined ? { code } : { code, usd };
  await http.call('POST', '/sandbox/rates', { ...by(shop), body, show: ['asset', 'currency', 'rate'] });
}

async function expectInvoice(stage: Stage, shop: Owner, id: string, expected: ExpectedFields): Promise<void> {
  let seen: Invoice | undefined;
  const look = async () => {
    seen = await stage.http.look<Invoice>(`/invoices/${id}`, shop.token);
    return seen.status === expected['status'] ? seen : null;
  };
  const invoice = await waitUntil(`${id} to be ${inspectBriefly(expected['status'])}`, look, { instead: () => seen });
  expectLike(id, invoice, expected);
  stage.printer.met(`The invoice has ${listed(invoice, expected)}`);
}

async function expectReceipt({ http, printer }: Stage, shop: Owner, id: string, expected: ExpectedFields) {
  const { items } = await http.look<{ items: { invoiceId: string | null }[] }>('/reports/receipts', shop.token);
  const receipt = items.find(({ invoiceId }) => invoiceId === id);
  expectLike('the receipt', receipt, expected);
  printer.met(`Its receipt has ${listed(receipt, expected)}`);
}

async function expectEvent({ receiver, printer }: Stage, shop: Owner, type: string, id: string): Promise<void> {
  const event = await verifyInvoiceWebhook(await receiver.waitFor(type, id), shop.webhookSecret);
  printer.arrived('webhook', { type: event.type, status: event.data.invoice.status });
}

/** Waits for the rate of a coin in US dollars; a figure is held for a minute here, and a tick is fresh for 10 s. */
async function expectRate({ http, printer }: Stage, shop: Owner, coin: string, what: string, expected: ExpectedFields) {
  let seen: unknown;
  const look = async () => {
    const { items } = await http.look<{ items: { asset: string; state: string }[] }>('/rates?currency=USD', shop.token);
    const rate = items.find(({ asset }) => asset === coin);
    seen = rate;
    return rate && isLike(rate, expected) ? rate : null;
  };
  const rate = await waitUntil(what, look, { deadlineMs: 180_000, instead: () => seen });
  printer.met(`${coin} in USD: ${listed(rate, expected)}`);
}

/** The fields that were expected, as they came. */
function listed(came: unknown, expected: ExpectedFields): string {
  const fields = { ...(came as Readonly<Record<string, unknown>>) };
  return Object.keys(expected)
    .map((name) => `${name} ${inspectBriefly(fields[name])}`)
    .join(', ');
}

const isLike = (came: object, expected: ExpectedFields): boolean =>
  Object.entries(expected).every(([name, value]) => isDeepStrictEqual({ ...came }[name as never], value));

async function waitForNetwork({ http }: Stage, shop: Owner, network: string): Promise<void> {
  const isThere = async () => {
    const { items } = await http.look<{ items: { network: string; available: boolean }[] }>('/currencies', shop.token);
    return items.some((item) => item.network === network && item.available) ? true : null;
  };
  await waitUntil(`${network} to be available`, isThere);
}
