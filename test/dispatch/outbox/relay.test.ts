// The relay: one delivery for each event and destination, however many processes run it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createRelay } from '../../../src/dispatch/outbox/relay.ts';
import { lockEnabledEndpoints, insertDeliveries } from '../../../src/database/queries/events/relay-events.ts';
import { inTransaction } from '../../../src/domain/deps.ts';
import { configureWebhook } from '../../../src/domain/webhooks/deliveries.ts';
import { newId } from '../../../src/values/id.ts';
import { openSetup, until, type Setup } from '../webhook-setup.fixture.ts';

let setup: Setup;
beforeAll(async () => {
  setup = await openSetup();
});
afterAll(() => setup.close());
afterEach(() => setup.sql('delete from webhook_delivery'));

const URL_A = 'https://a.example/hook';
const deliveriesOf = (eventId: string) =>
  setup.sql<{ id: string; url: string; endpoint_id: string | null; is_primary: boolean; status: string }>(
    'select * from webhook_delivery where event_id = $1 order by is_primary desc, endpoint_id, url',
    [eventId],
  );

async function addEndpoint(merchantId: string, url: string, events: string[]): Promise<string> {
  const id = newId('whk');
  await setup.sql(
    `insert into webhook_endpoint (id, merchant_id, url, events, created_at, updated_at)
     values ($1, $2, $3, $4, now(), now())`,
    [id, merchantId, url, events],
  );
  return id;
}

describe('relay', () => {
  it('makes a delivery for each subscribed endpoint and the callbackUrl, with ids of their own', async () => {
    const { id } = await setup.addMerchant();
    await configureWebhook(setup.deps, id, { url: URL_A });
    await addEndpoint(id, 'https://b.example/', ['payment.succeeded']);
    await addEndpoint(id, 'https://c.example/', ['payment.failed']);
    const event = await setup.addEvent(id, { callbackUrl: 'https://d.example/cb' });
    await setup.relayAll();
    const made = await deliveriesOf(event.id);
    expect(made.map(({ url, is_primary, status }) => [url, is_primary, status])).toEqual([
      [URL_A, true, 'PENDING'],
      ['https://b.example/', false, 'PENDING'],
      ['https://d.example/cb', false, 'PENDING'],
    ]);
    expect(new Set(made.map((delivery) => delivery.id)).size).toBe(3);
    expect(made[0]?.id).toMatch(/^dlv_/);
  });

  it("makes one delivery where the callbackUrl is another spelling of the endpoint's URL", async () => {
    const { id } = await setup.addMerchant();
    const endpoint = await configureWebhook(setup.deps, id, { url: 'HTTPS://A.example:443/hook' });
    const event = await setup.addEvent(id, { callbackUrl: URL_A });
    await setup.relayAll();
    const made = await deliveriesOf(event.id);
    expect(made.map((delivery) => delivery.endpoint_id)).toEqual([endpoint.id]);
  });

  it('makes one delivery for each destination when several processes run it at once', async () => {
    const { id } = await setup.addMerchant();
    await configureWebhook(setup.deps, id, { url: URL_A });
    const events = [];
    for (let n = 0; n < 450; n += 1) events.push(await setup.addEvent(id));
    const relays = Array.from({ length: 4 }, () => createRelay(setup.deps));
    const left = async () => {
      const [row] = await setup.sql<{ left: number }>(
        'select count(*)::int as left from event where position > (select position from relay_cursor)',
      );
      return row?.left ?? 0;
    };
    while ((await left()) > 0) await Promise.all(relays.map((relay) => relay.processNext()));
    const rows = await setup.sql<{ event_id: string }>('select event_id from webhook_delivery');
    expect(rows.map((row) => row.event_id).sort()).toEqual(events.map((event) => event.id).sort());
  });

  it('steps over events that have no webhook body, and over disabled endpoints', async () => {
    const { id } = await setup.addMerchant();
    await configureWebhook(setup.deps, id, { url: URL_A });
    const silent = await setup.addEvent(id, { type: 'payment.updated', body: null });
    await setup.relayAll();
    await configureWebhook(setup.deps, id, { enabled: false });
    const unheard = await setup.addEvent(id);
    await setup.relayAll();
    expect(await deliveriesOf(silent.id)).toEqual([]);
    expect(await deliveriesOf(unheard.id)).toEqual([]);
    const [cursor] = await setup.sql('select position = (select max(position) from event) as done from relay_cursor');
    expect(cursor).toEqual({ done: true });
  });

  it('tells of new deliveries only after they are committed', async () => {
    const { id } = await setup.addMerchant();
    await configureWebhook(setup.deps, id, { url: URL_A });
    const event = await setup.addEvent(id);
    const seen: Promise<number>[] = [];
    await createRelay(setup.deps, () => seen.push(deliveriesOf(event.id).then((made) => made.length))).processNext();
    expect(await Promise.all(seen)).toEqual([1]);
  });

  it('leaves nothing waiting for an endpoint that is switched off while the deliveries are being made', async () => {
    const { id } = await setup.addMerchant();
    const endpoint = await configureWebhook(setup.deps, id, { url: URL_A });
    const event = await setup.addEvent(id);
    const delivery = {
      eventId: event.id,
      merchantId: id,
      endpointId: endpoint.id,
      isPrimary: true,
      lane: endpoint.id,
      url: URL_A,
    };
    const isBlocked = async () => (await setup.sql('select 1 from pg_locks where not granted')).length > 0;
    let switched = false;
    let switching: Promise<unknown> = Promise.resolve();
    await inTransaction(setup.deps, async (em) => {
      expect(await lockEnabledEndpoints(em, [id])).toHaveLength(1);
      await insertDeliveries(em, [{ ...delivery, id: newId('dlv') }]);
      switching = configureWebhook(setup.deps, id, { enabled: false }).then(() => (switched = true));
      await until(async () => switched || (await isBlocked()));
    });
    await switching;
    expect((await deliveriesOf(event.id)).map((made) => made.status)).toEqual(['DISABLED']);
  });
});
