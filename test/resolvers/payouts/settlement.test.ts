// Rules of settlement over the API: who may save them, what is wrong with one, and what it pays on a real chain.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql, rest, type Answer, type Json } from '../../support/clients.ts';
import { dataOf, expectGraphQLError } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { confirm, join, signIn, signUp, type SignedIn } from '../../support/people.ts';
import { until } from '../../support/until.ts';

const BANK = '0x52908400098527886E0F7030069857D2E4169EE7';
const RULE = '{ id currency network threshold keep schedule hour day enabled address { id status } }';
const SAVE = `mutation ($input: SettlementInput!) { saveSettlementRule(input: $input) ${RULE} }`;
const ADD = 'mutation ($a: String!, $n: String!) { addPayoutAddress(network: $n, address: $a, label: "Bank") { id } }';
const DELETE = 'mutation ($id: ID!) { deleteSettlementRule(id: $id) }';

let gateway: BorrowedGateway;
let owner: SignedIn & { readonly merchantId: string };
let addressId: string;

beforeAll(async () => {
  gateway = await borrowGateway();
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
  addressId = await addAddress();
});
afterAll(() => gateway.stop());

const addAddress = async (a = BANK, n = 'ETH'): Promise<string> =>
  (await owner.graphql(ADD, { a, n })).body.data.addPayoutAddress.id;
const input = (fields: object = {}) => ({
  ...{ currency: 'usdt', network: 'erc20', addressId, threshold: '10', schedule: 'ON_THRESHOLD', ...fields },
});
const save = (fields: object = {}): Promise<Answer> => owner.graphql(SAVE, { input: input(fields) });
const rules = async () => (await owner.graphql(`{ settlementRules ${RULE} }`)).body.data.settlementRules as Json[];

it('a rule pays the balance out once it has reached its threshold', async () => {
  const { saveSettlementRule: rule } = (await save({ keep: '2' })).body.data;
  expect(rule).toEqual({
    ...{ id: expect.stringMatching(/^stl_/), currency: 'USDT', network: 'ETH', threshold: '10', keep: '2' },
    ...{ schedule: 'ON_THRESHOLD', hour: null, day: null, enabled: true, address: { id: addressId, status: 'ACTIVE' } },
  });
  const order = { amount: '25', currency: 'USDT', network: 'ETH' };
  const { orderId } = dataOf(await rest(gateway, owner.token)('POST', '/payments', order), 201);
  dataOf(await rest(gateway, owner.token)('POST', `/sandbox/payments/${String(orderId)}/deposit`, {}));
  const paid = await until(async () => {
    const found = dataOf(await rest(gateway, owner.token)('GET', '/wallet/withdrawals'));
    return (found.items as Json[]).find(({ status }) => status === 'COMPLETED') ?? null;
  });
  // 25 less 1 percent, and 2 stay.
  expect(paid).toMatchObject({ amount: '22.75', networkFee: '0', address: BANK, addressId });
  expect(await rules()).toEqual([rule]);
  expect((await owner.graphql(DELETE, { id: rule.id })).body.data).toEqual({ deleteSettlementRule: true });
  expect(await rules()).toEqual([]);
  expectGraphQLError(await owner.graphql(DELETE, { id: rule.id }), 200, 'NOT_FOUND', '2004');
});

describe('a rule is refused', () => {
  it.each([
    [{ schedule: 'DAILY' }, ['input.hour']],
    [{ hour: 3 }, ['input.hour']],
    [{ schedule: 'WEEKLY', hour: 3 }, ['input.day']],
    [{ schedule: 'WEEKLY', hour: 3, day: 8 }, ['input.day']],
    [{ schedule: 'DAILY', hour: 3, day: 1 }, ['input.day']],
    [{ schedule: 'MONTHLY', hour: 24, day: 29 }, ['input.hour', 'input.day']],
    [{ threshold: '0.0000001', keep: '1.0000001' }, ['input.threshold', 'input.keep']],
    [{ threshold: '-1', keep: 'x' }, ['input.threshold', 'input.keep']],
  ])('%j', async (fields, paths) => {
    const error = expectGraphQLError(await save(fields), 200, 'BAD_USER_INPUT', '2001');
    const { details } = error.extensions as { details: Json[] };
    expect(details.map(({ path }) => path)).toEqual(paths);
  });

  it('for assets that there are not, and addresses that are not there or elsewhere', async () => {
    expectGraphQLError(await save({ currency: 'XYZ' }), 200, 'BAD_USER_INPUT', '3001');
    expectGraphQLError(await save({ addressId: 'adr_none' }), 200, 'NOT_FOUND', '2004');
    expectGraphQLError(await save({ network: 'POLYGON' }), 200, 'BAD_USER_INPUT', '2001');
    expect(await rules()).toEqual([]);
  });

  it('from those who may not, and from sessions that nobody confirmed', async () => {
    const refused = (answer: Answer, permission: string) =>
      expect(expectGraphQLError(answer, 200, 'FORBIDDEN', '1004').message).toBe(`Missing permission: ${permission}`);
    const { email } = await join(gateway, { merchantId: owner.merchantId, role: 'ACCOUNTANT' });
    const accountant = await signIn(gateway, email);
    await confirm(accountant);
    refused(await accountant.graphql(SAVE, { input: input() }), 'MANAGE_ADDRESSES');
    expect((await accountant.graphql(`{ settlementRules ${RULE} }`)).body.data).toEqual({ settlementRules: [] });
    const again = await signIn(gateway, owner.email);
    expectGraphQLError(await again.graphql(SAVE, { input: input() }), 200, 'FORBIDDEN', '1010');
    expectGraphQLError(await again.graphql(DELETE, { id: 'stl_0' }), 200, 'FORBIDDEN', '1010');
  });

  it('not under the key that it was saved under: it answers the same', async () => {
    const keyed = () => graphql(gateway, owner.token)(SAVE, { input: input() }, { 'idempotency-key': 'rule' });
    const [first, second] = [await keyed(), await keyed()];
    expect(second.body.data).toEqual(first.body.data);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });
});
