// The plugin `typescript`: types of the schema for a client of one's own. Its enums have no two values of one name.

import type { Mutation, Payment } from '../dist/generated/schema.js';
import { ReportUnit } from '../dist/generated/schema-enums.js';
import { assert, GRAPHQL, KEY } from './call.js';

const query = `mutation ($keyId: ID!, $secret: String!) { createAccessToken(keyId: $keyId, secret: $secret) { tokenType } }`;
const response = await fetch(GRAPHQL, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables: KEY }),
});
const { data } = (await response.json()) as { data: Pick<Mutation, 'createAccessToken'> };
assert.equal(data.createAccessToken.tokenType, 'Bearer');
const status: Payment['status'] = 'SUCCEEDED';
assert.equal(status, 'SUCCEEDED');
assert.deepEqual(Object.values(ReportUnit).sort(), ['DAY', 'MONTH', 'WEEK']);
