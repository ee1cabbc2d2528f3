// Operators' actions: at once up to a threshold, above it by two operators (contract-people-payouts, section B).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, USDT_PAYMENT, type Answer, type Json, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectGraphQLError } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { newOperator } from '../../support/operators.ts';
import type { SignedIn } from '../../support/people.ts';
import { until } from '../../support/until.ts';

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';
type Operator = SignedIn & { readonly id: string };

let gateway: BorrowedGateway;
let shop: TestMerchant;
let [ada, ben]: Operator[] = [];

beforeAll(async () => {
  gateway = await borrowGateway({ ETH_COLD_ADDRESS: COLD, OPERATOR_APPROVAL_ABOVE: 'USDT/ETH=5' });
  shop = await newMerchant(gateway);
  [ada, ben] = [await newOperator(gateway), await newOperator(gateway)];
  const { orderId } = dataOf(await shop.rest('POST', '/payments', { ...USDT_PAYMENT, amount: '5000' }), 201);
  dataOf(await shop.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`, {}));
  await until(async () => dataOf(await shop.rest('GET', `/payments/${String(orderId)}`)).status === 'SUCCEEDED');
});
afterAll(() => gateway.stop());

const FIELDS = 'id kind status amount target requestedBy decidedBy reason';
const by = (who: Operator | undefined) => {
  if (!who) throw new Error('There is no such operator');
  const ask = (mutation: string, variables: object = {}) => who.graphql(mutation, variables);
  return {
    id: who.id,
    fees: (amount: string, headers = {}) =>
      who.graphql(`mutation { withdrawFees(network: "eth", currency: "usdt", amount: "${amount}") { ${FIELDS} } }`, {}, headers), // prettier-ignore
    fail: (id: string) => ask(`mutation { failPayout(id: "${id}", reason: "why") { ${FIELDS} } }`),
    suspense: (name: 'creditSuspense' | 'writeOffSuspense', input: object) =>
      ask(`mutation ($input: SuspenseInput!) { ${name}(input: $input) { ${FIELDS} } }`, { input }),
    approve: (id: string) => ask(`mutation { approveAction(id: "${id}") { ${FIELDS} } }`),
    reject: (id: string) => ask(`mutation { rejectAction(id: "${id}", reason: "no") { ${FIELDS} } }`),
    ask,
  };
};
const dataIn = ({ body }: Answer): Json => Object.values(body.data)[0];
const funds = async (): Promise<Json> => {
  const { body } = await by(ada).ask('{ gatewayFunds { currency network fees withdrawable suspense } }');
  return (body.data.gatewayFunds as Json[]).find(({ currency }) => currency === 'USDT') ?? {};
};

describe('an action of an operator', () => {
  it('up to the threshold is done at once, and goes to the cold address alone', async () => {
    const before = Number((await funds()).fees);
    const done = dataIn(await by(ada).fees('5'));
    expect(done).toMatchObject({ kind: 'WITHDRAW_FEES', status: 'DONE', amount: '5', requestedBy: by(ada).id, decidedBy: null }); // prettier-ignore
    const [payout] = await gateway.sql('select address, reference, kind from payout where id = $1', [done.target]);
    expect(payout).toEqual({ address: COLD, reference: `action/${String(done.id)}`, kind: 'FEES' });
    expect(Number((await funds()).fees)).toBe(before - 5);
  });

  it('above it waits, moves nothing, and is done by the approval of another operator', async () => {
    const before = await funds();
    const waiting = dataIn(await by(ada).fees('6'));
    expect(waiting).toMatchObject({ status: 'PENDING', target: null });
    expect(await funds()).toEqual(before);
    expectGraphQLError(await by(ada).approve(waiting.id as string), 200, 'FORBIDDEN', '4010');
    const done = dataIn(await by(ben).approve(waiting.id as string));
    expect(done).toMatchObject({ status: 'DONE', decidedBy: by(ben).id, target: expect.stringMatching(/^fee_/) });
    expectGraphQLError(await by(ben).approve(waiting.id as string), 200, 'CONFLICT', '4008');
    const list = '{ operatorActions(first: 1) { nodes { id status decidedBy } } }';
    expect((await by(ada).ask(list)).body.data.operatorActions.nodes).toEqual([
      { id: waiting.id, status: 'DONE', decidedBy: by(ben).id },
    ]);
  });

  it('of ten approvals at once, one wins', async () => {
    const { id } = dataIn(await by(ada).fees('6'));
    const answers = await Promise.all(Array.from({ length: 10 }, () => by(ben).approve(id as string)));
    expect(answers.filter(({ body }) => body.data !== null)).toHaveLength(1);
    const paid = await gateway.sql('select id from payout where reference = $1', [`action/${String(id)}`]);
    expect(paid).toHaveLength(1);
  });

  it('is checked anew: what cannot be done any more waits on, and can be rejected, by its requester too', async () => {
    const { id } = dataIn(await by(ada).fees('6'));
    const freeze = dataIn(await by(ada).ask('mutation { freezePayouts(input: { network: "ETH", currency: "USDT", reason: "x" }) { id } }')); // prettier-ignore
    expectGraphQLError(await by(ben).approve(id as string), 200, 'UNAVAILABLE', '4009');
    await by(ada).ask(`mutation { liftFreeze(id: "${String(freeze.id)}") }`);
    expect(dataIn(await by(ada).reject(id as string))).toMatchObject({ status: 'REJECTED', decidedBy: by(ada).id });
    expectGraphQLError(await by(ben).approve(id as string), 200, 'CONFLICT', '4008');
    expectGraphQLError(await by(ada).fees('1000000'), 200, 'CONFLICT', '4001');
  });

  it('expires after 72 hours, by the clock', async () => {
    const { id } = dataIn(await by(ada).fees('6'));
    await gateway.sql(`update operator_action set expires_at = now() - interval '1 second' where id = $1`, [id]);
    expectGraphQLError(await by(ben).approve(id as string), 200, 'CONFLICT', '4008');
    const list = '{ operatorActions(first: 1) { nodes { id status } } }';
    expect((await by(ada).ask(list)).body.data.operatorActions.nodes).toEqual([{ id, status: 'EXPIRED' }]);
  });

  it('is made once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'fees-1' };
    const [one, two] = [dataIn(await by(ada).fees('1', headers)), dataIn(await by(ada).fees('1', headers))];
    expect(two).toEqual(one);
    expectGraphQLError(await by(ada).fees('2', headers), 200, 'BAD_USER_INPUT', '2002');
  });

  it('that names what is not there is refused', async () => {
    for (const id of ['act_0', 'x\\u0000', `act_${'0'.repeat(32)}`])
      expectGraphQLError(await by(ben).approve(id), 200, 'NOT_FOUND', '2004');
    expectGraphQLError(await by(ada).fail('wdr_none'), 200, 'NOT_FOUND', '2004');
    const input = { network: 'ETH', currency: 'USDT', amount: '1', reason: 'found' };
    expectGraphQLError(await by(ada).suspense('creditSuspense', input), 200, 'BAD_USER_INPUT', '2001');
    const paid = { ...input, paymentId: 'ord_none' };
    expectGraphQLError(await by(ada).suspense('creditSuspense', paid), 200, 'NOT_FOUND', '2004');
    expectGraphQLError(await by(ada).suspense('writeOffSuspense', paid), 200, 'BAD_USER_INPUT', '2001');
    expectGraphQLError(await by(ada).suspense('writeOffSuspense', input), 200, 'CONFLICT', '4001');
    const nowhere = 'mutation { withdrawFees(network: "POLYGON", currency: "USDT", amount: "1") { id } }';
    expectGraphQLError(await by(ada).ask(nowhere), 200, 'BAD_USER_INPUT', '4002');
  });
});
