// The story of the cells: two deployments behind one address. Merchants of both are paid through the same proxy, which
// knows by tokens, keys and ids where each call goes; one cell is killed while the other goes on, and comes back.

import { randomUUID } from 'node:crypto';
import { cellOf } from '../../src/values/id.ts';
import { createOrder, deposit, expectState } from '../orders.ts';
import type { PreparedStory, Stage } from '../run.ts';
import { containing, Difference, expectLike } from '../support/expect.ts';
import { createHttpClient } from '../support/http-client.ts';
import type { Printer } from '../support/printer.ts';
import type { Balance, LiveUpdate, PaymentOrder } from '../support/shapes.ts';
import { verifyLedger } from '../support/verify-ledger.ts';
import { verifyWebhook } from '../support/verify-webhook.ts';
import { waitUntil } from '../support/wait.ts';
import { startCells, waitForProxy, type Cell, type Cells } from './deployment.ts';
import { missingProxy } from './proxy.ts';

interface Shop {
  readonly cell: Cell;
  readonly token: string;
  readonly email: string;
  readonly password: string;
}

const LOGIN = `mutation ($email: String!, $password: String!) {
  login(email: $email, password: $password) { accessToken }
}`;

export async function prepareCells(printer: Printer, interruption: AbortSignal): Promise<PreparedStory> {
  const missing = missingProxy();
  if (missing !== null) throw new Error(missing);
  const started = await startCells(printer, interruption);
  const tell = (stage: Stage) => tellCells(stage, started);
  return { env: {}, tell, gateway: started.gateway, stop: () => started.gateway.stop() };
}

async function tellCells(stage: Stage, { cells }: Cells): Promise<void> {
  const shops: Shop[] = [];
  for (const cell of cells) shops.push(await register(stage, cell));
  const [first, second] = shops as [Shop, Shop];
  await signInElsewhere(stage, cells, second);
  const addresses: string[] = [];
  for (const shop of shops) addresses.push(await bePaid(stage, shop));
  if (addresses[0] === addresses[1])
    throw new Difference('The addresses of the two orders', 'two of them', addresses.join(' and '));
  stage.printer.met('One seed, two accounts: the cells gave out different addresses');
  await readFromStandby(stage, second);
  await callTheWrongCell(stage, cells[0], second);
  await loseCell(stage, first, second);
  await bringBack(stage, second);
  stage.printer.step('The books of both cells');
  for (const { dataDir, databaseUrl } of cells) await verifyLedger(stage.printer, dataDir, databaseUrl);
}

async function register({ http, printer }: Stage, cell: Cell): Promise<Shop> {
  printer.step(`A merchant registers and signs in, in cell ${cell.number}`);
  const headers = { 'Turnpike-Cell': String(cell.number) };
  const email = `cells-${randomUUID()}@example.com`;
  const password = `correct horse ${randomUUID()}`;
  const { data } = await http.call<{ merchantId: string }>('POST', '/merchant/register', {
    ...{
      headers,
      body: { email, companyName: `Gate ${cell.number} Ltd`, password },
      status: 201,
      show: ['merchantId'],
    },
  });
  expectLike('the cell in the merchant’s id', cellOf(data.merchantId), cell.number);
  const signedIn = await http.graphql<{ login: { accessToken: string } }>(LOGIN, { email, password }, { headers });
  printer.met(`${data.merchantId} is of cell ${cell.number}; from here on the token says it`);
  return { cell, token: signedIn.login.accessToken, email, password };
}

async function signInElsewhere({ printer }: Stage, [first, second]: Cells['cells'], shop: Shop): Promise<void> {
  printer.step('The merchant of cell 1 signs in, and registers, at the address of cell 0');
  const { email, password } = shop;
  const http = createHttpClient(first.ownUrl, printer);
  const details = [
    { path: 'cell', message: '1' },
    { path: 'url', message: second.ownUrl },
  ];
  await http.graphqlRefused(
    LOGIN,
    { email, password },
    { status: 421, error: { extensions: { errorCode: '9421', details } } },
  );
  const body = { email, password, companyName: 'Gate 1 Ltd' };
  await http.refused('POST', '/merchant/register', { body, status: 409, error: { code: '2009' } });
  printer.met('The directory says where the account is, and an address has one account in all cells');
}

/** From the order to the balance, all of it through the proxy. Returns the address that was paid. */
async function bePaid(stage: Stage, shop: Shop): Promise<string> {
  const { http, printer, receiver } = stage;
  const { cell, token } = shop;
  printer.step(`The merchant of cell ${cell.number} is paid: order, page, live update, webhook, balance`);
  const webhook = await http.call<{ secret: string }>('PUT', '/merchant/webhook', {
    ...{ token, body: { url: receiver.url, enabled: true }, show: ['url'] },
  });
  const order = await createOrder(stage, shop, '25', 'USDT');
  expectLike('the cell in the order’s id', cellOf(order.orderId), cell.number);

  const { paymentUrl } = order;
  expectLike('the payment page’s address', paymentUrl, containing('http://127.0.0.1:'));
  const page = await http.page(paymentUrl);
  const path = `/graphql?cell=${cell.number}`;
  expectLike('the payment page', page, containing(`data-graphql="${path}"`));
  const socket = await stage.openSocket(null, path);
  const document = 'subscription($id: ID!) { checkoutUpdated(id: $id) { id status amountReceived confirmations } }';
  const live = socket.follow<LiveUpdate>(document, { id: order.orderId });
  await live.until('PENDING, as the current state', ({ status }) => status === 'PENDING');
  printer.met(`The customer follows it at ${path}`);

  await deposit(stage, shop, order.orderId, {});
  await expectState(stage, shop, order.orderId, { status: 'SUCCEEDED', amountConfirmed: '25' });
  await live.until('SUCCEEDED', ({ status }) => status === 'SUCCEEDED');
  printer.arrived('live: SUCCEEDED');
  const event = await verifyWebhook(await receiver.waitFor('payment.succeeded', order.orderId), webhook.data.secret);
  printer.arrived('webhook', { type: event.type, orderId: event.data.payment.orderId });
  await expectBalance(stage, shop, '24.75');
  return order.address;
}

async function expectBalance({ http, printer }: Stage, { token }: Shop, amount: string): Promise<void> {
  const { balances } = await http.look<{ balances: Balance[] }>('/wallet/balance', token);
  const balance = balances.find(({ currency, network }) => currency === 'USDT' && network === 'ETH');
  expectLike('the balance in USDT', balance, { available: amount, pending: '0', reserved: '0' });
  printer.met(`${amount} USDT are available`);
}

async function readFromStandby({ http, printer }: Stage, { cell, token }: Shop): Promise<void> {
  printer.step('A list of cell 1 is read from its standby');
  const count = async () => {
    const metrics = await (await fetch(`${cell.url}/metrics`)).text();
    const lines = metrics.matchAll(/^turnpike_replica_reads_total\{server="replica".*\} (\d+)$/gm);
    return [...lines].reduce((sum, [, reads]) => sum + Number(reads), 0);
  };
  const isReadThere = async () => {
    const before = await count();
    const { items } = await http.look<{ items: PaymentOrder[] }>('/payments', token);
    expectLike('the payments in the list', items.length, 1);
    const after = await count();
    return after > before ? after : null;
  };
  const reads = await waitUntil('a list to be read from the standby', isReadThere);
  printer.met(`turnpike_replica_reads_total{server="replica"} of cell 1 went up to ${reads}`);
}

async function callTheWrongCell({ printer }: Stage, { ownUrl }: Cell, { token }: Shop): Promise<void> {
  printer.step('A token of cell 1 at the address of cell 0 is told where to go');
  const http = createHttpClient(ownUrl, printer);
  const error = { code: '9421', details: [{ path: 'cell', message: '1' }] };
  await http.refused('GET', '/payments', { token, status: 421, error });
  printer.met('421 with code 9421 and the cell');
}

async function loseCell(stage: Stage, first: Shop, second: Shop): Promise<void> {
  const { printer } = stage;
  printer.step('Cell 1 is killed; cell 0 goes on');
  await second.cell.kill();
  const isAway = async () => ((await statusOf(stage, second)) === 503 ? true : null);
  await waitUntil('the proxy to answer 503 for cell 1', isAway);
  printer.met('Calls of the merchant of cell 1 are answered 503 by the proxy');
  const order = await createOrder(stage, first, '10', 'USDT');
  await deposit(stage, first, order.orderId, {});
  await expectState(stage, first, order.orderId, { status: 'SUCCEEDED', amountConfirmed: '10' });
  await expectBalance(stage, first, '34.65');
  expectLike('the status of a call of cell 1', await statusOf(stage, second), 503);
}

/** The status of a list through the proxy; it has no envelope where the proxy answers itself. */
async function statusOf({ baseUrl }: Stage, { token }: Shop): Promise<number | null> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${baseUrl}/api/v1/payments`, { headers }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.status ?? null;
}

async function bringBack(stage: Stage, shop: Shop): Promise<void> {
  stage.printer.step('Cell 1 is started again, and has all that it had');
  await shop.cell.startAgain();
  await waitForProxy(shop.cell.ownUrl);
  await expectBalance(stage, shop, '24.75');
  const order = await createOrder(stage, shop, '10', 'USDT');
  await deposit(stage, shop, order.orderId, {});
  await expectState(stage, shop, order.orderId, { status: 'SUCCEEDED', amountConfirmed: '10' });
  await expectBalance(stage, shop, '34.65');
}
