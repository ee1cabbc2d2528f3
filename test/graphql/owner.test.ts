// The owner: signing in, sessions, password, and the audit log.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { graphql, newEmail, rest, type GraphQL, type Json } from '../support/clients.ts';
import { dataOf, expectGraphQLError } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { untilPasses } from '../support/until.ts';

let gateway: BorrowedGateway;
const PASSWORD = 'correct horse battery';
const LOGIN = `mutation ($email: String!, $password: String!) {
  login(email: $email, password: $password) { accessToken tokenType expiresIn expiresAt permissions }
}`;

beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

async function register(): Promise<{ email: string; keyToken: string }> {
  const email = newEmail();
  const { apiKey } = dataOf(
    await rest(gateway)('POST', '/merchant/register', { email, companyName: 'Shop', password: PASSWORD }),
    201,
  );
  const { keyId, secret } = apiKey as { keyId: string; secret: string };
  const { accessToken } = dataOf(await rest(gateway)('POST', '/auth/token', { keyId, secret }));
  return { email, keyToken: accessToken as string };
}

const login = (email: string, password = PASSWORD) => graphql(gateway)(LOGIN, { email, password });

async function signIn(email: string, password = PASSWORD): Promise<{ token: string; owner: GraphQL }> {
  const { body } = await login(email, password);
  const token = body.data.login.accessToken as string;
  return { token, owner: graphql(gateway, token) };
}

const valueOf = async (by: GraphQL, query: string, variables?: Json): Promise<Json> => {
  const { body } = await by(query, variables);
  expect(body.errors).toBeUndefined();
  return Object.values(body.data as object)[0];
};

describe('login', () => {
  it('answers a token with all eight permissions, of no key, for REST as well; the e-mail in any case', async () => {
    const { email } = await register();
    const { body } = await login(email.toUpperCase());
    const { accessToken, ...token } = body.data.login;
    expect(token).toMatchObject({ tokenType: 'Bearer', expiresIn: 86_400, permissions: PERMISSIONS });
    dataOf(await rest(gateway, accessToken as string)('GET', '/wallet/balance'));
    const created = await rest(gateway, accessToken as string)('POST', '/merchant/api-keys', {
      name: 'All',
      permissions: PERMISSIONS,
    });
    expect(created.status).toBe(201);
  });

  it('tells an unknown e-mail address, a wrong password and an account without one apart in nothing', async () => {
    const { email } = await register();
    const bare = newEmail();
    await rest(gateway)('POST', '/merchant', { email: bare, companyName: 'Shop' });
    const headers = { 'x-request-id': 'same' };
    const texts = await Promise.all(
      [
        [email, 'wrong password'],
        [newEmail(), PASSWORD],
        [bare, PASSWORD],
        ['no e-mail\0', PASSWORD],
        ['', ''],
      ].map(async ([address, password]) => (await graphql(gateway)(LOGIN, { email: address, password }, headers)).text),
    );
    expect(new Set(texts).size).toBe(1);
    expectGraphQLError(await login(email, 'wrong password'), 200, 'UNAUTHENTICATED', '1005');
  });

  it('takes as long for an address that nobody has as for a wrong password, give or take', async () => {
    const { email } = await register();
    const time = async (address: string) => {
      const startedAt = performance.now();
      await login(address, 'wrong password');
      return performance.now() - startedAt;
    };
    await time(newEmail());
    const [unknown, known]: [number[], number[]] = [[], []];
    const ask = [async () => unknown.push(await time(newEmail())), async () => known.push(await time(email))] as const;
    const ratio = () => Math.min(...unknown) / Math.min(...known);
    const isAlike = () => ratio() > 0.3 && ratio() < 3.3;
    // Measured in turn, each first every other time, so that other load of the machine affects both. Load can only slow
    // an answer down, so the fastest of each are compared; a busy machine needs more rounds.
    for (let n = 0; n < 10 || (n < 100 && !isAlike()); n += 1)
      for (const nth of n % 2 === 0 ? [0, 1] : [1, 0]) await ask[nth as 0 | 1]();
    expect(ratio()).toBeGreaterThan(0.3);
    expect(ratio()).toBeLessThan(3.3);
  });
});

describe('sessions', () => {
  it('are listed to their owner and end by logout, their tokens within a second', async () => {
    const { email } = await register();
    const [one, two] = [await signIn(email), await signIn(email)];
    const sessions = await valueOf(one.owner, '{ sessions { id createdAt expiresAt ip isCurrent } }');
    expect(sessions.map((session: Json) => session.isCurrent)).toEqual([false, true]);
    expect(await valueOf(one.owner, 'mutation { logout }')).toBe(true);
    await untilPasses(async () =>
      expectGraphQLError(await one.owner('{ sessions { id } }'), 401, 'UNAUTHENTICATED', '1002'),
    );
    expect(await valueOf(two.owner, '{ sessions { id } }')).toHaveLength(1);
  });

  it('can be ended from another one, and only by their owner', async () => {
    const { email } = await register();
    const [one, two] = [await signIn(email), await signIn(email)];
    const stranger = await signIn((await register()).email);
    const [{ id }] = (await valueOf(two.owner, '{ sessions { id isCurrent } }')).filter(
      (session: Json) => !session.isCurrent,
    );
    const END = 'mutation ($id: ID!) { endSession(id: $id) }';
    expectGraphQLError(await stranger.owner(END, { id }), 200, 'NOT_FOUND', '2004');
    expect(await valueOf(two.owner, END, { id })).toBe(true);
    await untilPasses(async () => expect((await one.owner('{ sessions { id } }')).status).toBe(401));
  });

  it('are fifty at most: the oldest ends when one more is opened', async () => {
    const { email } = await register();
    const first = await signIn(email);
    const others = await Promise.all(Array.from({ length: 49 }, () => signIn(email)));
    expect(await valueOf(first.owner, '{ sessions { id } }')).toHaveLength(50);
    const last = await signIn(email);
    await untilPasses(async () => expect((await first.owner('{ sessions { id } }')).status).toBe(401));
    expect(await valueOf(last.owner, '{ sessions { id } }')).toHaveLength(50);
    expect(await valueOf(others[0]?.owner ?? last.owner, '{ sessions { id } }')).toHaveLength(50);
  });

  it('are for the owner: a key with every permission is refused by 1004', async () => {
    const { keyToken } = await register();
    const byKey = graphql(gateway, keyToken);
    const people = "Only the account's owner and its members may do this, signed in";
    for (const [query, message] of [
      ['{ sessions { id } }', people],
      ['mutation { logout }', people],
      ['{ auditLog { nodes { id } } }', 'Missing permission: READ_AUDIT'],
    ] as const) {
      const error = expectGraphQLError(await byKey(query), 200, 'FORBIDDEN', '1004');
      expect(error.message).toBe(message);
    }
  });
});

describe('changePassword', () => {
  const CHANGE =
    'mutation ($current: String!, $password: String!) { changePassword(current: $current, password: $password) }';

  it('changes it and ends every other session', async () => {
    const { email } = await register();
    const [one, two] = [await signIn(email), await signIn(email)];
    expect(await valueOf(one.owner, CHANGE, { current: PASSWORD, password: 'another long password' })).toBe(true);
    await untilPasses(async () => expect((await two.owner('{ sessions { id } }')).status).toBe(401));
    expect(await valueOf(one.owner, '{ sessions { id } }')).toHaveLength(1);
    expectGraphQLError(await login(email), 200, 'UNAUTHENTICATED', '1005');
    await signIn(email, 'another long password');
  });

  it('asks for the present one, and takes no short one', async () => {
    const { email } = await register();
    const { owner } = await signIn(email);
    expectGraphQLError(
      await owner(CHANGE, { current: 'wrong', password: 'another long password' }),
      200,
      'UNAUTHENTICATED',
      '1005',
    );
    expectGraphQLError(await owner(CHANGE, { current: PASSWORD, password: 'short' }), 200, 'BAD_USER_INPUT', '2001');
  });
});

describe('auditLog', () => {
  const AUDIT = '{ auditLog { nodes { action actor target ip requestId details at } pageInfo { hasNextPage } } }';

  it('says what was changed, by whom and from where, newest first, and holds no secret', async () => {
    const { email } = await register();
    const { token, owner } = await signIn(email);
    const api = rest(gateway, token);
    const { keyId, secret } = dataOf(
      await api('POST', '/merchant/api-keys', { name: 'Till', permissions: PERMISSIONS }),
      201,
    );
    const { accessToken } = dataOf(await rest(gateway)('POST', '/auth/token', { keyId, secret }));
    const byKey = rest(gateway, accessToken as string);
    dataOf(await byKey('PUT', '/merchant/settings', { expirationMinutes: 10 }, { 'x-request-id': 'settings-1' }));
    const { webhook } = {
      webhook: dataOf(await byKey('PUT', '/merchant/webhook', { url: 'https://shop.example/hook' })),
    };
    const { orderId } = dataOf(
      await byKey('POST', '/payments', { amount: '5', currency: 'USDT', network: 'ETH' }),
      201,
    ) as { orderId: string };
    dataOf(await byKey('POST', `/sandbox/payments/${orderId}/deposit`));
    const address = '0x00000000000000000000000000000000000000A1';
    dataOf(await byKey('POST', `/payments/${orderId}/refund`, { address, amount: '1' }), 201);
    const withdrawal = { currency: 'USDT', network: 'ETH', amount: '2', address };
    dataOf(await byKey('POST', '/wallet/withdraw', withdrawal), 201);
    dataOf(await api('DELETE', `/merchant/api-keys/${keyId}`));
    const { nodes } = await valueOf(owner, AUDIT);
    const { id } = await valueOf(owner, '{ me { id } }');
    expect(nodes.map(({ action, actor }: Json) => [action, actor])).toEqual([
      ['API_KEY_REVOKED', id],
      ['WITHDRAWAL_REQUESTED', keyId],
      ['REFUND_REQUESTED', keyId],
      ['WEBHOOK_CHANGED', keyId],
      ['SETTINGS_CHANGED', keyId],
      ['API_KEY_CREATED', id],
      ['OWNER_SIGNED_IN', id],
    ]);
    expect(nodes[1]).toMatchObject({ details: withdrawal });
    expect(nodes[4]).toMatchObject({ requestId: 'settings-1', details: { expirationMinutes: 10 } });
    expect(nodes[3].target).toBe(webhook.id);
    expect(JSON.stringify(nodes)).not.toMatch(/sk_test_|whsec_/);
  });
});

describe('a cursor of the audit log', () => {
  const page = (by: GraphQL, after: string | null) =>
    by('query ($after: String) { auditLog(first: 1, after: $after) { nodes { id } pageInfo { nextCursor } } }', {
      after,
    });

  it('leads on, and is 2001 once it was changed, for another merchant, and from another list', async () => {
    const [one, two] = [await register(), await register()];
    const [{ owner }, other] = [await signIn(one.email), await signIn(two.email)];
    for (const companyName of ['First', 'Second', 'Third'])
      for (const by of [owner, other.owner])
        await valueOf(by, 'mutation ($input: SettingsInput!) { updateSettings(input: $input) { companyName } }', {
          input: { companyName },
        });
    const { body: first } = await page(owner, null);
    const cursor = first.data.auditLog.pageInfo.nextCursor as string;
    const { body: second } = await page(owner, cursor);
    expect(second.data.auditLog.nodes).toHaveLength(1);
    expect(second.data.auditLog.nodes[0].id).not.toBe(first.data.auditLog.nodes[0].id);

    const middle = Math.floor(cursor.length / 2);
    const changed = cursor.slice(0, middle) + (cursor[middle] === 'A' ? 'B' : 'A') + cursor.slice(middle + 1);
    for (const [by, after] of [
      ...[changed, `${cursor}A`, cursor.slice(0, -4), '', 'AAAA'].map((text) => [owner, text] as const),
      [other.owner, cursor] as const,
    ])
      expect((await page(by, after)).body.errors).toMatchObject([
        { extensions: { errorCode: '2001', details: [{ path: 'after' }] } },
      ]);
    const { body: elsewhere } = await owner('query ($after: String) { payments(after: $after) { nodes { id } } }', {
      after: cursor,
    });
    expect(elsewhere.errors).toMatchObject([{ extensions: { errorCode: '2001', details: [{ path: 'after' }] } }]);
  });
});
