// The checks of an operation before its work: chosen by directives in the schema, all of them, and before any resolver
// runs.

import { describe, expect, it } from '@jest/globals';
import { GraphQLInt, GraphQLObjectType, GraphQLSchema, type GraphQLFieldConfig } from 'graphql';
import { checkOperations, type OperationGuards } from '../../../src/resolvers/operation/guards.ts';
import type { Context } from '../../../src/resolvers/operation/context.ts';
import { buildGatewaySchema } from '../../../src/resolvers/schema.ts';
import type { Services } from '../../../src/resolvers/services.ts';
import { MEMBER_PERMISSIONS as ALL_PERMISSIONS } from '../../../src/values/member-permission.ts';

const context = (throttle: () => Promise<void> = () => Promise.resolve()): Context => ({
  ...{ requestId: 'r', ip: '127.0.0.1', userAgent: null, caller: null, idempotencyKey: null, replayed: false },
  throttle,
  throttlePayer: () => Promise.resolve(),
});

const GUARDS: OperationGuards = { confirm: () => Promise.resolve(), registration: 'open', operatorsNeedFactor: false };

/** Calls a field as an execution would, whether it throws at once or later. */
const ask = async (schema: GraphQLSchema, field: string, args: object, by: Context): Promise<unknown> =>
  await schema
    .getQueryType()
    ?.getFields()
    [field]?.resolve?.(undefined, args, by, undefined as never);

function schemaOf(extensions: Record<string, unknown>, resolve: () => unknown): GraphQLSchema {
  const count = { type: GraphQLInt, extensions: { check: (value: unknown) => (value === 1 ? null : 'must be 1') } };
  const field: GraphQLFieldConfig<unknown, Context> = { type: GraphQLInt, args: { count }, resolve, extensions };
  return new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields: { work: field } }) });
}

describe('operations are checked', () => {
  it.each(['sandbox', 'live'] as const)('in %s: nobody gets to the work of one that needs a token', async (of) => {
    const schema = buildGatewaySchema({ registration: 'open' } as Services, of);
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const guarded = roots.flatMap((type) =>
      Object.values(type?.getFields() ?? {}).filter(({ extensions }) => 'permission' in extensions),
    );
    expect(guarded.length).toBeGreaterThan(30);
    for (const { resolve } of guarded) {
      const asked = async (): Promise<unknown> => await resolve?.({}, {}, context(), undefined as never);
      await expect(asked()).rejects.toMatchObject({ errorName: 'MISSING_TOKEN' });
    }
  });

  it('attempts with credentials first, then the arguments, then the work', async () => {
    const seen: string[] = [];
    const schema = schemaOf({ throttled: true }, () => seen.push('worked'));
    checkOperations(schema, GUARDS);
    const counted = context(() => Promise.resolve(void seen.push('counted')));
    await expect(ask(schema, 'work', { count: 2 }, counted)).rejects.toMatchObject({ errorName: 'VALIDATION' });
    expect(seen).toEqual(['counted']);
    await ask(schema, 'work', { count: 1 }, counted);
    expect(seen).toEqual(['counted', 'counted', 'worked']);
    const refused = context(() => Promise.reject(new Error('too many')));
    await expect(ask(schema, 'work', { count: 1 }, refused)).rejects.toThrow('too many');
    expect(seen).toHaveLength(3);
  });

  it('and then the confirmation, without which there is no work', async () => {
    const seen: string[] = [];
    const schema = schemaOf({ confirmed: true }, () => seen.push('worked'));
    const refusal = new Error('not confirmed');
    let isConfirmed = false;
    checkOperations(schema, {
      ...GUARDS,
      confirm: () => (seen.push('asked'), isConfirmed ? Promise.resolve() : Promise.reject(refusal)),
    });
    await expect(ask(schema, 'work', { count: 2 }, context())).rejects.toMatchObject({ errorName: 'VALIDATION' });
    await expect(ask(schema, 'work', { count: 1 }, context())).rejects.toBe(refusal);
    isConfirmed = true;
    await ask(schema, 'work', { count: 1 }, context());
    expect(seen).toEqual(['asked', 'asked', 'worked']);
  });

  it('and a registration where it is closed is refused before its arguments are looked at', async () => {
    const schema = schemaOf({ registers: true }, () => 'registered');
    checkOperations(schema, { ...GUARDS, registration: 'closed' });
    for (const args of [{ count: 2 }, { count: 2, invitation: 'x' }]) {
      const refused = expect(ask(schema, 'work', args, context())).rejects;
      await refused.toMatchObject({ errorName: 'REGISTRATION_CLOSED' });
    }
  });

  it('and where it is by invitation, one without an invitation; whether it fits is found later', async () => {
    const schema = schemaOf({ registers: true }, () => 'registered');
    checkOperations(schema, { ...GUARDS, registration: 'invite' });
    for (const args of [{ count: 2 }, { count: 2, invitation: null }, { count: 2, input: { invitation: null } }])
      await expect(ask(schema, 'work', args, context())).rejects.toMatchObject({ errorName: 'REGISTRATION_CLOSED' });
    for (const args of [{ invitation: 'x' }, { input: { invitation: 'x' } }])
      await expect(ask(schema, 'work', { ...args, count: 2 }, context())).rejects.toMatchObject({
        errorName: 'VALIDATION',
      });
  });

  it.each(['sandbox', 'live'] as const)('in %s: all that moves money, keys, webhooks or people is confirmed', (of) => {
    const fields = Object.values(
      buildGatewaySchema({} as Services, of)
        .getMutationType()
        ?.getFields() ?? {},
    );
    const confirmed = (which: string) =>
      fields
        .filter(({ extensions }) => extensions['confirmed'] === which)
        .map(({ name }) => name)
        .sort();
    expect(confirmed('IN_CONSOLE')).toEqual([
      ...['configureWebhook', 'createApiKey', 'createWebhookEndpoint', 'deleteWebhookEndpoint', 'refundPayment'],
      ...['revokeApiKey', 'rotateWebhookSecret', 'sendTestEvent', 'updateApiKey', 'updateWebhookEndpoint', 'withdraw'],
    ]);
    // prettier-ignore
    expect(confirmed('ALWAYS')).toEqual([
      'addPayoutAddress', 'approveAction', 'approvePayout', 'changeEmail', 'changeMember', 'createPayoutBatch',
      'createRole', 'creditSuspense', 'deleteRole', 'deleteSettlementRule', 'eraseCustomer', 'failPayout',
      'finishPasskey', 'finishTotp', 'freezePayouts', 'inviteMember', 'inviteMerchant', 'liftFreeze',
      'newRecoveryCodes', 'rejectAction', 'removeFactor', 'removeIdentity', 'removeMember', 'restoreMerchant',
      'saveSettlementRule', 'setAssetAccepted', 'startOidc', 'startPasskey', 'startTotp', 'suspendMerchant',
      'updatePayoutPolicy', 'updateRole',
      'withdrawFees', 'writeOffSuspense',
    ]);
  });

  it('operators act in their own sessions, where live wants a second factor; what is of merchants sees no caller', async () => {
    const operator = { personId: 'usr_a', sessionId: 'ses_a', hasSecondFactor: false };
    const merchants = {
      merchantId: 'mer_a',
      keyId: null,
      sessionId: 'ses_b',
      personId: 'usr_a',
      isSuspended: false,
      expiresAt: null,
    };
    const as = (more: Partial<Context>): Context => ({ ...context(), ...more });
    const refusalOf = async (permission: string, by: Context, operatorsNeedFactor = false) => {
      const schema = schemaOf({ permission }, () => 'worked');
      checkOperations(schema, { ...GUARDS, operatorsNeedFactor });
      return ask(schema, 'work', { count: 1 }, by).catch((error: unknown) => (error as Error).message);
    };
    const inSession = as({ operator });
    expect(await refusalOf('OPERATOR', inSession)).toBe('worked');
    expect(await refusalOf('OPERATOR', inSession, true)).toBe('Set up a second factor first');
    expect(await refusalOf('OPERATOR', as({ operator: { ...operator, hasSecondFactor: true } }), true)).toBe('worked');
    expect(await refusalOf('SELF', inSession, true)).toBe('worked');
    for (const permission of ['WITHDRAW', 'MANAGE_POLICY'])
      expect(await refusalOf(permission, inSession)).toBe(`Missing permission: ${permission}`);
    const ofPeople = "Only the account's owner and its members may do this, signed in";
    for (const permission of ['OWNER', 'TOKEN']) expect(await refusalOf(permission, inSession)).toBe(ofPeople);
    const member = as({ caller: { ...merchants, permissions: new Set(ALL_PERMISSIONS) } });
    expect(await refusalOf('OPERATOR', member)).toBe('Missing permission: OPERATOR');
    for (const permission of ['SELF', 'OWNER', 'TOKEN', 'WITHDRAW'])
      expect(await refusalOf(permission, member)).toBe('worked');
    const key = as({ caller: { ...merchants, keyId: 'pk', personId: null, permissions: new Set(ALL_PERMISSIONS) } });
    for (const permission of ['SELF', 'OWNER']) expect(await refusalOf(permission, key)).toBe(ofPeople);
  });

  it('or there is no schema: a mark below the top would guard nothing', () => {
    const inner = new GraphQLObjectType({
      name: 'Inner',
      fields: { secret: { type: GraphQLInt, extensions: { permission: 'READ_REPORTS' } } },
    });
    const schema = new GraphQLSchema({
      query: new GraphQLObjectType({ name: 'Query', fields: { inner: { type: inner } } }),
    });
    expect(() => checkOperations(schema, GUARDS)).toThrow('Inner.secret is guarded, but is no operation');
  });
});
