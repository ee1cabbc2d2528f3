// Every kind of call that takes an Idempotency-Key, each with a key of its own, for tests that repeat them.

import { randomUUID } from 'node:crypto';
import type { Face } from './api-processes.fixture.ts';
import { graphql, newEmail, rest, type Answer, type Json } from '../../support/clients.ts';

/** One call under one key, as any client sends it to any process. */
export interface KeyedCall {
  readonly key: string;
  readonly kind: Kind;
  send(face: Face): Promise<Answer>;
}

export type Kind = 'payment' | 'withdrawal' | 'refund' | 'api key' | 'endpoint' | 'merchant';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const PASSWORD = 'three green lamps, unlit';

type Fields = Readonly<Record<string, unknown>>;

/** A call by REST. */
export function byRest(kind: Kind, token: string | undefined, path: string, body: Fields): KeyedCall {
  const key = randomUUID();
  const send = (face: Face) => rest(face, token)('POST', path, body, { 'idempotency-key': key });
  return { key, kind, send };
}

/** A call by GraphQL: a mutation with its input. */
export function byGraphQL(kind: Kind, token: string | undefined, mutation: string, input: Fields): KeyedCall {
  const key = randomUUID();
  const send = (face: Face) => graphql(face, token)(mutation, { input }, { 'idempotency-key': key });
  return { key, kind, send };
}

const payment = () => ({ amount: '2', currency: 'USDT', network: 'ETH', merchantOrderId: randomUUID() });
const withdrawal = () => ({
  ...{ currency: 'USDT', network: 'ETH', amount: '1', address: ADDRESS, merchantWithdrawalId: randomUUID() },
});
const apiKey = () => ({ name: randomUUID(), permissions: ['READ_PAYMENTS'] });
const endpoint = () => ({ url: `http://127.0.0.1:65000/${randomUUID()}`, enabled: false });
const merchant = () => ({ email: newEmail(), companyName: 'Shop', password: PASSWORD });

export const CREATE_PAYMENT = (token: string) => byRest('payment', token, '/payments', payment());
export const WITHDRAW = (token: string) => byRest('withdrawal', token, '/wallet/withdraw', withdrawal());
export const CREATE_KEY = (token: string) => byRest('api key', token, '/merchant/api-keys', apiKey());
export const CREATE_ENDPOINT = (token: string) => byRest('endpoint', token, '/webhooks', endpoint());
export const REGISTER = () => byRest('merchant', undefined, '/merchant/register', merchant());

/** Every kind of call, for a merchant who holds money, and one who will withdraw all they have. */
export function everyKind(token: string, refundable: readonly [string, string], spender: string): KeyedCall[] {
  const [first, second] = refundable;
  const times = (count: number, make: () => KeyedCall) => Array.from({ length: count }, make);
  const [byPath, whole] = [`/payments/${first}/refund`, { ...withdrawal(), amount: 'max' }];
  return [
    ...times(4, () => CREATE_PAYMENT(token)),
    ...times(3, () => byGraphQL('payment', token, MUTATIONS.createPayment, payment())),
    ...times(3, () => WITHDRAW(token)),
    ...times(2, () => byGraphQL('withdrawal', token, MUTATIONS.withdraw, withdrawal())),
    byRest('withdrawal', spender, '/wallet/withdraw', whole),
    byRest('refund', token, byPath, { address: ADDRESS, amount: '60' }),
    byGraphQL('refund', token, MUTATIONS.refund, { paymentId: second, address: ADDRESS }),
    ...times(2, () => CREATE_KEY(token)),
    byGraphQL('api key', token, MUTATIONS.createApiKey, apiKey()),
    ...times(2, () => CREATE_ENDPOINT(token)),
    byGraphQL('endpoint', token, MUTATIONS.createEndpoint, endpoint()),
    ...times(2, REGISTER),
    byRest('merchant', undefined, '/merchant', { email: newEmail(), companyName: 'Shop' }),
    byGraphQL('merchant', undefined, MUTATIONS.register, merchant()),
  ];
}

const MUTATIONS = {
  createPayment: 'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id address expiresAt } }',
  withdraw: 'mutation ($input: WithdrawInput!) { withdraw(input: $input) { id amount createdAt } }',
  refund: 'mutation ($input: RefundPaymentInput!) { refundPayment(input: $input) { id amount } }',
  createApiKey: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { keyId secret name } }',
  createEndpoint:
    'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { id url secret } }',
  register:
    'mutation ($input: RegisterMerchantInput!) { registerMerchant(input: $input) { merchantId apiKey { keyId secret } } }',
} as const;

/** The result of a call: in flight elsewhere (2003), temporarily unavailable, or settled. */
export type Outcome =
  { readonly is: 'in flight' | 'away' } | { readonly is: 'settled'; readonly data: Json; readonly replayed: boolean };

/** Reads an answer from REST or GraphQL. Throws on anything but success, 2003 and an outage. */
export function outcomeOf({ status, body, headers, text }: Answer): Outcome {
  const code: unknown = body?.error?.code ?? body?.errors?.[0]?.extensions?.errorCode;
  if (code === '2003') return { is: 'in flight' };
  if (code === '9503') return { is: 'away' };
  if (status >= 300 || code !== undefined) throw new Error(`${status} ${text}`);
  return { is: 'settled', data: body.data, replayed: headers['idempotent-replayed'] === 'true' };
}

/** An answer as every repeat shows it: without the secrets, which are shown once. */
export function withoutSecrets(data: Json): Json {
  return JSON.parse(JSON.stringify(data), (name, value: unknown) =>
    name === 'secret' || name === 'key' ? null : value,
  );
}

/** Whether an answer shows a secret. */
export function showsSecret(data: Json): boolean {
  return /"(sk_|whsec_)/.test(JSON.stringify(data));
}
