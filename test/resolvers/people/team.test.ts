// People at a merchant: who may change whom, what holds when, and that the last owner stays (contract-people-payouts,
// section A).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exchange, graphql, rest, type Answer, type Json } from '../../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { confirm, join, signIn, signUp, type SignedIn } from '../../support/people.ts';
import { untilPasses } from '../../support/until.ts';
import type { Role } from '../../../src/values/member-permission.ts';

let gateway: BorrowedGateway;
let owner: SignedIn & { readonly merchantId: string };

beforeAll(async () => {
  gateway = await borrowGateway();
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
});
afterAll(() => gateway.stop());

const CHANGE = `mutation ($id: ID!, $role: Role!, $roleId: ID) {
  changeMember(id: $id, role: $role, roleId: $roleId) { id role customRole { name } approvesFrom }
}`;
const REMOVE = 'mutation ($id: ID!, $keys: Boolean) { removeMember(id: $id, revokeKeys: $keys) }';
const MAKE_ROLE = `mutation ($name: String!, $permissions: [MemberPermission!]!) {
  createRole(name: $name, permissions: $permissions) { id name permissions }
}`;
const ME = '{ me { id email name locale heldUntil memberships { merchant { id } role permissions } } }';

/** Somebody with a role, signed in and confirmed. */
async function addPerson(
  role: Role,
  more: { roleId?: string; joinedAt?: Date } = {},
): Promise<SignedIn & { id: string }> {
  const { id, email } = await join(gateway, { merchantId: owner.merchantId, role, ...more });
  const person = await signIn(gateway, email);
  await confirm(person);
  return { ...person, id };
}

const ownId = async ({ graphql: ask }: SignedIn): Promise<string> => (await ask(ME)).body.data.me.id;
const makeRole = async (name: string, permissions: readonly string[]): Promise<string> =>
  (await owner.graphql(MAKE_ROLE, { name, permissions })).body.data.createRole.id;
/** What no permission would help with. */
const refusals: Readonly<Record<string, string>> = {
  OWNER: "Only the account's owner may do this",
  PEOPLE: "Only the account's owner and its members may do this, signed in",
};
const refused = (answer: Answer, permission: string) =>
  expect(expectGraphQLError(answer, 200, 'FORBIDDEN', '1004').message).toBe(
    refusals[permission] ?? `Missing permission: ${permission}`,
  );

describe('somebody who registers', () => {
  it('is a person, and the owner of the merchant with all that members may do', async () => {
    const { me } = (await owner.graphql(ME)).body.data;
    expect(me).toMatchObject({ email: owner.email, name: '', locale: 'en', heldUntil: null });
    expect(me.id).toMatch(/^usr_[0-9a-z]{32}$/);
    const [membership, ...others] = me.memberships;
    expect([membership.merchant.id, membership.role, others]).toEqual([owner.merchantId, 'OWNER', []]);
    expect(membership.permissions).toHaveLength(15);
    const answer = await owner.graphql('mutation { updateProfile(name: "Ann", locale: "de") { name locale } }');
    expect(answer.body.data.updateProfile).toEqual({ name: 'Ann', locale: 'de' });
  });

  it('cannot register twice under one address, in any case', async () => {
    const again = { email: owner.email.toUpperCase(), companyName: 'Other', password: 'another good one' };
    expectRefusal(await rest(gateway)('POST', '/merchant/register', again), 409, '2009');
    const { body } = await owner.graphql('{ merchant { companyName } }');
    expect(body.data.merchant.companyName).toBe('Shop');
  });
});

describe('a member', () => {
  it('has what their role gives, from sign-in on', async () => {
    const viewer = await addPerson('VIEWER');
    dataOf(await rest(gateway, viewer.token)('GET', '/wallet/balance'));
    expectRefusal(await rest(gateway, viewer.token)('GET', '/webhooks'), 403, '1004');
    refused(await viewer.graphql('{ members { id } }'), 'MANAGE_PEOPLE');
    refused(await viewer.graphql('{ auditLog { nodes { id } } }'), 'READ_AUDIT');
    refused(await viewer.graphql(CHANGE, { id: viewer.id, role: 'OWNER' }), 'MANAGE_PEOPLE');
  });

  it('has another role within a second, in the session that is open', async () => {
    const person = await addPerson('VIEWER');
    const { changeMember } = (await owner.graphql(CHANGE, { id: person.id, role: 'DEVELOPER' })).body.data;
    expect(changeMember).toMatchObject({ id: person.id, role: 'DEVELOPER', customRole: null, approvesFrom: null });
    await untilPasses(async () => {
      dataOf(await rest(gateway, person.token)('GET', '/webhooks'));
      expectRefusal(await rest(gateway, person.token)('GET', '/wallet/balance'), 403, '1004');
    });
  });

  it('is out within a second, while their other merchants stay theirs', async () => {
    const person = await addPerson('ADMIN');
    const there = await signUp(gateway);
    await gateway.sql(
      `insert into membership (merchant_id, person_id, role, created_at) values ($1, $2, 'VIEWER', now())`,
      [there.merchantId, person.id],
    );
    expect((await owner.graphql(REMOVE, { id: person.id })).body.data).toEqual({ removeMember: true });
    await untilPasses(
      async () => expectRefusal(await rest(gateway, person.token)('GET', '/payments'), 401, '1002'),
      1_000,
    );
    const again = await signIn(gateway, person.email);
    expect((await again.graphql('{ merchant { id } }')).body.data.merchant.id).toBe(there.merchantId);
  });

  it('who belongs to no merchant any more is told so, with the right password alone', async () => {
    const person = await addPerson('ADMIN');
    await owner.graphql(REMOVE, { id: person.id });
    const LOGIN = `mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }`;
    const ask = (password: string) => graphql(gateway)(LOGIN, { email: person.email, password });
    expectGraphQLError(await ask('correct horse battery'), 200, 'FORBIDDEN', '1004');
    expectGraphQLError(await ask('something else'), 200, 'UNAUTHENTICATED', '1005');
  });
});

describe('nobody', () => {
  it('gives or takes what they lack themselves', async () => {
    const [admin, viewer] = [await addPerson('ADMIN'), await addPerson('VIEWER')];
    const first = await ownId(owner);
    refused(await admin.graphql(CHANGE, { id: viewer.id, role: 'OWNER' }), 'OWNER');
    refused(await admin.graphql(CHANGE, { id: first, role: 'VIEWER' }), 'OWNER');
    refused(await admin.graphql(REMOVE, { id: first }), 'OWNER');
    const keeper = await makeRole('Policy', ['MANAGE_POLICY', 'READ_WALLET']);
    refused(await admin.graphql(CHANGE, { id: viewer.id, role: 'CUSTOM', roleId: keeper }), 'MANAGE_POLICY');
    refused(await admin.graphql(MAKE_ROLE, { name: 'Mine', permissions: ['MANAGE_POLICY'] }), 'MANAGE_POLICY');
    const widen = `mutation ($id: ID!) { updateRole(id: $id, permissions: [READ_WALLET]) { id } }`;
    refused(await admin.graphql(widen, { id: keeper }), 'MANAGE_POLICY');
    const { body } = await admin.graphql(CHANGE, { id: viewer.id, role: 'ADMIN' });
    expect(body.data.changeMember.role).toBe('ADMIN');
  });

  it('changes people without a confirmation, whatever their session was opened for', async () => {
    const { email } = await join(gateway, { merchantId: owner.merchantId, role: 'ADMIN' });
    const admin = await signIn(gateway, email);
    const answers = [
      await admin.graphql(CHANGE, { id: 'usr_0', role: 'VIEWER' }),
      await admin.graphql(REMOVE, { id: 'usr_0' }),
      await admin.graphql(MAKE_ROLE, { name: 'Desk', permissions: ['READ_PAYMENTS'] }),
      await admin.graphql('mutation { updateRole(id: "rol_0", name: "Desk") { id } }'),
      await admin.graphql('mutation { deleteRole(id: "rol_0") }'),
    ];
    for (const answer of answers) expectGraphQLError(answer, 200, 'FORBIDDEN', '1010');
  });

  it('reaches the members or roles of another merchant', async () => {
    const there = await signUp(gateway, { isConfirmed: true });
    const [member, role] = [await addPerson('VIEWER'), await makeRole('Desk', ['READ_PAYMENTS'])];
    const notFound = (answer: Answer) => expectGraphQLError(answer, 200, 'NOT_FOUND', '2004');
    notFound(await there.graphql(CHANGE, { id: member.id, role: 'ADMIN' }));
    notFound(await there.graphql(REMOVE, { id: member.id }));
    notFound(await there.graphql('mutation ($id: ID!) { deleteRole(id: $id) }', { id: role }));
    notFound(await there.graphql('mutation ($id: ID!) { updateRole(id: $id, name: "x") { id } }', { id: role }));
    const own = { id: await ownId(there), role: 'CUSTOM', roleId: role };
    expectGraphQLError(await there.graphql(CHANGE, own), 200, 'BAD_USER_INPUT', '2001');
    expect((await there.graphql('{ customRoles { id } members { id } }')).body.data).toEqual({
      customRoles: [],
      members: [{ id: await ownId(there) }],
    });
  });

  it('with a key alone acts on people', async () => {
    const made = await owner.graphql(
      `mutation { createApiKey(input: { name: "Till", permissions: [READ_PAYMENTS, WITHDRAW] }) { keyId secret } }`,
    );
    const token = await exchange(gateway, made.body.data.createApiKey);
    refused(await graphql(gateway, token)('{ members { id } }'), 'MANAGE_PEOPLE');
    refused(await graphql(gateway, token)('{ auditLog { nodes { id } } }'), 'READ_AUDIT');
    for (const query of [
      ME,
      '{ sessions { id } }',
      'mutation { endOtherSessions }',
      'mutation { addMerchant(companyName: "x") { id } }',
    ])
      refused(await graphql(gateway, token)(query), 'PEOPLE');
  });
});

describe('the last owner', () => {
  it('stays, and another can be made first', async () => {
    const first = await ownId(owner);
    for (const leave of [
      await owner.graphql(CHANGE, { id: first, role: 'ADMIN' }),
      await owner.graphql(REMOVE, { id: first }),
    ])
      expectGraphQLError(leave, 200, 'CONFLICT', '2010');
    const second = await addPerson('ADMIN');
    await owner.graphql(CHANGE, { id: second.id, role: 'OWNER' });
    expect((await owner.graphql(CHANGE, { id: first, role: 'ADMIN' })).body.data.changeMember.role).toBe('ADMIN');
    const { merchant } = (await second.graphql('{ merchant { email } }')).body.data;
    expect(merchant.email).toBe(second.email);
  });

  it('stays when two owners take the role from each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const shop = await signUp(gateway, { isConfirmed: true });
      const joined = await join(gateway, { merchantId: shop.merchantId, role: 'OWNER' });
      const second = await signIn(gateway, joined.email);
      await confirm(second);
      await Promise.all([
        shop.graphql(CHANGE, { id: joined.id, role: 'VIEWER' }),
        second.graphql(round % 2 ? REMOVE : CHANGE, { id: await ownId(shop), role: 'VIEWER' }),
      ]);
      const left = await gateway.sql(`select from membership where merchant_id = $1 and role = 'OWNER'`, [
        shop.merchantId,
      ]);
      expect(left).toHaveLength(1);
    }
  });
});

describe('a custom role', () => {
  it('gives what it has to those who have it, and something else once it is changed', async () => {
    const roleId = await makeRole('Desk', ['CREATE_PAYMENTS', 'READ_PAYMENTS']);
    const clerk = await addPerson('CUSTOM', { roleId });
    dataOf(await rest(gateway, clerk.token)('GET', '/payments'));
    const change =
      'mutation ($id: ID!) { updateRole(id: $id, name: "Books", permissions: [READ_REPORTS]) { name permissions } }';
    const { updateRole } = (await owner.graphql(change, { id: roleId })).body.data;
    expect(updateRole).toEqual({ name: 'Books', permissions: ['READ_REPORTS'] });
    await untilPasses(async () => {
      dataOf(await rest(gateway, clerk.token)('GET', '/reports'));
      expectRefusal(await rest(gateway, clerk.token)('GET', '/payments'), 403, '1004');
    });
  });

  it('has a name of its own, goes once nobody has it, and there are twenty at most', async () => {
    const roleId = await makeRole('Desk', ['READ_PAYMENTS']);
    const twice = await owner.graphql(MAKE_ROLE, { name: 'DESK', permissions: ['READ_PAYMENTS'] });
    expectGraphQLError(twice, 200, 'BAD_USER_INPUT', '2001');
    const { id } = await addPerson('CUSTOM', { roleId });
    const drop = () => owner.graphql('mutation ($id: ID!) { deleteRole(id: $id) }', { id: roleId });
    expectGraphQLError(await drop(), 200, 'CONFLICT', '2011');
    await owner.graphql(CHANGE, { id, role: 'VIEWER' });
    expect((await drop()).body.data).toEqual({ deleteRole: true });
    for (let nth = 0; nth < 20; nth += 1) await makeRole(`Role ${String(nth)}`, ['READ_PAYMENTS']);
    const surplus = await owner.graphql(MAKE_ROLE, { name: 'One more', permissions: ['READ_PAYMENTS'] });
    expectGraphQLError(surplus, 200, 'BAD_USER_INPUT', '2001');
  });

  it('is named with CUSTOM and with no other role', async () => {
    const { id } = await addPerson('VIEWER');
    for (const given of [{ role: 'CUSTOM' }, { role: 'ADMIN', roleId: await makeRole('Desk', ['READ_PAYMENTS']) }])
      expectGraphQLError(await owner.graphql(CHANGE, { id, ...given }), 200, 'BAD_USER_INPUT', '2001');
  });
});

describe('keys', () => {
  const MAKE =
    'mutation ($permissions: [Permission!]!) { createApiKey(input: { name: "k", permissions: $permissions }) { keyId secret } }';

  it('are made by those who may manage keys, with nothing that they lack', async () => {
    const [support, developer] = [await addPerson('SUPPORT'), await addPerson('DEVELOPER')];
    refused(await support.graphql(MAKE, { permissions: ['READ_PAYMENTS'] }), 'MANAGE_KEYS');
    refused(await developer.graphql(MAKE, { permissions: ['WITHDRAW'] }), 'WITHDRAW');
    expect((await developer.graphql(MAKE, { permissions: ['READ_PAYMENTS'] })).body.data.createApiKey.keyId).toMatch(
      /^pk_/,
    );
  });

  it('end with the member who made them, those made by them too, if that is wanted', async () => {
    const developer = await addPerson('DEVELOPER');
    const make = async (ask: SignedIn['graphql']): Promise<{ keyId: string; secret: string }> =>
      (await ask(MAKE, { permissions: ['READ_PAYMENTS'] })).body.data.createApiKey;
    const key = await make(developer.graphql);
    const token = await exchange(gateway, key);
    const [child, other] = [await make(graphql(gateway, token)), await make(owner.graphql)];
    await owner.graphql(REMOVE, { id: developer.id, keys: true });
    for (const { keyId, secret } of [key, child])
      expectRefusal(await rest(gateway)('POST', '/auth/token', { keyId, secret }), 401, '1006');
    dataOf(await rest(gateway)('POST', '/auth/token', other));
    const { nodes } = (await owner.graphql('{ auditLog(first: 1) { nodes { action actor target details } } }')).body
      .data.auditLog;
    expect(nodes).toEqual([
      {
        ...{ action: 'MEMBER_REMOVED', actor: await ownId(owner), target: developer.id },
        details: {
          email: developer.email,
          role: 'DEVELOPER',
          revokedKeys: expect.arrayContaining([key.keyId, child.keyId]),
        },
      },
    ]);
  });
});

describe('several merchants', () => {
  const ADD = 'mutation { addMerchant(companyName: "Second") { id companyName email } }';
  const SWITCH = 'mutation ($id: ID!) { switchMerchant(merchantId: $id) { accessToken permissions } }';

  it('belong to one person, who goes from one to the other and finds the last one again', async () => {
    const { addMerchant } = (await owner.graphql(ADD)).body.data;
    expect(addMerchant).toMatchObject({ companyName: 'Second', email: owner.email });
    expect((await owner.graphql('{ merchant { id } }')).body.data.merchant.id).toBe(owner.merchantId);
    const { switchMerchant } = (await owner.graphql(SWITCH, { id: addMerchant.id })).body.data;
    expect(switchMerchant.permissions).toHaveLength(8);
    const there = graphql(gateway, switchMerchant.accessToken);
    expect((await there('{ merchant { id } }')).body.data.merchant.id).toBe(addMerchant.id);
    const again = await signIn(gateway, owner.email);
    expect((await again.graphql('{ merchant { id } }')).body.data.merchant.id).toBe(addMerchant.id);
    const memberships = (await again.graphql(ME)).body.data.me.memberships as readonly Json[];
    expect(memberships.map(({ merchant }) => merchant.id)).toEqual([owner.merchantId, addMerchant.id]);
    expect((await owner.graphql('{ sessions { isCurrent } }')).body.data.sessions).toHaveLength(2);
    expect((await owner.graphql('mutation { endOtherSessions }')).body.data.endOtherSessions).toBe(1);
  });

  it('are made once under one key', async () => {
    const keyed = () => graphql(gateway, owner.token)(ADD, {}, { 'idempotency-key': 'once' });
    const [first, second] = [await keyed(), await keyed()];
    expect(second.body.data).toEqual(first.body.data);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect((await owner.graphql(ME)).body.data.me.memberships).toHaveLength(2);
  });

  it('of others cannot be gone to', async () => {
    const other = await signUp(gateway);
    for (const id of [other.merchantId, 'mer_0'])
      expectGraphQLError(await owner.graphql(SWITCH, { id }), 200, 'NOT_FOUND', '2004');
  });
});

describe('the right to approve payouts', () => {
  let slow: BorrowedGateway;
  beforeAll(async () => {
    slow = await borrowGateway({ PAYOUT_HOLD_HOURS: '24' });
  });
  afterAll(() => slow.stop());

  it('begins after the hold for those who newly get it, and goes on for those who had it', async () => {
    const boss = await signUp(slow, { isConfirmed: true });
    const { id } = await join(slow, { merchantId: boss.merchantId, role: 'VIEWER' });
    const give = async (role: Role): Promise<string | null> =>
      (await boss.graphql(CHANGE, { id, role })).body.data.changeMember.approvesFrom;
    const from = await give('ADMIN');
    const hours = (Date.parse(from ?? '') - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.5);
    expect(hours).toBeLessThanOrEqual(24.1);
    expect(await give('OWNER')).toBe(from);
    expect(await give('VIEWER')).toBeNull();
    const { members } = (await boss.graphql('{ members { role approvesFrom } }')).body.data;
    expect(Date.parse(members[0].approvesFrom)).toBeLessThanOrEqual(Date.now() + 60_000);
  });
});
