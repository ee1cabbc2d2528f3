// The quiet merchant: a few calls a second, repeated as the answer asks and under the same idempotency key; some of
// their customers pay.

import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import type { Shop } from '../load/client-log.ts';

/** One of their orders, from the first try to its answer. */
export interface QuietOrder {
  readonly reference: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** Null if it was not answered with 201 within the merchant's patience. */
  readonly orderId: string | null;
  readonly tries: number;
  readonly ms: number;
  readonly paid: boolean;
}

export interface QuietMerchant {
  readonly orders: QuietOrder[];
  /** Answers that the merchant must not get, in words. */
  readonly oddities: string[];
  /** Starts no more orders; resolves when those under way are done. */
  stop(): Promise<void>;
}

const ORDER_EVERY_MS = 500;
const PATIENCE_MS = 20_000;
const CALL_WITHIN_MS = 10_000;
/** One in this many orders is paid. */
const PAID_EVERY = 2;

interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly orderId: string;
}

/** Starts placing orders for the merchant. */
export function openQuietShop(url: string, { token }: Pick<Shop, 'token'>): QuietMerchant {
  const orders: QuietOrder[] = [];
  const oddities: string[] = [];
  const under = new Set<Promise<void>>();
  let stopping = false;

  async function call(path: string, idempotencyKey: string, body?: object): Promise<Reply> {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': idempotencyKey,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_WITHIN_MS),
    });
    const answer = (await response.json()) as { data?: { orderId?: string } };
    const retryAfter = response.headers.get('retry-after');
    return { status: response.status, retryAfter, orderId: answer.data?.orderId ?? '' };
  }

  async function sell(isPaid: boolean): Promise<void> {
    const reference = randomUUID();
    const at = Date.now();
    const body = { amount: '2.5', currency: 'USDT', network: 'ETH', merchantOrderId: reference };
    let orderId: string | null = null;
    let tries = 0;
    while (orderId === null && Date.now() - at < PATIENCE_MS) {
      tries += 1;
      const reply = await call('/payments', reference, body).catch((error: unknown) => {
        oddities.push(`an order was not answered: ${String(error)}`);
        return null;
      });
      if (reply?.status === 201) orderId = reply.orderId;
      else if (reply?.status === 503 && reply.retryAfter !== null) await rest(1_000 * Number(reply.retryAfter));
      else if (reply !== null) oddities.push(`an order was answered with ${reply.status}`);
    }
    const ms = Date.now() - at;
    orders.push({ reference, at, orderId, tries, ms, paid: isPaid && orderId !== null });
    if (!isPaid || orderId === null) return;
    const reply = await call(`/sandbox/payments/${orderId}/deposit`, randomUUID()).catch(String);
    if (typeof reply === 'string' || reply.status !== 200)
      oddities.push(`a deposit was answered with ${typeof reply === 'string' ? reply : reply.status}`);
  }

  async function trade(): Promise<void> {
    for (let count = 0; !stopping; count += 1) {
      const sold = sell(count % PAID_EVERY === 0).finally(() => under.delete(sold));
      under.add(sold);
      await rest(ORDER_EVERY_MS);
    }
    await Promise.all(under);
  }

  const trading = trade();
  return {
    orders,
    oddities,
    stop() {
      stopping = true;
      return trading;
    },
  };
}
