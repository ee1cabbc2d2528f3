// What people are told by mail of their own account, and owners of what changes who may move money.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql, type Json } from '../../support/clients.ts';
import { letTimePass, setUpTotp } from '../../support/factors.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { mailsTo, secretTo } from '../../support/mailbox.ts';
import { join, PASSWORD, signUp, type SignedIn } from '../../support/people.ts';

const BANK = '0x52908400098527886E0F7030069857D2E4169EE7';

let gateway: BorrowedGateway;
let owner: SignedIn & { readonly merchantId: string };

beforeAll(async () => {
  gateway = await borrowGateway();
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
});
afterAll(() => gateway.stop());

/** The templates of the mails to somebody, newest first, but for the one that confirms their address. */
const templatesTo = async ({ email }: Pick<SignedIn, 'email'>): Promise<string[]> =>
  (await mailsTo(gateway, email)).map(({ template }) => template).filter((template) => template !== 'VERIFY_EMAIL');
const textTo = async ({ email }: Pick<SignedIn, 'email'>): Promise<string> =>
  (await mailsTo(gateway, email))[0]?.text ?? '';
const done = async ({ graphql: ask }: Pick<SignedIn, 'graphql'>, document: string, variables = {}): Promise<Json> => {
  const { body } = await ask(document, variables);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
};

describe('somebody is told', () => {
  it('that their password was changed', async () => {
    const change = 'mutation ($p: String!) { changePassword(current: $p, password: "another good password") }';
    await done(owner, change, { p: PASSWORD });
    expect(await templatesTo(owner)).toEqual(['PASSWORD_CHANGED']);
  });

  it('that a factor was added, recovery codes were made and used, and it was removed', async () => {
    const app = await setUpTotp(owner);
    expect(await templatesTo(owner)).toEqual(['FACTOR_CHANGED']);
    const { newRecoveryCodes } = await done(owner, 'mutation { newRecoveryCodes }');
    const login = `mutation ($e: String!, $p: String!, $c: String!) {
      login(email: $e, password: $p, code: $c) { accessToken } }`;
    const who = { e: owner.email, p: PASSWORD };
    await letTimePass(gateway, app);
    await done({ graphql: graphql(gateway) }, login, { ...who, c: app.code() });
    expect(await templatesTo(owner)).toHaveLength(2);
    await done({ graphql: graphql(gateway) }, login, { ...who, c: newRecoveryCodes[0] as string });
    expect(await templatesTo(owner)).toHaveLength(3);
    await done(owner, 'mutation ($id: ID!) { removeFactor(id: $id) }', { id: app.id });
    expect(await templatesTo(owner)).toEqual(Array.from({ length: 4 }, () => 'FACTOR_CHANGED'));
  });
});

describe('owners are told', () => {
  it('of members who come, change and go, and of those who may approve payouts', async () => {
    const invite = 'mutation ($email: String!) { inviteMember(input: { email: $email, role: ACCOUNTANT }) { id } }';
    const email = `bo-${owner.merchantId.slice(-8)}@shop.example`;
    await done(owner, invite, { email });
    const accept =
      'mutation ($t: String!) { acceptInvitation(token: $t, password: "a sentence of their own") { accessToken } }';
    await done({ graphql: graphql(gateway) }, accept, { t: await secretTo(gateway, email) });
    expect(await templatesTo(owner)).toEqual(['MEMBER_CHANGED']);
    expect(await textTo(owner)).toContain(`${owner.email.toLowerCase()} changed what ${email} may do at Shop`);
    const { members } = await done(owner, '{ members { id email } }');
    const { id } = (members as Json[]).find((member) => member.email === email) as { id: string };
    const change = 'mutation ($id: ID!, $role: Role!) { changeMember(id: $id, role: $role) { approvesFrom } }';
    await done(owner, change, { id, role: 'ADMIN' });
    expect((await templatesTo(owner)).slice(0, 2).sort()).toEqual(['APPROVER_ADDED', 'MEMBER_CHANGED']);
    await done(owner, change, { id, role: 'OWNER' });
    expect((await templatesTo({ email })).filter((template) => template === 'MEMBER_CHANGED')).toHaveLength(2);
    await done(owner, 'mutation ($id: ID!) { removeMember(id: $id) }', { id });
    expect((await templatesTo({ email })).filter((template) => template === 'MEMBER_CHANGED')).toHaveLength(3);
    expect((await templatesTo(owner)).filter((template) => template === 'APPROVER_ADDED')).toHaveLength(1);
  });

  it('of a role that gives its members the right to approve', async () => {
    const make = 'mutation { createRole(name: "Till", permissions: [READ_PAYMENTS]) { id } }';
    const { id } = (await done(owner, make)).createRole as { id: string };
    const { email } = await join(gateway, { merchantId: owner.merchantId, role: 'CUSTOM', roleId: id });
    const change = `mutation ($id: ID!) { updateRole(id: $id, permissions: [READ_PAYMENTS, APPROVE_PAYOUTS]) { id } }`;
    for (let nth = 0; nth < 2; nth += 1) await done(owner, change, { id });
    expect((await templatesTo(owner)).sort()).toEqual(['APPROVER_ADDED', 'MEMBER_CHANGED', 'MEMBER_CHANGED']);
    const mails = await mailsTo(gateway, owner.email);
    expect(mails.find(({ template }) => template === 'APPROVER_ADDED')?.subject).toBe(
      `${email} may approve payouts of Shop`,
    );
  });

  it('of keys that may withdraw, and from where', async () => {
    const make = 'mutation ($p: [Permission!]!) { createApiKey(input: { name: "Till", permissions: $p }) { keyId } }';
    await done(owner, make, { p: ['READ_PAYMENTS'] });
    expect(await templatesTo(owner)).toEqual([]);
    const { keyId } = (await done(owner, make, { p: ['WITHDRAW'] })).createApiKey as { keyId: string };
    expect(await templatesTo(owner)).toEqual(['KEY_WITH_WITHDRAW']);
    const change = (input: string) =>
      done(owner, `mutation ($k: ID!) { updateApiKey(keyId: $k, input: { ${input} }) { keyId } }`, { k: keyId });
    await change('name: "Other"');
    expect(await templatesTo(owner)).toHaveLength(1);
    await change('ipWhitelist: ["10.0.0.1"]');
    expect(await templatesTo(owner)).toHaveLength(2);
    expect(await textTo(owner)).toContain('the key "Other" of Shop');
  });

  it('of new addresses, as those who look after them are, and of rules that get looser', async () => {
    const { id, email } = await join(gateway, { merchantId: owner.merchantId, role: 'ADMIN' });
    await gateway.sql('update person set locale = $2 where id = $1', [id, 'de']);
    const add = `mutation ($a: String!) { addPayoutAddress(network: "ETH", address: $a, label: "Bank") { id } }`;
    await done(owner, add, { a: BANK });
    expect([await templatesTo(owner), await templatesTo({ email })]).toEqual([['ADDRESS_ADDED'], ['ADDRESS_ADDED']]);
    expect((await mailsTo(gateway, email))[0]?.text).not.toBe((await mailsTo(gateway, owner.email))[0]?.text);
    const update =
      'mutation ($v: Int!, $b: Boolean!) { updatePayoutPolicy(input: { version: $v, bookOnly: $b }) { version } }';
    await done(owner, update, { v: 0, b: true });
    expect(await templatesTo(owner)).toHaveLength(1);
    await done(owner, update, { v: 1, b: false });
    expect(await templatesTo(owner)).toEqual(['POLICY_LOOSENED', 'ADDRESS_ADDED']);
    expect(await templatesTo({ email })).toEqual(['ADDRESS_ADDED']);
  });

  it('ten times in an hour of one kind, whatever somebody does', async () => {
    const make = 'mutation { createApiKey(input: { name: "Till", permissions: [WITHDRAW] }) { keyId } }';
    await gateway.sql('update person set email_verified_at = now() where email = $1', [owner.email.toLowerCase()]);
    for (let nth = 0; nth < 12; nth += 1) await done(owner, make);
    expect(await templatesTo(owner)).toHaveLength(10);
  });
});
