// The merchants of a run: one with an endpoint, one with two endpoints, one with none, and one whose callback URLs are
// often the same as its endpoint's.

import { randomUUID } from 'node:crypto';
import type { Client } from './client.ts';
import type { Shop } from './client-log.ts';

const KINDS: readonly { readonly primary: boolean; readonly more: number }[] = [
  { primary: true, more: 0 },
  { primary: true, more: 1 },
  { primary: false, more: 0 },
  { primary: true, more: 2 },
];

/** Creates the merchants through the API. */
export async function openMerchants(client: Client, receiver: string): Promise<Shop[]> {
  return Promise.all(KINDS.map((kind, index) => openShop(client, `${receiver}/mixed/shop-${index}`, kind)));
}

/** Creates one merchant, whose endpoints lie below `base`. */
export async function openShop(client: Client, base: string, { primary, more }: (typeof KINDS)[number]): Promise<Shop> {
  const body = { email: `chaos-${randomUUID()}@example.com`, companyName: 'The Ferryman' };
  const made = await client.data('POST', '/merchant', { body });
  const { keyId, key: secret } = made.apiKey as { keyId: string; key: string };
  const exchanged = await client.data('POST', '/auth/token', { body: { keyId, secret } });
  const token = exchanged.accessToken as string;
  // The secret belongs to the merchant: a disabled endpoint still returns it, and is sent nothing.
  const own = { url: `${base}/own`, enabled: primary };
  const configured = await client.data('PUT', '/merchant/webhook', { token, body: own });
  const others = Array.from({ length: more }, (_, index) => `${base}/more-${index + 1}`);
  for (const url of others) await client.data('POST', '/webhooks', { token, body: { url } });
  return {
    merchantId: made.merchant.id as string,
    token,
    webhookSecret: configured.secret as string,
    endpoints: [...(primary ? [own.url] : []), ...others],
    eventsRead: new Map(),
    publicEvents: [],
  };
}
