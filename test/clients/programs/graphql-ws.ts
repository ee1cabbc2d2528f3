// graphql-ws: the client of docs/live-updates.md reads the event log, loses its connection, and goes on after it where it
// was, without a gap and without an event twice.

import { createClient } from 'graphql-ws';
import { GraphQLClient } from 'graphql-request';
import { CREATE, EXCHANGE, ORDER } from './documents.js';
import { assert, BASE, GRAPHQL, KEY } from './call.js';

const { createAccessToken } = await new GraphQLClient(GRAPHQL).request(EXCHANGE, KEY);
const authorization = `Bearer ${createAccessToken.accessToken}`;
const caller = new GraphQLClient(GRAPHQL, { headers: { authorization } });

let connections = 0;
const client = createClient({
  url: `${BASE.replace('http', 'ws')}/graphql`,
  connectionParams: () => ({ authorization }),
  retryAttempts: Infinity,
  retryWait: () => Promise.resolve(),
  shouldRetry: () => true,
  on: { connected: () => void (connections += 1) },
});

const seen: number[] = [];
let wake = () => undefined as void;
const payload = {
  query: 'subscription ($after: Int) { eventAdded(after: $after) { sequence type } }',
  variables: { after: 0 },
};
const end = client.subscribe<{ eventAdded: { sequence: number } }>(payload, {
  next({ data }) {
    if (!data) return;
    payload.variables.after = data.eventAdded.sequence; // Where a new connection goes on.
    seen.push(data.eventAdded.sequence);
    wake();
  },
  error: (error) => assert.fail(String(error)),
  complete: () => undefined,
});

const until = async (count: number) => {
  while (seen.length < count) await new Promise<void>((resolve) => (wake = resolve));
};
const MOST_MS = 30_000;
const late = setTimeout(() => assert.fail(`Only ${seen.length} events`), MOST_MS);
for (let round = 1; round <= 3; round += 1) {
  const before = seen.length;
  await caller.request(CREATE, { input: ORDER });
  await until(before + 1);
  client.terminate();
  await caller.request(CREATE, { input: ORDER });
  await until(before + 2);
}
clearTimeout(late);
end();
await client.dispose();
assert(connections >= 4);
const [first = 0] = seen;
assert.deepEqual(
  seen,
  seen.map((_, index) => first + index),
);
