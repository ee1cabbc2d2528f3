// Each Idempotency-Key takes effect once: over several processes, and through the death of a process or of a connection
// at the worst moment.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, type Answer, type Json } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { COMMIT, startPostgresProxy, type PostgresProxy } from '../../support/proxies/postgres-proxy.ts';
import { until } from '../../support/until.ts';
import { openApiProcesses, type ApiProcess, type ApiProcesses } from './api-processes.fixture.ts';
import * as calls from './idempotent-calls.fixture.ts';
import {
  everyKind,
  outcomeOf,
  showsSecret,
  withoutSecrets,
  type KeyedCall,
  type Kind,
} from './idempotent-calls.fixture.ts';

const CLIENTS = 20;
const LONG = 90_000;

let setup: ApiProcesses;
let proxy: PostgresProxy;
let one: ApiProcess;
let other: ApiProcess;

beforeAll(async () => {
  setup = await openApiProcesses();
  proxy = await startPostgresProxy(setup.databaseUrl);
  [one, other] = await Promise.all([setup.launch({ DATABASE_URL: proxy.url }), setup.launch()]);
}, LONG);
afterAll(async () => {
  await setup.stop();
  await proxy.stop();
});

interface Shop {
  readonly token: string;
  readonly orders: readonly [string, string];
}

/** A merchant with two payments that were paid and credited. */
async function openShop(): Promise<Shop> {
  const shop = await newMerchant(setup.gateway);
  const pay = async () => {
    const request = { amount: '100', currency: 'USDT', network: 'ETH' };
    const { orderId } = dataOf(await shop.rest('POST', '/payments', request), 201) as { orderId: string };
    dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`));
    await until(async () => dataOf(await shop.rest('GET', `/payments/${orderId}`)).status === 'SUCCEEDED');
    return orderId;
  };
  return { token: shop.token, orders: [await pay(), await pay()] };
}

interface Reply {
  readonly data: Json;
  readonly replayed: boolean;
}

/** Sends a call until it is answered, to another process each time; counts the other replies. */
async function settle(call: KeyedCall, faces: readonly ApiProcess[], seen: Map<string, number>): Promise<Reply> {
  for (let nth = 0; ; nth += 1) {
    const face = faces[nth % faces.length] as ApiProcess;
    const answer: Answer | null = await call.send(face).catch(() => null);
    const outcome = answer === null ? ({ is: 'cut off' } as const) : outcomeOf(answer);
    seen.set(outcome.is, (seen.get(outcome.is) ?? 0) + 1);
    if (outcome.is === 'settled') return outcome;
    if (nth > 2_000) throw new Error(`${call.kind} ${call.key} was never answered`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Every client sends every call, each in its own order and alternating between the processes. */
async function sendAll(keyed: readonly KeyedCall[], seen: Map<string, number>): Promise<Map<KeyedCall, Reply[]>> {
  const replies = new Map(keyed.map((call) => [call, [] as Reply[]]));
  const client = async (nth: number) => {
    const faces = nth % 2 ? [one, other] : [other, one];
    // Neighbouring clients begin at the same call, so that each call is in flight more than once.
    const from = Math.floor(nth / 4) * 5;
    for (let at = 0; at < keyed.length; at += 1) {
      const call = keyed[(from + at) % keyed.length] as KeyedCall;
      replies.get(call)?.push(await settle(call, faces, seen));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, nth) => client(nth)));
  return replies;
}

const TABLES: Readonly<Record<Kind, string>> = {
  payment: 'select count(*)::int as n from payment',
  withdrawal: `select count(*)::int as n from payout where kind = 'WITHDRAWAL'`,
  refund: `select count(*)::int as n from payout where kind = 'REFUND'`,
  'api key': `select count(*)::int as n from api_key where name <> 'Initial key'`,
  endpoint: 'select count(*)::int as n from webhook_endpoint',
  merchant: 'select count(*)::int as n from merchant',
};

async function countEffects(): Promise<Map<Kind, number>> {
  const counted = Object.entries(TABLES).map(async ([kind, statement]) => {
    const [row] = await setup.gateway.sql<{ n: number }>(statement);
    return [kind as Kind, row?.n ?? 0] as const;
  });
  return new Map(await Promise.all(counted));
}

/** What was made since, by kind. */
async function effectsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await countEffects();
  await work();
  const after = await countEffects();
  return Object.fromEntries([...after].map(([kind, n]) => [kind, n - (before.get(kind) ?? 0)]));
}

function expectedOf(keyed: readonly KeyedCall[]): Record<string, number> {
  const kinds = Object.keys(TABLES);
  return Object.fromEntries(kinds.map((kind) => [kind, keyed.filter((call) => call.kind === kind).length]));
}

/** All replies to a call are one answer; only the first shows its secret and is not marked as a repeat. */
function expectOneAnswer(call: KeyedCall, replies: readonly Reply[], firsts: 'one' | 'at most one'): void {
  const answers = new Set(replies.map(({ data }) => JSON.stringify(withoutSecrets(data))));
  expect([call.kind, answers.size]).toEqual([call.kind, 1]);
  const originals = replies.filter(({ replayed }) => !replayed).length;
  if (firsts === 'one') expect([call.kind, originals]).toEqual([call.kind, 1]);
  else expect(originals).toBeLessThanOrEqual(1);
  for (const { data, replayed } of replies) if (replayed) expect(showsSecret(data)).toBe(false);
}

describe('two API processes', () => {
  it(
    'make one effect of 500 calls under 25 keys from 20 clients, and tell all of them the same',
    async () => {
      const [shop, spender] = [await openShop(), await openShop()];
      const keyed = everyKind(shop.token, shop.orders, spender.token);
      expect(keyed.length * CLIENTS).toBe(500);
      const seen = new Map<string, number>();
      let replies = new Map<KeyedCall, Reply[]>();
      const effects = await effectsOf(async () => (replies = await sendAll(keyed, seen)));
      expect(effects).toEqual(expectedOf(keyed));
      for (const [call, all] of replies) {
        expect(all.length).toBe(CLIENTS);
        expectOneAnswer(call, all, 'one');
      }
      // No connection was cut and no call refused, except those told to wait for the same call in flight (2003).
      expect([...seen.keys()].filter((is) => is !== 'settled' && is !== 'in flight')).toEqual([]);
      expect(seen.get('in flight')).toBeGreaterThan(0);
    },
    LONG,
  );

  it(
    'do so while one of them is killed with -9 in the middle of it and comes back',
    async () => {
      const [shop, spender] = [await openShop(), await openShop()];
      const keyed = everyKind(shop.token, shop.orders, spender.token);
      const seen = new Map<string, number>();
      const killInTheMiddle = async () => {
        await until(() => (seen.get('settled') ?? 0) > 60, LONG);
        await other.program().kill();
        await other.restart();
      };
      let replies = new Map<KeyedCall, Reply[]>();
      const effects = await effectsOf(async () => {
        [replies] = await Promise.all([sendAll(keyed, seen), killInTheMiddle()]);
      });
      expect(effects).toEqual(expectedOf(keyed));
      for (const [call, all] of replies) expectOneAnswer(call, all, 'at most one');
      expect(seen.get('cut off')).toBeGreaterThan(0);
    },
    LONG,
  );
});

const MAKERS = [
  ['a payment', calls.CREATE_PAYMENT, /insert-payments/],
  ['a withdrawal', calls.WITHDRAW, COMMIT],
  ['an API key', calls.CREATE_KEY, COMMIT],
  ['an endpoint', calls.CREATE_ENDPOINT, COMMIT],
  ['a merchant', calls.REGISTER, COMMIT],
] as const;

describe('a connection that is cut at the commit', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });

  const moments = MAKERS.flatMap(([name, ...maker]) =>
    (['before', 'after'] as const).map((when) => [name, when, ...maker] as const),
  );

  it.each(moments)(
    'of %s, %s the server has it: one effect and one answer for the key',
    async (_name, when, make, statement) => {
      const call = make(shop.token);
      const effects = await effectsOf(async () => {
        const caught = proxy.catchNext(statement, when);
        const first = call.send(one);
        (await caught)();
        // The process cannot know whether it was done, and says so.
        expect(outcomeOf(await first).is).toBe('away');
        const seen = new Map<string, number>();
        const second = await settle(call, [one], seen);
        expect(second.replayed).toBe(when === 'after');
        const third = await settle(call, [other], seen);
        expect(third.replayed).toBe(true);
        expectOneAnswer(call, [second, third], 'at most one');
      });
      expect(effects).toEqual(expectedOf([call]));
    },
    LONG,
  );
});

describe('a process that is killed with -9 between the commit and its answer', () => {
  it.each(MAKERS.slice(0, 2))(
    'of %s: another one answers for it',
    async (_name, make, statement) => {
      const shop = await openShop();
      const call = make(shop.token);
      const effects = await effectsOf(async () => {
        const caught = proxy.catchNext(statement, 'after');
        const first = call.send(one).catch(() => 'cut off');
        const cut = await caught;
        await one.program().kill();
        expect(await first).toBe('cut off');
        cut();
        const seen = new Map<string, number>();
        const second = await settle(call, [other], seen);
        expect(second.replayed).toBe(true);
        await one.restart();
        expectOneAnswer(call, [second, await settle(call, [one], seen)], 'at most one');
      });
      expect(effects).toEqual(expectedOf([call]));
    },
    LONG,
  );
});
