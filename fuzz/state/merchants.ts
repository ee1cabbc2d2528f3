// The merchants of a fuzz run: registers them over the API, and keeps what the gateway's answers have told about each.

import { randomUUID } from 'node:crypto';
import { send, type Json } from './http.ts';

export interface OwnerSession {
  readonly id: string;
  readonly bearer: string;
  /** When its owner last confirmed that it is them. */
  confirmedAtMs: number;
}

export interface Shop {
  readonly merchantId: string;
  email: string;
  password: string;
  readonly keyId: string;
  readonly secret: string;
  /** The token of that key, which has every permission and is never revoked. */
  readonly token: string;
  /** The token of a key that may only query payments. */
  readonly narrowToken: string;
  latePaymentPolicy: string;
  sessions: OwnerSession[];
  /** Each order's newest status, whether it was created under the policy MANUAL, and whether it was paid late. */
  readonly orders: Map<string, { status: string; isManual: boolean; isPaidLate: boolean }>;
  /** Keys that may be changed and revoked. */
  readonly spareKeys: Set<string>;
  readonly endpoints: Set<string>;
  /** Events that have deliveries. */
  readonly events: Set<string>;
  readonly withdrawals: Set<string>;
  /** Cursors, by the operation that returned them. */
  readonly cursors: Map<string, string[]>;
}

/** Calls that prepare something: not part of the fuzz, and expected to succeed. */
export interface Preparer {
  readonly url: string;
  readonly receiver: string;
  rest(method: string, path: string, token: string | null, body?: object): Promise<Json>;
  graphql(query: string, token: string | null, variables?: object): Promise<Json>;
}

export function createPreparer(url: string, receiver: string): Preparer {
  async function call(method: string, target: string, token: string | null, body?: object): Promise<Json> {
    const headers = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const answer = await send(url, { method, target, headers, body: bytes });
    if (answer.status >= 300 || answer.body?.errors)
      throw new Error(`What a request needs could not be made: ${method} ${target} ${answer.status} ${answer.text}`);
    return answer.body.data;
  }
  return {
    url,
    receiver,
    rest: (method, path, token, body) => call(method, `/api/v1${path}`, token, body),
    graphql: (query, token, variables = {}) => call('POST', '/graphql', token, { query, variables }),
  };
}

const PERMISSIONS = [
  ...['READ_PAYMENTS', 'CREATE_PAYMENTS', 'CANCEL_PAYMENTS', 'READ_WALLET', 'WITHDRAW'],
  ...['MANAGE_WEBHOOKS', 'READ_REPORTS', 'MANAGE_SETTINGS'],
];
export const PASSWORD = 'a long enough sentence';
/** More than all withdrawals and refunds of a long run together. */
const WEALTH = '900000';

/** Registers a merchant with money, a signed-in owner, and API keys. */
export async function openShop(preparer: Preparer, latePaymentPolicy: string): Promise<Shop> {
  const { rest, graphql, receiver } = preparer;
  const email = `fuzz-${randomUUID()}@example.com`;
  const company = { email, companyName: 'The Colliery', password: PASSWORD };
  const { merchantId } = await rest('POST', '/merchant/register', null, company);
  const session = await signIn(preparer, email, PASSWORD);
  const keyWith = async (permissions: readonly string[]) => {
    const body = { name: 'Fuzz', permissions };
    const { keyId, secret } = await rest('POST', '/merchant/api-keys', session.bearer, body);
    const { accessToken } = await rest('POST', '/auth/token', null, { keyId, secret });
    return { keyId, secret, token: accessToken };
  };
  const { keyId, secret, token } = await keyWith(PERMISSIONS);
  const shop: Shop = {
    ...{ merchantId, email, password: PASSWORD, keyId, secret, token, latePaymentPolicy },
    narrowToken: (await keyWith(['READ_PAYMENTS'])).token,
    sessions: [session],
    ...{ orders: new Map(), cursors: new Map(), spareKeys: new Set() },
    ...{ endpoints: new Set(), events: new Set(), withdrawals: new Set() },
  };
  await rest('PUT', '/merchant/settings', token, { latePaymentPolicy });
  await rest('PUT', '/merchant/webhook', token, { url: `${receiver}/own`, enabled: true });
  // So that the sandbox's own receiver has something to show from the beginning.
  const { webhookReceiver } = await graphql('{ webhookReceiver { url } }', token);
  await rest('POST', '/webhooks', token, { url: webhookReceiver.url });
  for (const currency of ['USDT', 'USDC']) {
    const { orderId } = await rest('POST', '/payments', token, { amount: WEALTH, currency, network: 'ETH' });
    await rest('POST', `/sandbox/payments/${orderId}/deposit`, token, {});
  }
  return shop;
}

/** Signs an owner in; the session's id is queried with the session's own token. */
export async function signIn({ graphql }: Preparer, email: string, password: string): Promise<OwnerSession> {
  const query =
    'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }';
  const { login } = await graphql(query, null, { email, password });
  const { sessions } = await graphql('{ sessions { id isCurrent } }', login.accessToken as string);
  const { id } = (sessions as Json[]).find(({ isCurrent }) => isCurrent as boolean);
  return { id, bearer: login.accessToken as string, confirmedAtMs: 0 };
}

/** A confirmation holds for five minutes. */
const CONFIRM_AGAIN_MS = 120_000;

/** The token of a session whose owner has lately confirmed that it is them. */
export async function confirmedBearer(preparer: Preparer, shop: Shop): Promise<string> {
  const session = shop.sessions[0] ?? (await signIn(preparer, shop.email, shop.password));
  if (shop.sessions.length === 0) shop.sessions.push(session);
  if (performance.now() - session.confirmedAtMs > CONFIRM_AGAIN_MS || session.confirmedAtMs === 0) {
    const confirm = 'mutation ($password: String!) { confirmPassword(password: $password) }';
    await preparer.graphql(confirm, session.bearer, { password: shop.password });
    session.confirmedAtMs = performance.now();
  }
  return session.bearer;
}
