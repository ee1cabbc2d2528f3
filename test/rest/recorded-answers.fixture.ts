// Records what a merchant without invoices sees of a gateway: the answers to a set of calls, their events and webhooks.
// What differs from run to run (ids, times, addresses, secrets) is replaced by names, the same for the same text.

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { send, type Json } from '../support/clients.ts';
import { until } from '../support/until.ts';

/** The record, made by the program of the commit before invoices. */
export const ANSWERS_AT = fileURLToPath(new URL('../../../test/rest/recorded-answers.json', import.meta.url));

export interface Recorded {
  readonly call: string;
  readonly status: number;
  readonly answer: Json;
}

export interface Recording {
  readonly answers: readonly Recorded[];
  readonly events: readonly Json[];
  /** In the order of their events: the names of our headers, and the body. */
  readonly webhooks: readonly { readonly headers: readonly string[]; readonly body: Json }[];
}

/** Texts of one run, most specific first, with the names that replace them; a number follows each. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'token'],
  [/\b(?:sk|pk)_test_[0-9a-z]+/g, 'key'],
  [/\bwhsec_[\w+/=-]+/g, 'whsec'],
  [/\b(?:mer|ord|evt|dlv|whk|wdr|rfd)_[0-9a-hjkmnp-tv-z]{32}/g, 'id'],
  [/0x[0-9a-fA-F]{64}/g, 'hash'],
  [/0x[0-9a-fA-F]{40}/g, 'address'],
];
/** Texts that are replaced by the same name each time. */
const BLURRED: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, 'time'],
  [/\b\d{4}-\d{2}-\d{2}\b/g, 'day'],
  [/"(confirmations|blockNumber|response_time_ms|responseTimeMs|durationMs)":\d+/g, '"$1":"number"'],
  [/"requestId":"[\w-]+"/g, '"requestId":"request"'],
  [/"(cursor|nextCursor)":"[\w-]+"/g, '"$1":"cursor"'],
];

function createNames(literals: readonly (readonly [string, string])[]) {
  const names = new Map<string, string>();
  const nameOf = (text: string, kind: string): string => {
    const prefix = kind === 'id' ? text.slice(0, 3) : kind;
    const known = names.get(text) ?? `${prefix} ${names.size + 1}`;
    names.set(text, known);
    return known;
  };
  return (text: string): string => {
    let named = text;
    for (const [literal, name] of literals) named = named.replaceAll(literal, name);
    for (const [pattern, name] of BLURRED) named = named.replaceAll(pattern, name);
    for (const [pattern, kind] of NAMED) named = named.replaceAll(pattern, (found) => nameOf(found, kind));
    return named;
  };
}

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function receiveWebhooks() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.end('{"status":"ok"}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, received, close };
}

const ORDER = { amount: '25', currency: 'USDT', network: 'ETH' };
const FULL_ORDER = {
  ...ORDER,
  ...{ merchantOrderId: 'A-1', productName: 'Tea', customerEmail: 'ann@customer.example', test: true },
  ...{ returnUrl: 'https://shop.example/thanks', metadata: { basket: '7' } },
};
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const FULL_PAYMENT = `id address amount currency network paymentUrl expiresAt status createdAt exception test merchantOrderId
  productName customerEmail callbackUrl returnUrl metadata amountReceived amountConfirmed amountRefunded feeAmount
  confirmations requiredConfirmations transactions { txHash amount status confirmations blockNumber seenAt explorerUrl }
  updatedAt completedAt`;
const CHECKOUT = `id status exception amount currency network networkName address paymentUri amountReceived amountDue
  confirmations requiredConfirmations expiresAt createdAt companyName logoUrl accentColor locale productName
  merchantOrderId returnUrl test`;

/** Makes the calls of a fresh merchant, one after the other, on a sandbox that is otherwise unused. */
export async function recordAnswers(url: string): Promise<Recording> {
  const receiver = await receiveWebhooks();
  try {
    const recorder = createRecorder(url, receiver.url);
    await recordAccount(recorder, receiver.url);
    await recordPayments(recorder);
    await recordMoney(recorder);
    await recordWebhooks(recorder, receiver.url);
    await recordErrors(recorder);
    return { answers: recorder.answers, ...(await recordEvents(recorder, receiver.received)) };
  } finally {
    await receiver.close();
  }
}

type Recorder = ReturnType<typeof createRecorder>;

function createRecorder(url: string, receiverUrl: string) {
  const name = createNames([
    [url, 'gateway'],
    [receiverUrl, 'receiver'],
  ]);
  const answers: Recorded[] = [];
  let token = '';
  const ask = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const own = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    return send({ method, url: `${url}${path}`, headers: { ...own, ...headers }, body: text });
  };
  return {
    answers,
    name,
    ask,
    signIn: (given: string) => void (token = given),
    /** Makes a call, keeps its answer, and returns its data. */
    async call(...[method, path, body, headers]: Parameters<typeof ask>): Promise<Json> {
      const { status, text, body: parsed } = await ask(method, path, body, headers);
      const isJson = parsed !== null;
      answers.push({
        call: name(`${method} ${path}${typeof body === 'string' ? ` ${body}` : ''}`),
        status,
        answer: isJson ? JSON.parse(name(text)) : name(text),
      });
      return isJson ? parsed.data : null;
    },
  };
}

async function recordAccount({ call, signIn }: Recorder, receiverUrl: string): Promise<void> {
  const registration = { email: 'shop@kettle.example', companyName: 'Blue Kettle Tea' };
  const { apiKey } = await call('POST', '/api/v1/merchant', registration);
  const { accessToken } = await call('POST', '/api/v1/auth/token', { keyId: apiKey.keyId, secret: apiKey.key });
  signIn(accessToken as string);
  await call('PUT', '/api/v1/merchant/webhook', { url: `${receiverUrl}/own` });
  await call('GET', '/api/v1/merchant/settings');
  await call('PUT', '/api/v1/merchant/settings', { underpaymentTolerance: 1, locale: 'de', accentColor: '#1d6fb8' });
  await call('GET', '/api/v1/currencies');
}

async function recordPayments({ call, ask }: Recorder): Promise<void> {
  const plain = await call('POST', '/api/v1/payments', ORDER);
  const { orderId } = await call('POST', '/api/v1/payments', FULL_ORDER, { 'idempotency-key': 'once' });
  await call('POST', '/api/v1/payments', FULL_ORDER, { 'idempotency-key': 'once' });
  await call('POST', '/api/v1/payments', ORDER, { 'idempotency-key': 'once' });
  await call('GET', `/api/v1/payments/${orderId}`);
  await call('POST', `/api/v1/sandbox/payments/${orderId}/deposit`, { amount: '10' });
  await call('POST', `/api/v1/sandbox/payments/${orderId}/deposit`, {});
  await call('DELETE', `/api/v1/payments/${orderId}`);
  await call('DELETE', `/api/v1/payments/${plain.orderId}`);
  const over = await call('POST', '/api/v1/payments', { ...ORDER, merchantOrderId: 'A-2' });
  await call('POST', `/api/v1/sandbox/payments/${over.orderId}/deposit`, { amount: '40' });
  const late = await call('POST', '/api/v1/payments', { ...ORDER, merchantOrderId: 'A-3' });
  await ask('POST', `/api/v1/sandbox/payments/${late.orderId}/expire`);
  await until(async () => (await ask('GET', `/api/v1/payments/${late.orderId}`)).body.data.status === 'EXPIRED');
  await call('GET', `/api/v1/payments/${late.orderId}`);
  await call('GET', '/api/v1/payments?limit=2');
  await call('GET', '/api/v1/payments?status=SUCCEEDED&merchantOrderId=A-1');
  await call('POST', '/graphql', {
    query: `query($id: ID!) { payment(id: $id) { ${FULL_PAYMENT} } checkout(id: $id) { ${CHECKOUT} } }`,
    variables: { id: orderId },
  });
  await call('POST', '/graphql', {
    query: `{ payments(first: 1) { edges { cursor node { id status } } pageInfo { hasNextPage hasPreviousPage } } }`,
  });
}

async function recordMoney({ call, ask }: Recorder): Promise<void> {
  await call('GET', '/api/v1/wallet/balance');
  const { items } = (await ask('GET', '/api/v1/payments?merchantOrderId=A-2')).body.data;
  const { orderId } = items[0];
  await call('POST', `/api/v1/payments/${orderId}/refund`, { address: RECIPIENT, amount: '15' });
  await until(async () => (await ask('GET', `/api/v1/payments/${orderId}`)).body.data.status === 'PARTIALLY_REFUNDED');
  await call('GET', `/api/v1/payments/${orderId}`);
  const asked = { currency: 'USDT', network: 'ETH', amount: '5', address: RECIPIENT, merchantWithdrawalId: 'W-1' };
  const { withdrawalId } = await call('POST', '/api/v1/wallet/withdraw', asked);
  await until(
    async () => (await ask('GET', `/api/v1/wallet/withdrawals/${withdrawalId}`)).body.data.status === 'COMPLETED',
  );
  await call('GET', '/api/v1/wallet/withdrawals');
  await call('POST', '/api/v1/wallet/withdraw', asked);
  await call('GET', '/api/v1/reports');
  await call('GET', '/api/v1/reports?format=csv');
}

async function recordWebhooks({ call, ask }: Recorder, receiverUrl: string): Promise<void> {
  const endpoint = { url: `${receiverUrl}/books`, events: ['payment.refunded'], description: 'Books' };
  const { id } = await call('POST', '/api/v1/webhooks', endpoint);
  await call('PUT', `/api/v1/webhooks/${id}`, { events: ['payment.refunded', 'payment.failed'] });
  await call('POST', '/api/v1/webhooks', { url: `${receiverUrl}/all`, enabled: false });
  await call('GET', '/api/v1/webhooks');
  const { event_id: eventId } = await call('POST', '/api/v1/webhooks/test', {});
  const isSent = async () => {
    const { status, body } = await ask('GET', `/api/v1/webhooks/deliveries/${eventId}`);
    return status === 200 && body.data.status === 'SUCCESS';
  };
  await until(isSent);
  await call('GET', `/api/v1/webhooks/deliveries/${eventId}`);
  await until(async () => {
    const { items } = (await ask('GET', '/api/v1/webhooks/deliveries')).body.data;
    return items.every((delivery: Json) => delivery.status === 'SUCCESS');
  });
  await call('GET', '/api/v1/webhooks/deliveries?limit=3');
  await call('POST', '/graphql', {
    query: `{ webhookDeliveries(first: 2) { nodes { eventType paymentId status attempts } } }`,
  });
  await call('DELETE', `/api/v1/webhooks/${id}`);
}

async function recordErrors({ call }: Recorder): Promise<void> {
  await call('POST', '/api/v1/payments', { amount: 1, currency: '', network: 'ETH', colour: 'red', metadata: [] });
  await call('POST', '/api/v1/payments', { ...ORDER, currency: 'DOGE' });
  await call('POST', '/api/v1/payments', { ...ORDER, amount: '0.000001' });
  await call('POST', '/api/v1/payments', '{');
  await call('PATCH', '/api/v1/payments');
  await call('GET', '/api/v1/payments/ord_0');
  await call('GET', '/api/v1/payments?first=1&status=PAID');
  await call('GET', '/api/v1/nothing');
  await call('PUT', '/api/v1/merchant/settings', { expirationMinutes: 1, underpaymentTolerance: 51, locale: '?' });
  await call('POST', '/graphql', { query: '{ checkout(id: "inv_0") { id } payment(id: "ord_0") { id } }' });
  await call('POST', '/graphql', { query: '{ payments(first: 0) { nodes { id } } }' });
}

/**
 * The events and their webhooks, once all have arrived. How often a payment is updated on its way depends on the
 * moments at which the chain is looked at, so those events are left out, and numbers in the log with them. Events of
 * payouts are not in the record, and go to no endpoint that does not name them.
 */
async function recordEvents({ ask, name }: Recorder, received: readonly Received[]) {
  const { body } = await ask('GET', '/api/v1/events?limit=100');
  const all = body.data.items as readonly { id: string; type: string }[];
  const items = all.filter(({ type }) => type !== 'payment.updated' && !/^(withdrawal|refund)\./.test(type));
  const isPublic = ({ type }: { type: string }) => !/created|updated|disabled/.test(type);
  const arrived = (id: string) => received.find(({ body: sent }) => sent.includes(id));
  await until(() => items.filter(isPublic).every(({ id }) => arrived(id)));
  const webhooks = items.flatMap(({ id }) => {
    const webhook = arrived(id);
    if (!webhook) return [];
    const headers = Object.keys(webhook.headers).filter((header) => header.startsWith('x-pgw'));
    return [{ headers: headers.sort(), body: JSON.parse(name(webhook.body)) }];
  });
  const events = items.map((event) => JSON.parse(name(JSON.stringify({ ...event, sequence: 0 }))));
  return { events, webhooks };
}
