// The operator's log over the API: who sees it, what it says, and what it leaves out.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, type Json, type TestMerchant } from '../../support/clients.ts';
import { expectGraphQLError } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { newOperator } from '../../support/operators.ts';
import type { SignedIn } from '../../support/people.ts';

let gateway: BorrowedGateway;
let operator: SignedIn & { readonly id: string };
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
  operator = await newOperator(gateway);
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const LOG = `query ($first: Int, $after: String) { operatorLog(first: $first, after: $after) {
  nodes { at actor action target details } pageInfo { hasNextPage endCursor }
} }`;
const log = async (variables: object = {}): Promise<Json> =>
  (await operator.graphql(LOG, variables)).body.data.operatorLog;
const freeze = () =>
  operator.graphql(
    `mutation { freezePayouts(input: { merchantId: "${shop.id}", reason: "asked by their bank" }) { id } }`,
  );

describe("the operator's log", () => {
  it('says who did what to what, newest first, a page at a time', async () => {
    const { id } = (await freeze()).body.data.freezePayouts;
    await operator.graphql(`mutation { liftFreeze(id: "${String(id)}") }`);
    const first = await log({ first: 1 });
    expect(first.nodes).toMatchObject([{ actor: operator.email, action: 'PAYOUTS_UNFROZEN', target: id }]);
    const { hasNextPage, endCursor } = first.pageInfo;
    expect(hasNextPage).toBe(true);
    const { nodes } = await log({ after: endCursor, first: 1 });
    expect(nodes).toMatchObject([{ actor: operator.email, action: 'PAYOUTS_FROZEN', target: id }]);
    expect(JSON.stringify(nodes[0].details)).toContain('asked by their bank');
  });

  it('leaves out what was only looked at, which is kept once an hour however often a page looks', async () => {
    const look = () => operator.graphql('{ networkHealth { network } payoutFreezes { id } }');
    for (let nth = 0; nth < 5; nth += 1) await look();
    const kept = await gateway.sql(
      `select action, count(*)::int from operator_log where actor = $1 and action like '%READ' group by 1 order by 1`,
      [operator.id],
    );
    expect(kept).toEqual([
      { action: 'FREEZES_READ', count: 1 },
      { action: 'HEALTH_READ', count: 1 },
    ]);
    const { nodes } = await log({ first: 100 });
    expect((nodes as Json[]).filter(({ action }) => String(action).endsWith('_READ'))).toEqual([]);
  });

  it('is for operators alone', async () => {
    const { message } = expectGraphQLError(await shop.graphql(LOG), 200, 'FORBIDDEN', '1004');
    expect(message).toBe('Missing permission: OPERATOR');
  });
});
