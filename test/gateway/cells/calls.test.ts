// A call in the wrong cell: 421 with code 9421 and the cell to go to, on every transport, told by the form of its
// token, key or id alone. What was made before there were cells is looked up as ever.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issueToken } from '../../../src/access/tokens.ts';
import { operatorToken } from '../../../src/access/operators.ts';
import { cellOfKey } from '../../../src/values/cells/bearer-cell.ts';
import { ownCell, useCell } from '../../../src/values/cells/own-cell.ts';
import { cellOf, newId, type IdPrefix } from '../../../src/values/id.ts';
import { PERMISSIONS } from '../../../src/values/permission.ts';
import { deriveSecrets, newKeyPair } from '../../../src/values/secrets/keys.ts';
import { CASES } from '../../api/errors/cases.fixture.ts';
import { expectGraphQLFace, expectRestFace } from '../../api/errors/expectations.fixture.ts';
import { openRawSocket } from '../../server/raw-socket.fixture.ts';
import {
  graphql,
  newMerchant,
  rest,
  send,
  USDT_PAYMENT,
  type Answer,
  type TestMerchant,
} from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

const { row } = CASES.MISDIRECTED;
const HERE = 7;
const THERE = 8;
const DETAILS = { details: ['cell'] };

/** What another cell makes, or with null a gateway without cells. */
function elsewhere<Made>(cell: number | null, make: () => Made): Made {
  const own = ownCell();
  useCell(cell === null ? null : { cell, since: 0 });
  try {
    return make();
  } finally {
    useCell(own);
  }
}
const idOf = (prefix: IdPrefix, cell: number | null = THERE) => elsewhere(cell, () => newId(prefix));

let gateway: TestGateway;
let shop: TestMerchant;
/** Tokens of a merchant of the other cell: of a deployment that shares our secret, and of one that does not. */
let tokens: readonly string[];
let order: string;
const SECRET = 'only-for-this-test-00000000000000000';
const OURS = deriveSecrets(SECRET);
const key = elsewhere(THERE, () => newKeyPair('sandbox'));

beforeAll(async () => {
  gateway = await startTestGateway({ CELL: String(HERE), TURNPIKE_SECRET: SECRET });
  shop = await newMerchant(gateway);
  order = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201).orderId as string;
  const claims = { merchantId: idOf('mer'), keyId: key.keyId, sessionId: null, permissions: PERMISSIONS };
  const issue = (secrets: typeof OURS) =>
    issueToken({ secrets, environment: 'sandbox', ttlSeconds: 600 }, claims, new Date());
  const issued = await Promise.all([OURS, deriveSecrets('of-another-cell-000000000000000000')].map(issue));
  tokens = issued.map(({ accessToken }) => accessToken);
});
afterAll(async () => {
  await gateway.stop();
  useCell(null);
});

/** An error of a resolver, which is told by the status as well. */
function expectMisdirected({ status, body }: Answer): void {
  expect(status).toBe(421);
  expect(body.errors).toMatchObject([
    { extensions: { code: 'MISDIRECTED', errorCode: '9421', details: [{ path: 'cell', message: '8' }] } },
  ]);
}

const PAYMENTS = '{ payments(first: 1) { totalCount } }';
const CHECKOUT = 'query ($id: ID!) { checkout(id: $id) { id } }';
const EXCHANGE =
  'mutation ($keyId: ID!, $secret: String!) { createAccessToken(keyId: $keyId, secret: $secret) { accessToken } }';

it('what is made here says that it is of this cell, and is found here', async () => {
  expect([shop.id, order].map(cellOf)).toEqual([HERE, HERE]);
  expect([shop.keyId, shop.secret].map(cellOfKey)).toEqual([HERE, HERE]);
  expect(dataOf(await shop.rest('GET', `/payments/${order}`)).orderId).toBe(order);
  expect((await send({ method: 'GET', url: `${gateway.url}/pay/${order}` })).status).toBe(200);
});

describe('a token of another cell', () => {
  it('over REST and GraphQL, whether or not the operation needs one', async () => {
    for (const token of tokens) {
      for (const path of ['/payments', '/currencies', `/payments/${order}`])
        expectRestFace(await rest(gateway, token)('GET', path), row, DETAILS);
      for (const document of [PAYMENTS, '{ currencies { currency } }'])
        expectGraphQLFace(await graphql(gateway, token)(document), row, DETAILS);
    }
  });

  it('over an event stream', async () => {
    for (const token of tokens) {
      const answer = await send({
        method: 'POST',
        url: `${gateway.url}/graphql/stream`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify({ query: 'subscription { paymentUpdated { id } }' }),
      });
      expect(answer.status).toBe(421);
    }
  });

  it('over a web socket, which is closed with 4421 and says where to go', async () => {
    const socket = await openRawSocket(`${gateway.url.replace('http', 'ws')}/graphql?cell=${String(HERE)}`);
    socket.say({ type: 'connection_init', payload: { authorization: `Bearer ${tokens[0] ?? ''}` } });
    expect(await socket.closed).toMatchObject({ code: 4421, reason: 'This belongs to cell 8' });
  });

  it('of an operator', async () => {
    const token = operatorToken(OURS, idOf('ses'));
    expectGraphQLFace(await graphql(gateway, token)('{ operatorLog(first: 1) { edges { cursor } } }'), row, DETAILS);
  });
});

describe('an API key of another cell', () => {
  it('is not exchanged', async () => {
    expectRestFace(await rest(gateway)('POST', '/auth/token', key), row, DETAILS);
    expectMisdirected(await graphql(gateway)(EXCHANGE, key));
  });

  it('is no bearer', async () => {
    expectRestFace(await rest(gateway, key.secret)('GET', '/webhooks/deliveries'), row, DETAILS);
  });
});

describe('what anybody may ask about', () => {
  it('pages of payments, invoices and links of another cell', async () => {
    for (const prefix of ['ord', 'inv', 'lnk'] as const) {
      const answer = await send({ method: 'GET', url: `${gateway.url}/pay/${idOf(prefix)}` });
      expect([answer.status, answer.headers['content-type']]).toEqual([421, 'text/html; charset=utf-8']);
    }
    expect((await send({ method: 'GET', url: `${gateway.url}/pay/${idOf('ord')}/logo` })).status).toBe(421);
  });

  it('over REST and GraphQL, in an argument or in an input', async () => {
    expectRestFace(await rest(gateway)('GET', `/checkout/invoices/${idOf('inv')}`), row, DETAILS);
    expectRestFace(
      await rest(gateway)('POST', `/checkout/invoices/${idOf('inv')}/choose`, { currency: 'USDT', network: 'ETH' }),
      ...[row, DETAILS],
    );
    expectMisdirected(await graphql(gateway)(CHECKOUT, { id: idOf('ord') }));
  });

  it('the secrets of links in mails', async () => {
    const reset = `mutation { resetPassword(token: "${idOf('tok')}.abc", password: "three green lamps") }`;
    expectMisdirected(await graphql(gateway)(reset));
  });

  it('over a web socket', async () => {
    const socket = await openRawSocket(`${gateway.url.replace('http', 'ws')}/graphql`);
    const query = 'subscription ($id: ID!) { checkoutUpdated(id: $id) { id } }';
    socket.say({ type: 'connection_init' });
    socket.say({ id: '1', type: 'subscribe', payload: { query, variables: { id: idOf('ord') } } });
    await until(() => socket.heard.some((text) => text.includes('"errorCode":"9421"')));
  });
});

describe('everything else is answered here', () => {
  it('what this cell does not have, and what was made without a cell, is not found', async () => {
    for (const id of [idOf('ord', HERE), idOf('ord', null)]) {
      expect((await shop.rest('GET', `/payments/${id}`)).status).toBe(404);
      expect((await send({ method: 'GET', url: `${gateway.url}/pay/${id}` })).status).toBe(404);
    }
  });

  it('callers whose token belongs here are sent nowhere else: no two cells can send them to one another', async () => {
    expect((await shop.rest('GET', `/payments/${idOf('ord')}`)).status).toBe(404);
    expect((await shop.graphql(CHECKOUT, { id: idOf('ord') })).body.errors[0].extensions.errorCode).toBe('2004');
  });

  it('a key and a token of before there were cells are looked up', async () => {
    const old = elsewhere(null, () => newKeyPair('sandbox'));
    expect((await rest(gateway)('POST', '/auth/token', old)).body.error.code).toBe('1005');
    expect((await rest(gateway, 'rubbish')('GET', '/payments')).body.error.code).toBe('1002');
  });

  it('a cookie of another cell is in the way of nobody who signs in, and signs nobody in', async () => {
    const ask = (query: string) =>
      graphql(gateway)(query, {}, { cookie: `turnpike=${tokens[0] ?? ''}`, 'turnpike-session': 'cookie' });
    expectGraphQLFace(await ask(PAYMENTS), row, DETAILS);
    const answer = await ask('mutation { login(email: "nobody@example.com", password: "wrong") { accessToken } }');
    expect(answer.body.errors[0].extensions.errorCode).toBe('1005');
  });
});
