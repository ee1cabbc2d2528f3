// HTTP clients for tests, like an integrator's: REST, GraphQL, and a merchant with a token for both.

import { randomBytes } from 'node:crypto';
import { request, type IncomingHttpHeaders } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { PERMISSIONS, type Permission } from '../../src/values/permission.ts';
import { AUTHORITY } from './tls.ts';
import type { BorrowedGateway } from './gateway/borrowed.ts';

/** Parsed JSON, not typed: the assertions of the tests check it. */
export type Json = ReturnType<typeof JSON.parse>;
type Headers = Readonly<Record<string, string>>;

/** `body` is the parsed JSON, or null; `text` is what came. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  readonly text: string;
}

interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers?: Headers;
  readonly body?: string | Buffer | undefined;
}

/** For a server with the tests' certificate, which is issued to this name and verified. */
export const TLS = { ca: AUTHORITY, servername: 'receiver.test' } as const;

/** Sends one request on a connection of its own, exactly as given: without added headers, encoding or redirects. */
export function send({ method, url, headers = {}, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false, ...(url.startsWith('https:') ? TLS : {}) } as const;
    const outgoing = (url.startsWith('https:') ? requestSecurely : request)(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = /json/.test(incoming.headers['content-type'] ?? '');
        // The answer to HEAD has the headers of the full answer, but no body.
        const parsed: Json = isJson && text !== '' ? JSON.parse(text) : null;
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: parsed, text });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Calls a path below /api/v1. A body of text or bytes is sent as it is, any other as JSON. */
export type Rest = (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>;

/** A REST client. `token` is the bearer; without one no Authorization header is sent. */
export function rest({ url }: Pick<BorrowedGateway, 'url'>, token?: string): Rest {
  return (method, path, body, headers = {}) => {
    const raw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const own = { ...bearer(token), ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    return send({ method, url: `${url}/api/v1${path}`, headers: { ...own, ...headers }, body: raw });
  };
}

export type GraphQL = (query: string, variables?: Json, headers?: Headers) => Promise<Answer>;

/** A GraphQL client; the `body` of an answer has `data` and `errors`. */
export function graphql({ url }: Pick<BorrowedGateway, 'url'>, token?: string): GraphQL {
  const own = { ...bearer(token), 'content-type': 'application/json', accept: 'application/graphql-response+json' };
  return (query, variables, headers = {}) => {
    const body = JSON.stringify({ query, variables });
    return send({ method: 'POST', url: `${url}/graphql`, headers: { ...own, ...headers }, body });
  };
}

function bearer(token: string | undefined): Headers {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

export interface TestMerchant {
  readonly id: string;
  readonly email: string;
  readonly keyId: string;
  readonly secret: string;
  readonly token: string;
  readonly rest: Rest;
  readonly graphql: GraphQL;
}

/** An unused e-mail address. */
export const newEmail = (): string => `shop-${randomBytes(8).toString('hex')}@example.com`;

/** Registers a merchant and exchanges its key, which has these permissions, for a token. */
export async function newMerchant(
  gateway: BorrowedGateway,
  permissions: readonly Permission[] = PERMISSIONS,
): Promise<TestMerchant> {
  const email = newEmail();
  const { body } = await rest(gateway)('POST', '/merchant', { email, companyName: 'Test shop' });
  const { merchant, apiKey } = body.data as { merchant: { id: string }; apiKey: { keyId: string; key: string } };
  const { keyId, key: secret } = apiKey;
  if (permissions.length < PERMISSIONS.length)
    await gateway.sql('update api_key set permissions = $2 where key_id = $1', [keyId, permissions]);
  const token = await exchange(gateway, { keyId, secret });
  return { id: merchant.id, email, keyId, secret, token, rest: rest(gateway, token), graphql: graphql(gateway, token) };
}

/** Exchanges a key pair for a token. */
export async function exchange(gateway: BorrowedGateway, key: { keyId: string; secret: string }): Promise<string> {
  const { keyId, secret } = key;
  const answer = await rest(gateway)('POST', '/auth/token', { keyId, secret });
  return answer.body.data.accessToken as string;
}

/** A minimal body for creating a payment. */
export const USDT_PAYMENT = { amount: '25', currency: 'USDT', network: 'ETH' } as const;
