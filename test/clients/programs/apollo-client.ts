// Apollo Client: a link that sends the token, a mutation, and a query from the cache and from the network.

import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { CREATE, DEPOSIT, EXCHANGE, ORDER, READ } from './documents.js';
import { assert, FORMER_TOKEN, GRAPHQL, KEY } from './call.js';

let token = FORMER_TOKEN;
const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.from([
    new SetContextLink(() => ({ headers: { authorization: `Bearer ${token}` } })),
    new HttpLink({ uri: GRAPHQL }),
  ]),
});

const { data: exchanged } = await client.mutate({ mutation: EXCHANGE, variables: KEY });
token = exchanged?.createAccessToken.accessToken ?? '';
const { data: created } = await client.mutate({ mutation: CREATE, variables: { input: ORDER } });
const id = created?.createPayment.id ?? '';
await client.mutate({ mutation: DEPOSIT, variables: { input: { paymentId: id } } });
const { data: read } = await client.query({ query: READ, variables: { id }, fetchPolicy: 'network-only' });
assert.equal(read?.payment?.status, 'SUCCEEDED');
await assert.rejects(client.query({ query: READ, variables: { id: 'none' } }), /no such/i);
client.stop();
