// An erasure beside what changes the same rows at the same time: whatever comes first, nothing of the customer is left.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '../../../src/domain/deps.ts';
import { query, type EntityManager } from '../../../src/database/connection.ts';
import { eraseCustomer } from '../../../src/domain/customers/erase-customer.ts';
import { tellCustomer } from '../../../src/domain/mail/customer-mails.ts';
import { resendEvent } from '../../../src/domain/webhooks/resend.ts';
import { createMailRelay } from '../../../src/mailer/relay-mails.ts';
import { GatewayError } from '../../../src/values/errors.ts';
import { newId } from '../../../src/values/id.ts';
import { createSetup, openChain, pay, START, type DataChain, type Order, type Setup } from '../book.fixture.ts';
import { MAILING, newShop } from '../../mailer/customer-mails.fixture.ts';
import { writeNumbers } from '../../mailer/event-numbers.fixture.ts';
import { until } from '../../support/until.ts';

const EMAIL = 'ann@customer.example';
const secrets = { customerKey: Buffer.alloc(32, 3) };

const ROUNDS = 12;

let setup: Setup;
let chain: DataChain;
let shop: string;
let order: Order;

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  chain = await openChain(setup);
  await begin();
});

/** A shop and an order of the customer that was paid, and of which no webhook waits. */
async function begin(): Promise<void> {
  shop = await newShop(setup);
  order = await setup.order(shop, { customer_email: EMAIL });
  await chain.mine(pay(order, 1_000_000n));
  await chain.mineEmpty(2);
  await writeNumbers(setup);
  await setup.sql(
    `insert into relay_cursor (name, position) select 'webhooks', max(position) from event
     on conflict (name) do update set position = excluded.position`,
  );
}

function erase(): Promise<unknown> {
  const who = { personId: newId('usr'), keyId: null, ip: '127.0.0.1', requestId: 'request' };
  return eraseCustomer({ ...setup.deps, secrets }, { merchantId: shop, ...who }, EMAIL, null);
}

/** Waits until a statement waits for a lock. */
const untilBlocked = () =>
  until(async () => {
    const rows = await setup.sql(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });

/** Where the customer is still named. */
const named = () =>
  setup.sql(
    `select 'payment' as place from payment where merchant_id = $1 and customer_email is not null
     union all select 'event ' || type from event where merchant_id = $1 and position($2 in concat(payload, body)) > 0
     union all select 'mail' from mail where merchant_id = $1 and recipient <> ''`,
    [shop, EMAIL],
  );

/** Runs statements in a transaction that stays open until it is released. */
async function hold(work: (em: EntityManager) => Promise<unknown>): Promise<() => Promise<void>> {
  const other = await setup.another();
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = inTransaction(other, async (em) => {
    await work(em);
    begun.resolve();
    await gate.promise;
  });
  await Promise.race([begun.promise, held]);
  return () => {
    gate.resolve();
    return held;
  };
}

/** Does both at once; returns what they were refused with, null for done. */
async function both(first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<(string | null)[]> {
  const results = await Promise.allSettled([first(), second()]);
  return results.map((result) => (result.status === 'fulfilled' ? null : codeOf(result.reason)));
}

function codeOf(error: unknown): string {
  if (error instanceof GatewayError) return error.row.code;
  throw error;
}

describe('an erasure', () => {
  it('that waited for a change of the order erases the order as it is then', async () => {
    const release = await hold((em) => query(em, 'update payment set updated_at = now() where id = $1', [order.id]));
    const erasing = erase();
    await untilBlocked();
    await release();
    await erasing;
    expect(await named()).toEqual([]);
  });

  it('beside a deposit leaves nothing, and the deposit is credited', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round > 0) await begin();
      const [refused] = await both(erase, () => chain.mine(pay(order, 5_000_000n)));
      expect(refused).toBeNull();
      expect(await named()).toEqual([]);
      await chain.mineEmpty(2);
      expect(await named()).toEqual([]);
      expect((await setup.balance(shop)).available).toBe(5_940_000n);
    }
  });

  it('beside a resend: one of the two is refused (2013, 2014)', async () => {
    const seen = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round > 0) await begin();
      await setup.sql(
        `insert into webhook_endpoint (id, merchant_id, url, events, is_primary, enabled, created_at, updated_at)
         values ($1, $2, 'https://shop.example/hook', '{payment.succeeded}', true, true, $3, $3)`,
        [newId('whk'), shop, START],
      );
      const [event] = await setup.sql<{ id: string }>(
        `select id from event where merchant_id = $1 and type = 'payment.succeeded'`,
        [shop],
      );
      const other = await setup.another();
      const resend = () => resendEvent(other, shop, event?.id ?? '', null);
      const outcome = await (round % 2 === 0
        ? both(erase, resend)
        : both(resend, erase).then((done) => done.reverse()));
      expect([
        ['2013', null],
        [null, '2014'],
      ]).toContainEqual(outcome);
      if (outcome[0] === null) expect(await named()).toEqual([]);
      seen.add(outcome.join());
    }
    expect(seen.size).toBeGreaterThan(0);
  });

  it('beside the mails of the order: it is refused (2013), or nobody is mailed', async () => {
    const deps = { ...(await setup.another()), sendsMail: true };
    const relay = createMailRelay(deps, MAILING);
    await relay.processNext();
    for (let round = 0; round < ROUNDS; round += 1) {
      await begin();
      const relayAll = async () => {
        while (await relay.processNext());
      };
      const [refused] = await both(erase, relayAll);
      expect([null, '2013']).toContain(refused);
      if (refused === null) expect(await named()).toEqual([]);
      else expect(await named()).toContainEqual({ place: 'mail' });
    }
  });

  it('waits for a relay that holds the order’s events, and then finds its mail (2013)', async () => {
    const release = await hold(async (em) => {
      await query(em, 'select id from event where payment_id = $1 order by id for share', [order.id]);
      await tellCustomer(
        em,
        MAILING,
        {
          ...{ merchantId: shop, orderId: order.id, template: 'RECEIPT', amount: '1 USDT (ETH)' },
          ...{ dedupe: `receipt/${order.id}`, dueAt: START },
        },
        START,
      );
    });
    const erasing = both(erase, () => Promise.resolve());
    await untilBlocked();
    await release();
    expect((await erasing)[0]).toBe('2013');
  });
});
