// Builds a request from a REST plan, with its placeholders filled in.

import { randomUUID } from 'node:crypto';
import { authorizationOf } from '../generate/callers.ts';
import { resolveAll } from '../generate/references.ts';
import type { RestPlan } from '../generate/rest-plans.ts';
import type { Preparer, Shop } from '../state/merchants.ts';
import type { WireAnswer, WireRequest } from '../state/http.ts';

export interface RestCall {
  readonly plan: RestPlan;
  readonly shop: Shop;
  readonly request: WireRequest;
  /** The arguments of the request, by name. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The earlier answer that must be repeated; null for a new request. */
  readonly repeats: WireAnswer | null;
}

/** A successful request with an idempotency key, to be sent again. */
interface Kept {
  readonly request: WireRequest;
  readonly shop: Shop;
  readonly answer: WireAnswer;
}

/** Requests that may be repeated, by operation. */
export type KeptRequests = Map<string, Kept[]>;

export async function makeRestCall(
  plan: RestPlan,
  preparer: Preparer,
  shops: readonly Shop[],
  kept: KeptRequests,
): Promise<RestCall> {
  const shop = shops[plan.shop % shops.length];
  const other = shops[(plan.shop + 1) % shops.length];
  if (!shop || !other) throw new Error('There are no shops');
  const earlier = kept.get(plan.operation.id)?.at(-1);
  if (plan.idempotency === 'again' && earlier)
    return { plan, shop: earlier.shop, request: earlier.request, input: {}, repeats: earlier.answer };

  const params = (await resolveAll(preparer, shop, plan.params)) as Record<string, unknown>;
  const query = (await resolveAll(preparer, shop, plan.query)) as [string, unknown][];
  const body = plan.body && ((await resolveAll(preparer, shop, plan.body)) as Record<string, unknown>);
  const authorization = await authorizationOf(plan.access, { preparer, shop, other });
  const key = keyOf(plan, earlier);
  const plain = body === null ? null : Buffer.from(JSON.stringify(body));
  const headers: Record<string, string> = {
    ...(authorization === null ? {} : { authorization }),
    ...(plain === null ? {} : { 'content-type': 'application/json' }),
    ...(key === null ? {} : { 'idempotency-key': key }),
    ...plan.headers,
    ...plan.bytes?.headers,
  };
  const path = plan.operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(String(params[name])));
  const found = query
    .filter((pair) => pair[1] !== undefined)
    .map((pair) => pair.map((part) => encode(String(part))).join('='));
  const target = `${path}${found.length > 0 ? `?${found.join('&')}` : ''}${plan.tail}`;
  const bytes = plain === null || plan.bytes === null ? plain : plan.bytes.bend(plain);
  const request = { method: plan.method ?? plan.operation.method, target, headers, body: bytes };
  const isRaw = !isOrdinary(request);
  return { plan, shop, request: { ...request, isRaw }, input: { ...params, ...body }, repeats: null };
}

/** Keeps a successful request that has an idempotency key. */
export function keep(kept: KeptRequests, { plan, shop, request, repeats }: RestCall, answer: WireAnswer): void {
  if (plan.isBent || repeats !== null || request.headers['idempotency-key'] === undefined) return;
  const known = kept.get(plan.operation.id) ?? [];
  kept.set(plan.operation.id, [...known.slice(-5), { request, shop, answer }]);
}

function keyOf({ idempotency }: RestPlan, earlier: Kept | undefined): string | null {
  if (idempotency === null) return null;
  if (typeof idempotency === 'object') return idempotency.text;
  return (idempotency === 'other' ? earlier?.request.headers['idempotency-key'] : undefined) ?? randomUUID();
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed());

/** Whether Node's client sends the request as it is. */
export function isOrdinary({ method, target, headers }: Omit<WireRequest, 'isRaw'>): boolean {
  const isPlain = (text: string) => /^[\x20-\x7e]*$/.test(text);
  return (
    /^(GET|PUT|POST|DELETE|PATCH)$/.test(method) &&
    /^\/[\x21-\x7e]*$/.test(target) &&
    !target.includes('#') &&
    Object.values(headers).every(isPlain) &&
    headers['expect'] === undefined
  );
}
