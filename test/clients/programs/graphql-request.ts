// graphql-request: typed documents, and errors as exceptions.

import { ClientError, GraphQLClient } from 'graphql-request';
import { CREATE, EXCHANGE, ORDER, REPORT } from './documents.js';
import { assert, GRAPHQL, KEY } from './call.js';

const { createAccessToken } = await new GraphQLClient(GRAPHQL).request(EXCHANGE, KEY);
const client = new GraphQLClient(GRAPHQL, {
  headers: { authorization: `Bearer ${createAccessToken.accessToken}` },
});
const { createPayment } = await client.request(CREATE, { input: ORDER });
assert.match(createPayment.id, /^ord_/);
const { report } = await client.request(REPORT, { input: { groupBy: 'DAY' } });
assert(Array.isArray(report.rows));
const refused = await client.request(CREATE, { input: { ...ORDER, amount: '-1' } }).catch((error: unknown) => error);
assert(refused instanceof ClientError);
assert.equal(refused.response.errors?.[0]?.extensions['errorCode'], '2001');
