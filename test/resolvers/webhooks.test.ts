// The webhook operations through the schema: guarded, checked, and in the documented names.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import type { OperationContext } from '../../src/access/caller.ts';
import { checkOperations } from '../../src/resolvers/operation/guards.ts';
import type { Services } from '../../src/resolvers/services.ts';
import { WebhookResolver } from '../../src/resolvers/webhooks.ts';
import type { GatewayError } from '../../src/values/errors.ts';
import { inOrder } from '../../src/values/permission.ts';
import { openSetup, type Setup } from '../dispatch/webhook-setup.fixture.ts';

let setup: Setup;
let merchantId: string;
beforeAll(async () => {
  setup = await openSetup();
  merchantId = (await setup.addMerchant()).id;
});
afterAll(() => setup.close());

const CONFIGURE = `mutation ($input: ConfigureWebhookInput!) {
  configureWebhook(input: $input) { id url enabled events secret }
}`;
const RECORD = `query ($id: ID!) {
  webhookDelivery(eventId: $id) {
    eventId deliveryId url status attempts lastAttemptAt nextRetryAt responseCode responseTimeMs
    deliveries {
      deliveryId status
      attemptLog { attempt at url responseCode responseTimeMs responseStart error }
    }
  }
}`;

async function run(
  source: string,
  variableValues: Record<string, unknown>,
  permissions: string[] = ['MANAGE_WEBHOOKS'],
) {
  const resolver = new WebhookResolver({ deps: setup.deps } as Services);
  const schema = buildSchemaSync({
    resolvers: [WebhookResolver],
    container: { get: () => resolver },
    validate: false,
  });
  checkOperations(schema, { confirm: () => Promise.resolve(), registration: 'open', operatorsNeedFactor: false });
  const contextValue: OperationContext = {
    requestId: 'r',
    ip: '127.0.0.1',
    userAgent: null,
    caller: {
      merchantId,
      keyId: 'pk_test_1',
      sessionId: null,
      personId: null,
      permissions: new Set(inOrder(permissions)),
      isSuspended: false,
      expiresAt: null,
    },
    idempotencyKey: null,
    replayed: false,
    throttle: () => Promise.resolve(),
    throttlePayer: () => Promise.resolve(),
  };
  const { data, errors } = await graphql({ schema, source, variableValues, contextValue });
  return { data: JSON.parse(JSON.stringify(data)) as Record<string, unknown>, error: errors?.[0] };
}

describe('webhook operations', () => {
  it('need MANAGE_WEBHOOKS', async () => {
    for (const [source, variables] of [
      [CONFIGURE, { input: { url: 'https://a.example/' } }],
      [RECORD, { id: 'evt_1' }],
    ] as const) {
      const { error } = await run(source, variables, ['READ_PAYMENTS', 'MANAGE_SETTINGS']);
      expect(error?.message).toBe('Missing permission: MANAGE_WEBHOOKS');
    }
  });

  it('configure the endpoint, refusing what is no URL by the path of its field', async () => {
    const { data } = await run(CONFIGURE, { input: { url: 'https://a.example/hook', enabled: true } });
    expect(data['configureWebhook']).toMatchObject({ url: 'https://a.example/hook', enabled: true });
    const { error } = await run(CONFIGURE, { input: { url: 'a.example/hook' } });
    expect((error?.originalError as GatewayError).details).toMatchObject([{ path: 'input.url' }]);
  });

  it('show the record with its deliveries, and null with NOT_FOUND where there is none', async () => {
    await run(CONFIGURE, { input: { url: 'http://127.0.0.1:1025/hook' } });
    const event = await setup.addEvent(merchantId);
    await setup.dispatch();
    const { data } = await run(RECORD, { id: event.id });
    expect(data['webhookDelivery']).toMatchObject({
      eventId: event.id,
      status: 'RETRYING',
      attempts: 1,
      lastAttemptAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as unknown,
      responseCode: null,
      deliveries: [{ status: 'RETRYING', attemptLog: [{ attempt: 1, responseCode: null, responseStart: null }] }],
    });
    const none = await run(RECORD, { id: 'evt_none' });
    expect(none.data).toEqual({ webhookDelivery: null });
    expect((none.error?.originalError as GatewayError).row.code).toBe('2004');
  });
});
