// Operations with many fields take turns with all others, so that one caller's fields do not delay another caller.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLoad, type Caller } from '../../../src/access/caller.ts';
import { createFieldTurns } from '../../../src/server/admission/field-turns.ts';
import { OVERLOAD_LIMITS } from '../../../src/server/admission/admission-queue.ts';
import { graphql, newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectGraphQLError } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

describe('the turns of fields', () => {
  const contextOf = (ip: string, calls: number, caller: Pick<Caller, 'merchantId' | 'keyId'> | null = null) => ({
    ...{ ip, caller },
    load: { ...createLoad(), calls },
  });

  /** Work that ends when told to, and the list of what has begun. */
  function openWork() {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const work = (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    };
    return { begun, work, endNext: () => ends.shift()?.() };
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));

  it('one field is run at once, however many others wait', async () => {
    const takeTurn = createFieldTurns();
    const { begun, work } = openWork();
    const heavy = contextOf('192.0.2.1', 100);
    for (let n = 0; n < 100; n += 1) void takeTurn(heavy, work(`heavy ${n}`));
    await settle();
    const atOnce = begun.length;
    expect(atOnce).toBeLessThan(20);
    void takeTurn(contextOf('192.0.2.2', 1), work('light'));
    void takeTurn({}, work('rest'));
    expect(begun.slice(atOnce)).toEqual(['light', 'rest']);
  });

  it('callers take turns, whatever number of fields each waits with; an address is that of its /64', async () => {
    const takeTurn = createFieldTurns();
    const { begun, work, endNext } = openWork();
    for (let n = 0; n < 100; n += 1) void takeTurn(contextOf(`2001:db8::${n}`, 100), work('heavy'));
    for (let n = 0; n < 3; n += 1) void takeTurn(contextOf('192.0.2.1', 3), work('other'));
    await settle();
    const atOnce = begun.length;
    for (let n = 0; n < 6; n += 1) {
      endNext();
      await settle();
    }
    expect(begun.slice(atOnce)).toEqual(['heavy', 'other', 'heavy', 'other', 'heavy', 'other']);
  });

  it('a merchant has one turn for all their keys, and for their owner', async () => {
    const takeTurn = createFieldTurns();
    const { begun, work, endNext } = openWork();
    const of = (merchantId: string, keyId: string | null) => contextOf('192.0.2.1', 9, { merchantId, keyId });
    for (let n = 0; n < 100; n += 1) void takeTurn(of('mer_1', n === 0 ? null : `pk_${n}`), work('many'));
    for (let n = 0; n < 3; n += 1) void takeTurn(of('mer_2', 'pk_x'), work('other'));
    await settle();
    const atOnce = begun.length;
    for (let n = 0; n < 6; n += 1) {
      endNext();
      await settle();
    }
    expect(begun.slice(atOnce)).toEqual(['many', 'other', 'many', 'other', 'many', 'other']);
  });

  it('what failed gives its turn to the next, and what nobody takes any more is not begun', async () => {
    const takeTurn = createFieldTurns();
    const context = contextOf('192.0.2.1', 1_000);
    const answers = Array.from({ length: 200 }, (_, n) =>
      takeTurn(context, () => (n % 2 === 0 ? Promise.reject(new Error('no')) : n)),
    );
    const settled = await Promise.allSettled(answers);
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(100);
    context.load.isOver = true;
    let begun = 0;
    await expect(takeTurn(context, () => (begun += 1))).rejects.toThrow('Overloaded');
    expect(begun).toBe(0);
  });
});

const DATABASE_POOL = 4;
const STATEMENT_MS = 20;
const FIELDS = 90;

describe('operations of ninety fields on a slow database', () => {
  let gateway: TestGateway;
  let busy: TestMerchant;
  let quiet: TestMerchant;

  beforeAll(async () => {
    gateway = await startTestGateway({ DATABASE_POOL_MAX: String(DATABASE_POOL) });
    [busy, quiet] = [await newMerchant(gateway), await newMerchant(gateway)];
    await gateway.sql('alter table webhook_endpoint rename to webhook_endpoint_rows');
    await gateway.sql(`create view webhook_endpoint as select * from webhook_endpoint_rows
      where pg_sleep(${STATEMENT_MS / 1_000})::text is not null`);
  });
  afterAll(() => gateway.stop());

  it('leave the places of calls to those, however many of them there are', async () => {
    dataOf(await busy.rest('PUT', '/merchant/webhook', { url: 'http://127.0.0.1:9999/hook' }));
    const query = '{ a: webhookEndpoints { id } b: webhookEndpoints { id } }';
    const ask = graphql(gateway, busy.token);
    let ended = 0;
    const asked = OVERLOAD_LIMITS.underWay + 60;
    const all = Array.from({ length: asked }, () => ask(query).finally(() => (ended += 1)));
    await until(() => ended > 0);
    const reads: number[] = [];
    while (ended < asked) reads.push((await quiet.rest('GET', '/payments')).status);
    expect(new Set(reads)).toEqual(new Set([200]));
    // They were more than fit, and were told so in time.
    for (const answer of await Promise.all(all)) {
      if (answer.status !== 200) expectGraphQLError(answer, 503, 'UNAVAILABLE', '9503');
    }
  });

  it("do not make another merchant's read wait for them", async () => {
    dataOf(await busy.rest('PUT', '/merchant/webhook', { url: 'http://127.0.0.1:9999/hook' }));
    const query = `{ ${Array.from({ length: FIELDS }, (_, n) => `w${n}: webhookEndpoints { id }`).join(' ')} }`;
    const ask = graphql(gateway, busy.token);
    const from = performance.now();
    let ended = 0;
    const all = Array.from({ length: 4 }, () => ask(query).finally(() => (ended += 1)));
    const reads: number[] = [];
    while (ended < all.length) {
      const began = performance.now();
      expect((await quiet.rest('GET', '/payments')).status).toBe(200);
      reads.push(performance.now() - began);
    }
    const answers = await Promise.all(all);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const allMs = performance.now() - from;
    // Without turns the first read waits behind all of it, and is nearly the only one.
    const median = reads.toSorted((a, b) => a - b)[Math.floor(reads.length / 2)] ?? Infinity;
    expect(median).toBeLessThan(allMs / 4);
  });
});
