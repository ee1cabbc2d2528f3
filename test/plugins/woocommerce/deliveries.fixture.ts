// Deliveries as the gateway signs them, and as others would like to.

import { createHmac, randomBytes } from 'node:crypto';
import { send, type Answer, type TestMerchant } from '../../support/clients.ts';
import type { TestGateway } from '../../support/gateway/gateway.ts';
import type { Shop } from './wordpress.fixture.ts';

export interface Delivery {
  readonly type: string;
  readonly invoice: object;
  readonly secret: string;
  readonly eventId?: string;
  /** Seconds from now. */
  readonly signedAt?: number;
  /** Changes the body after it was signed. */
  readonly meddle?: (body: string) => string;
}

export const newEventId = (): string => `evt_${randomBytes(12).toString('hex')}`;

/** The secret that signs a merchant's webhooks. */
export async function secretOf(gateway: TestGateway, { id }: TestMerchant): Promise<string> {
  const [row] = await gateway.sql<{ secret: string }>('select webhook_secret as secret from merchant where id = $1', [
    id,
  ]);
  return row?.secret ?? '';
}

/** Posts an event about an invoice to the shop. */
export function deliver(shop: Shop, delivery: Delivery): Promise<Answer> {
  const { type, invoice, secret, eventId = newEventId(), signedAt = 0, meddle = (body) => body } = delivery;
  const body = JSON.stringify({ id: eventId, type, apiVersion: 'v1', data: { invoice } });
  const t = Math.floor(Date.now() / 1000) + signedAt;
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-pgw-signature': `t=${t}, v1=${v1}` };
  return send({ method: 'POST', url: shop.webhookUrl, headers, body: meddle(body) });
}
