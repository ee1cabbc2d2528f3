// What is shown of a webhook is what its receiver got, byte for byte, or less: never a guess, and never a secret.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { configureWebhook } from '../../../src/domain/webhooks/deliveries.ts';
import { createEndpoint } from '../../../src/domain/webhooks/endpoints.ts';
import { SIGNATURES } from '../../../src/domain/webhooks/request.ts';
import { rotateSecret } from '../../../src/domain/webhooks/rotate-secret.ts';
import { findSentRequests, secretsOf } from '../../../src/domain/webhooks/sent-requests.ts';
import { eraseFromEvents } from '../../../src/database/queries/customers/erase-customer.ts';
import { closeReceivers } from '../../dispatch/receivers.fixture.ts';
import { receiveWebhooks, status } from '../../dispatch/webhook-receiver.fixture.ts';
import { openSetup, type Setup } from '../../dispatch/webhook-setup.fixture.ts';

let setup: Setup;
beforeAll(async () => {
  setup = await openSetup();
});
afterAll(() => setup.close());
afterEach(closeReceivers);

const ownActor = (merchantId: string) =>
  ({ merchantId, actor: 'owner', ip: '::1', requestId: 'r', personId: null }) as never;

/** A merchant whose event was sent to an endpoint, and failed at first. */
async function send(form: 'TURNPIKE' | 'GREENFIELD' = 'TURNPIKE') {
  const merchant = await setup.addMerchant();
  const { url, received } = await receiveWebhooks(status(500));
  if (form === 'TURNPIKE') await configureWebhook(setup.deps, merchant.id, { url });
  else await createEndpoint(setup.deps, ownActor(merchant.id), { url, form, events: ['invoice.settled'] }, null);
  const body = `{"type":"invoice.settled","note":"é€😀  ","data":{}}`;
  const event = await setup.addEvent(merchant.id, { type: form === 'TURNPIKE' ? 'payment.succeeded' : 'invoice.settled', body }); // prettier-ignore
  await setup.dispatch();
  const { deliveryId } = await setup.record(merchant.id, event.id);
  const sent = async () => (await findSentRequests(setup.deps, [deliveryId]))[0];
  return { merchant, event, received, deliveryId, sent };
}

const rotate = (merchantId: string, hours: number) => rotateSecret(setup.deps, ownActor(merchantId), hours, null);

describe('a request that was sent', () => {
  it.each(['TURNPIKE', 'GREENFIELD'] as const)('in the form %s is shown as it was received', async (form) => {
    const { received, sent } = await send(form);
    await setup.makeDue();
    await setup.dispatch();
    const request = await sent();
    const last = received[1];
    if (!request || !last) throw new Error('There were no two attempts');
    expect(request.body).toBe(last.body.toString());
    const known = Object.fromEntries(request.headers.map(({ name, value }) => [name.toLowerCase(), value]));
    expect(last.headers).toMatchObject(known);
    const ours = Object.keys(last.headers).filter((name) =>
      /^(x-pgw|webhook|btcpay|user-agent|content-type)/.test(name),
    );
    expect(Object.keys(known).sort()).toEqual(ours.sort());
  });

  it('has no signature where the secret has changed since, and the rest as it was', async () => {
    const { merchant, sent } = await send();
    const before = await sent();
    await rotate(merchant.id, 24);
    const after = await sent();
    expect(after?.body).toBe(before?.body);
    expect(after?.headers).toEqual(before?.headers.filter(({ name }) => !SIGNATURES.includes(name)));
    expect(JSON.stringify(after)).not.toContain(merchant.secret);
  });

  it('has the signatures of both secrets while they overlap', async () => {
    const { merchant, received, sent } = await send();
    await rotate(merchant.id, 24);
    await setup.sql(`update merchant set webhook_secret_since = now() - interval '1 hour' where id = $1`, [
      merchant.id,
    ]);
    await setup.makeDue();
    await setup.dispatch();
    const signature = (await sent())?.headers.find(({ name }) => name === 'X-PGW-Signature')?.value;
    expect(signature?.match(/v1=/g)).toHaveLength(2);
    expect(received[1]?.headers['x-pgw-signature']).toBe(signature);
  });

  it('has no body and no signature once the event was erased', async () => {
    for (const form of ['TURNPIKE', 'GREENFIELD'] as const) {
      const { event, sent } = await send(form);
      await eraseFromEvents(setup.deps.db.em, [event.id]);
      const request = await sent();
      expect(request?.body).toBeNull();
      expect(request?.headers.map(({ name }) => name)).toContain('User-Agent');
      expect(request?.headers.some(({ name }) => SIGNATURES.includes(name))).toBe(false);
    }
  });

  it('is null before the first attempt, and for a delivery that does not exist', async () => {
    const merchant = await setup.addMerchant();
    await configureWebhook(setup.deps, merchant.id, { url: 'http://127.0.0.1:1025/' });
    const event = await setup.addEvent(merchant.id);
    await setup.relayAll();
    const { deliveryId } = await setup.record(merchant.id, event.id);
    expect(await findSentRequests(setup.deps, [deliveryId, 'dlv_none'])).toEqual([null, null]);
  });
});

describe('the secrets of an attempt', () => {
  const minute = (n: number) => new Date(Date.UTC(2026, 0, 1, 10, n));
  const never = { secret: 'new', secretSince: null, previousSecret: null, previousEndsAt: null };
  const rotated = { ...never, secretSince: minute(10), previousSecret: 'old', previousEndsAt: minute(30) };
  it.each([
    ['that never changed', 5, never, ['new']],
    ['long before a change', 5, rotated, null],
    ['just after it', 10.5, rotated, null],
    ['while both sign', 20, rotated, ['new', 'old']],
    ['near the end of that', 29.5, rotated, null],
    ['after it', 40, rotated, ['new']],
    ['after a change without an overlap', 40, { ...never, secretSince: minute(10) }, ['new']],
  ])('%s', (_, at, merchant, secrets) => {
    expect(secretsOf({ ...merchant, at: new Date(minute(0).getTime() + at * 60_000) })).toEqual(secrets);
  });
});
