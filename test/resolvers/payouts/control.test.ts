// The control of payouts over the API: who may do what, what is refused with which code, and what the others are told.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exchange, graphql, rest, type Answer, type GraphQL, type Json } from '../../support/clients.ts';
import { dataOf, expectFaults, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { confirm, join, signIn, signUp, type SignedIn } from '../../support/people.ts';
import type { Role } from '../../../src/values/member-permission.ts';

const [BANK, ELSEWHERE] = ['0x52908400098527886E0F7030069857D2E4169EE7', `0x${'3'.repeat(40)}`];
const ADD = `mutation ($address: String!) {
  addPayoutAddress(network: "erc20", address: $address, label: "Bank") { id network address label status usableAt createdAt }
}`;
const UPDATE = `mutation ($input: PayoutPolicyInput!) { updatePayoutPolicy(input: $input) {
  version inForce { bookOnly limits { currency network perPayout perDay approvalAbove room } } pending { bookOnly } pendingFrom
} }`;
const WAITING = `{ payoutsAwaitingApproval {
  ... on Withdrawal { id status requestedBy } ... on Refund { id paymentId }
} }`;
const APPROVE = 'mutation ($id: ID!) { approvePayout(id: $id) }';
const REJECT = 'mutation ($id: ID!) { rejectPayout(id: $id, reason: "not ours") }';
const LIMITS = { currency: 'usdt', network: 'ETH', perPayout: '10', perDay: '15', approvalAbove: '5' };

let gateway: BorrowedGateway;
let owner: SignedIn & { readonly merchantId: string };
let admin: SignedIn;

beforeAll(async () => {
  gateway = await borrowGateway();
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
  admin = await addPerson('ADMIN');
  const order = { amount: '25', currency: 'USDT', network: 'ETH' };
  const { orderId } = dataOf(await rest(gateway, owner.token)('POST', '/payments', order), 201);
  dataOf(await rest(gateway, owner.token)('POST', `/sandbox/payments/${String(orderId)}/deposit`, {}));
});
afterAll(() => gateway.stop());

/** Somebody with a role, who may use all of it, signed in and confirmed. */
async function addPerson(role: Role): Promise<SignedIn> {
  const { id, email } = await join(gateway, { merchantId: owner.merchantId, role });
  if (role === 'ADMIN')
    await gateway.sql('update membership set approves_from = created_at where person_id = $1', [id]);
  const person = await signIn(gateway, email);
  await confirm(person);
  return person;
}

const policy = async (input: object): Promise<Json> =>
  (await owner.graphql(UPDATE, { input: { version: 0, ...input } })).body.data.updatePayoutPolicy;
const withdraw = (fields: object, by: Pick<SignedIn, 'token'> = owner): Promise<Answer> =>
  rest(gateway, by.token)('POST', '/wallet/withdraw', { currency: 'USDT', network: 'ETH', amount: '1', ...fields });
const refused = (answer: Answer, permission: string) =>
  expect(expectGraphQLError(answer, 200, 'FORBIDDEN', '1004').message).toBe(`Missing permission: ${permission}`);

/** A key of the owner's, with all that keys can have for payouts. */
async function makeKey(by: SignedIn): Promise<{ readonly token: string; readonly graphql: GraphQL }> {
  const make = `mutation { createApiKey(input: { name: "Till", permissions: [READ_PAYMENTS, READ_WALLET, WITHDRAW] }) {
    keyId secret } }`;
  const token = await exchange(gateway, (await by.graphql(make)).body.data.createApiKey);
  return { token, graphql: graphql(gateway, token) };
}

describe('the book of addresses', () => {
  it('is kept by people, shown to those who read the wallet, and paid to by its ids', async () => {
    const { addPayoutAddress: added } = (await owner.graphql(ADD, { address: BANK })).body.data;
    expect(added).toMatchObject({ network: 'ETH', address: BANK, label: 'Bank', status: 'ACTIVE' });
    expect(dataOf(await rest(gateway, owner.token)('GET', '/wallet/addresses')).items).toEqual([added]);
    const paid = dataOf(await withdraw({ addressId: added.id }), 201);
    expect(paid).toMatchObject({ address: BANK, addressId: added.id, status: 'REQUESTED' });
    expectFaults(await withdraw({ addressId: added.id, address: BANK }), ['address']);
    expectFaults(await withdraw({}), ['address']);
    const remove = 'mutation ($id: ID!) { removePayoutAddress(id: $id) { id status } }';
    const { removePayoutAddress } = (await admin.graphql(remove, { id: added.id })).body.data;
    expect(removePayoutAddress).toEqual({ id: added.id, status: 'REMOVED' });
    expectRefusal(await withdraw({ addressId: added.id }), 409, '4006');
    expect(dataOf(await rest(gateway, owner.token)('GET', '/wallet/addresses')).items).toEqual([]);
  });

  it('tells of an address in its own form, or what is wrong with it, before anything is confirmed', async () => {
    const ask =
      'query ($network: String!, $address: String!) { payoutRecipient(network: $network, address: $address) }';
    const check = (address: string, network = 'erc20') => owner.graphql(ask, { network, address });
    expect((await check(BANK.toLowerCase())).body.data).toEqual({ payoutRecipient: BANK });
    const [{ hot } = { hot: '' }] = await gateway.sql<{ hot: string }>(
      `select address_key as hot from sender where network = 'ETH' and role <> 'DEPOSIT'`,
    );
    expect(hot).not.toBe('');
    for (const wrong of ['nonsense', `0x${'0'.repeat(40)}`, BANK.toLowerCase().replace('52', 'X2'), hot])
      expectGraphQLError(await check(wrong), 200, 'BAD_USER_INPUT', '4002');
    // Reading an address takes longer than its length grows.
    expectGraphQLError(await check('1'.repeat(201)), 200, 'BAD_USER_INPUT', '2001');
    expectGraphQLError(await check(BANK, 'nowhere'), 200, 'BAD_USER_INPUT', '3001');
    const reader = await addPerson('VIEWER');
    expect((await reader.graphql(ask, { network: 'ETH', address: BANK })).body.data).toEqual({ payoutRecipient: BANK });
    const key = 'mutation { createApiKey(input: { name: "Till", permissions: [READ_PAYMENTS] }) { keyId secret } }';
    const token = await exchange(gateway, (await owner.graphql(key)).body.data.createApiKey);
    refused(await graphql(gateway, token)(ask, { network: 'ETH', address: BANK }), 'READ_WALLET');
  });

  it('takes an address once under one key, and nothing without a confirmation', async () => {
    const keyed = () => graphql(gateway, owner.token)(ADD, { address: ELSEWHERE }, { 'idempotency-key': 'once' });
    const [first, second] = [await keyed(), await keyed()];
    expect(second.body.data).toEqual(first.body.data);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expectGraphQLError(await owner.graphql(ADD, { address: ELSEWHERE }), 200, 'BAD_USER_INPUT', '2001');
    expectGraphQLError(await owner.graphql(ADD, { address: 'rubbish' }), 200, 'BAD_USER_INPUT', '4002');
    const again = await signIn(gateway, owner.email);
    for (const answer of [
      await again.graphql(ADD, { address: BANK }),
      await again.graphql(UPDATE, { input: { version: 0, bookOnly: true } }),
      await again.graphql(APPROVE, { id: 'wdr_0' }),
    ])
      expectGraphQLError(answer, 200, 'FORBIDDEN', '1010');
  });
});

describe('the policy', () => {
  it('refuses what is elsewhere and over a limit, and says what is left', async () => {
    const changed = await policy({ bookOnly: true, limits: [LIMITS] });
    const limits = [{ ...LIMITS, currency: 'USDT', room: '15' }];
    expect(changed).toMatchObject({ version: 1, inForce: { bookOnly: true, limits }, pending: null });
    expectRefusal(await withdraw({ address: BANK }), 409, '4006');
    await owner.graphql(ADD, { address: BANK });
    expect(expectRefusal(await withdraw({ address: BANK, amount: '11' }), 409, '4007').message).toBe(
      'perPayout of USDT on ETH is 10 USDT; room: 10 USDT',
    );
    dataOf(await withdraw({ address: BANK, amount: '4' }), 201);
    expect(dataOf(await rest(gateway, owner.token)('GET', '/wallet/policy')).inForce.limits[0].room).toBe('11');
    const stale = await owner.graphql(UPDATE, { input: { version: 0, bookOnly: false } });
    expectGraphQLError(stale, 200, 'CONFLICT', '4008');
    for (const limits of [[LIMITS, LIMITS], [{ ...LIMITS, perDay: '0.0000001' }]])
      expectGraphQLError(await owner.graphql(UPDATE, { input: { version: 1, limits } }), 200, 'BAD_USER_INPUT', '2001');
    refused(await admin.graphql(UPDATE, { input: { version: 1, bookOnly: false } }), 'MANAGE_POLICY');
  });
});

describe('an approval', () => {
  it('is given by somebody else, and what waits is told', async () => {
    await policy({ limits: [LIMITS] });
    const key = await makeKey(owner);
    const { withdrawalId: id } = dataOf(await withdraw({ address: BANK, amount: '6' }, key), 201);
    expect((await admin.graphql(WAITING)).body.data.payoutsAwaitingApproval).toMatchObject([
      { id, status: 'AWAITING_APPROVAL', requestedBy: expect.stringMatching(/^pk_/) },
    ]);
    expectGraphQLError(await owner.graphql(APPROVE, { id }), 200, 'FORBIDDEN', '4010');
    expect((await admin.graphql(APPROVE, { id })).body.data).toEqual({ approvePayout: true });
    expectGraphQLError(await admin.graphql(REJECT, { id }), 200, 'CONFLICT', '4008');
    const { withdrawalId: other } = dataOf(await withdraw({ address: BANK, amount: '7' }, admin), 201);
    expect((await admin.graphql(REJECT, { id: other })).body.data).toEqual({ rejectPayout: true });
    const found = dataOf(await rest(gateway, owner.token)('GET', `/wallet/withdrawals/${String(other)}`));
    expect(found).toMatchObject({ status: 'REJECTED', failureReason: 'not ours' });
    const events = dataOf(await rest(gateway, owner.token)('GET', '/events?limit=100')).items as Json[];
    expect(events.flatMap(({ type, withdrawal }) => (withdrawal?.withdrawalId === other ? [type] : []))).toEqual([
      'withdrawal.requested',
      'withdrawal.rejected',
    ]);
  });

  it('is nothing for keys, nor is any other control', async () => {
    const key = await makeKey(owner);
    refused(await key.graphql(ADD, { address: BANK }), 'MANAGE_ADDRESSES');
    refused(await key.graphql(UPDATE, { input: { version: 0, bookOnly: false } }), 'MANAGE_POLICY');
    refused(await key.graphql('mutation { cancelPolicyChange { version } }'), 'MANAGE_POLICY');
    refused(await key.graphql(WAITING), 'APPROVE_PAYOUTS');
    refused(await key.graphql(APPROVE, { id: 'wdr_0' }), 'APPROVE_PAYOUTS');
    refused(await key.graphql(REJECT, { id: 'wdr_0' }), 'APPROVE_PAYOUTS');
    dataOf(await rest(gateway, key.token)('GET', '/wallet/policy'));
    dataOf(await rest(gateway, key.token)('GET', '/wallet/addresses'));
  });
});

describe('the events of payouts', () => {
  it('are in the log of everybody, and show the payout to those who may withdraw', async () => {
    dataOf(await withdraw({ address: BANK }), 201);
    const support = await addPerson('SUPPORT');
    const query = '{ events(first: 100) { items { sequence type withdrawal { id } } } }';
    const of = async ({ graphql: ask }: SignedIn) => (await ask(query)).body.data.events.items as Json[];
    const [all, some] = [await of(owner), await of(support)];
    const requested = ({ type }: Json) => type === 'withdrawal.requested';
    expect(all.find(requested)?.withdrawal).toEqual({ id: expect.stringMatching(/^wdr_/) });
    expect(some.find(requested)?.withdrawal).toBeNull();
    expect(some.slice(0, all.length).map(({ sequence }) => sequence)).toEqual(all.map(({ sequence }) => sequence));
  });
});
