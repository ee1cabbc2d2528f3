// Endpoints that fail for days are disabled: after which attempts, when, and that the merchant is notified once.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { foldHealth } from '../../../src/dispatch/webhooks/endpoint-health.ts';
import { createWebhookSender } from '../../../src/dispatch/webhooks/send-webhooks.ts';
import { configureWebhook } from '../../../src/domain/webhooks/deliveries.ts';
import { closeReceivers } from '../receivers.fixture.ts';
import { receiveWebhooks, status } from '../webhook-receiver.fixture.ts';
import { openSetup, PATIENCE, type Setup } from '../webhook-setup.fixture.ts';

const DAY = 86_400_000;
let setup: Setup;
beforeAll(async () => {
  setup = await openSetup();
});
afterAll(() => setup.close());
afterEach(closeReceivers);

/** A sender whose clock is this far ahead of the database's. */
const senderIn = (ms: number) =>
  createWebhookSender(
    { ...setup.deps, clock: { now: () => new Date(setup.deps.clock.now().getTime() + ms) } },
    {
      ...{ egress: setup.egress, leaseMs: PATIENCE.leaseMs, retryDelaysSeconds: [60, 300, 900, 3_600] },
      ...{ random: () => 0.5, wake: () => undefined },
    },
  );

async function addSubscribed(url: string) {
  const merchant = await setup.addMerchant();
  const { id } = await configureWebhook(setup.deps, merchant.id, { url });
  const send = async (events: number, inMs: number) => {
    for (let n = 0; n < events; n += 1) await setup.addEvent(merchant.id);
    await setup.dispatch(senderIn(inMs));
  };
  const endpoint = async () => {
    const [row] = await setup.sql<{ enabled: boolean; failing: boolean; reason: string | null; disabled: boolean }>(
      `select enabled, failing_since is not null as failing, disabled_reason as reason, disabled_at is not null as disabled
       from webhook_endpoint where id = $1`,
      [id],
    );
    return row;
  };
  const events = () =>
    setup.sql(
      `select type, payment_id, payload, body from event where merchant_id = $1 and type = 'webhook.disabled'`,
      [merchant.id],
    );
  return { merchant, id, send, endpoint, events };
}

describe('an endpoint', () => {
  it('whose 20 attempts in five days all failed is switched off, with what waits, and one event', async () => {
    const { url } = await receiveWebhooks(status(500));
    const { merchant, id, send, endpoint, events } = await addSubscribed(url);
    await send(19, 0);
    await send(0, 5 * DAY);
    expect(await endpoint()).toMatchObject({ enabled: true, failing: true });
    const last = await setup.addEvent(merchant.id);
    await send(0, 5 * DAY);
    expect(await endpoint()).toMatchObject({ enabled: false, disabled: true });
    expect((await endpoint())?.reason).toMatch(/^All 20 attempts since \d{4}-.*Z failed$/);
    expect(await events()).toEqual([{ type: 'webhook.disabled', payment_id: null, payload: null, body: null }]);
    const left = await setup.sql(
      `select status, count(*)::int as n, bool_and(changed_in = (select max(changed_in) from webhook_delivery)) as changed
       from webhook_delivery where endpoint_id = $1 group by 1`,
      [id],
    );
    expect(left).toEqual([{ status: 'DISABLED', n: 20, changed: true }]);
    expect((await setup.record(merchant.id, last.id)).attempts).toBe(1);
  });

  it('is not switched off after fewer than 20 attempts, nor before five days', async () => {
    const { url } = await receiveWebhooks(status(500));
    const { send, endpoint, events } = await addSubscribed(url);
    await send(18, 0);
    await send(1, 6 * DAY);
    expect(await endpoint()).toMatchObject({ enabled: true, failing: true });
    const other = await addSubscribed(url);
    await other.send(30, 0);
    await other.send(5, 4.9 * DAY);
    expect(await other.endpoint()).toMatchObject({ enabled: true, failing: true });
    expect([...(await events()), ...(await other.events())]).toEqual([]);
  });

  it('starts anew with each success', async () => {
    let code = 500;
    const { url } = await receiveWebhooks((response) => void response.writeHead(code).end());
    const { send, endpoint, events } = await addSubscribed(url);
    await send(25, 0);
    code = 200;
    await send(1, DAY);
    expect(await endpoint()).toMatchObject({ enabled: true, failing: false });
    code = 500;
    await send(25, 5.5 * DAY);
    expect(await endpoint()).toMatchObject({ enabled: true, failing: true });
    await send(1, 10 * DAY);
    expect(await endpoint()).toMatchObject({ enabled: true });
    expect(await events()).toEqual([]);
  });

  it('is not switched off over a success that ended together with a failure', async () => {
    const { url } = await receiveWebhooks(status(500));
    const { id, send, endpoint, events } = await addSubscribed(url);
    await send(25, 0);
    await setup.sql(
      `update webhook_attempt set response_code = 200 where delivery_id = (
         select d.id from webhook_delivery d join webhook_attempt a on a.delivery_id = d.id
         where d.endpoint_id = $1 order by a.at desc limit 1)`,
      [id],
    );
    await send(1, 6 * DAY);
    expect(await endpoint()).toMatchObject({ enabled: true, failing: false });
    expect(await events()).toEqual([]);
  });

  it('that answers 410 is switched off with one event, however many attempts were under way', async () => {
    const { url } = await receiveWebhooks(status(410));
    const { send, endpoint, events } = await addSubscribed(url);
    await send(4, 0);
    expect(await endpoint()).toMatchObject({
      enabled: false,
      disabled: true,
      reason: 'The receiver answered 410 Gone',
    });
    expect(await events()).toHaveLength(1);
  });

  it('is written when its health changes, and not at each attempt', async () => {
    const { url } = await receiveWebhooks(status(500));
    const { id, send } = await addSubscribed(url);
    const version = async () => (await setup.sql('select xmin::text from webhook_endpoint where id = $1', [id]))[0];
    await send(1, 0);
    const before = await version();
    await send(10, 1_000);
    expect(await version()).toEqual(before);
  });
});

describe('the fold of attempts', () => {
  const at = (ms: number) => new Date(ms);
  const sign = (failed: boolean, ms: number, failingSince: Date | null = null, endpointId = 'a') => {
    return { endpointId, failingSince, failed, at: at(ms) };
  };

  it('keeps the first failure since the last success, and writes only what changes', () => {
    const fold = (...signs: ReturnType<typeof sign>[]) => [...foldHealth(signs, at(0)).since];
    expect(fold(sign(true, 5), sign(true, 6))).toEqual([['a', at(5)]]);
    expect(fold(sign(true, 5), sign(false, 6), sign(true, 7))).toEqual([['a', at(7)]]);
    expect(fold(sign(true, 5, at(1)), sign(true, 6, at(1)))).toEqual([]);
    expect(fold(sign(false, 5))).toEqual([]);
    expect(fold(sign(true, 5, at(1)), sign(false, 6, at(1)))).toEqual([['a', null]]);
  });

  it('suspects those that have failed for long, and nobody else', () => {
    const signs = [
      sign(true, 9, at(1)),
      sign(true, 9, at(5), 'b'),
      sign(false, 9, at(1), 'c'),
      sign(true, 2, null, 'd'),
    ];
    expect(foldHealth(signs, at(2)).suspects).toEqual(['a', 'd']);
  });
});
