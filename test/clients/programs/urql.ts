// urql with its authExchange: it begins with a token that has expired, and sends it along while it gets a new one.

import { Client, fetchExchange } from '@urql/core';
import { authExchange } from '@urql/exchange-auth';
import { CREATE, EXCHANGE, ORDER, READ } from './documents.js';
import { assert, FORMER_TOKEN, GRAPHQL, KEY } from './call.js';

let renewals = 0;
const client = new Client({
  url: GRAPHQL,
  preferGetMethod: false,
  exchanges: [
    authExchange((utilities) => {
      let token = FORMER_TOKEN;
      return Promise.resolve({
        addAuthToOperation: (operation) => utilities.appendHeaders(operation, { authorization: `Bearer ${token}` }),
        didAuthError: ({ graphQLErrors, response }) =>
          (response as Response | undefined)?.status === 401 ||
          graphQLErrors.some(({ extensions }) => extensions['errorCode'] === '1002'),
        async refreshAuth() {
          renewals += 1;
          const { data, error } = await utilities.mutate(EXCHANGE, KEY);
          if (!data) throw error ?? new Error('There is no token');
          token = data.createAccessToken.accessToken;
        },
      });
    }),
    fetchExchange,
  ],
});

const { data: created, error } = await client.mutation(CREATE, { input: ORDER }).toPromise();
assert.equal(error, undefined);
assert.equal(created?.createPayment.status, 'PENDING');
const read = await client.query(READ, { id: created.createPayment.id }).toPromise();
assert.equal(read.data?.payment?.id, created.createPayment.id);
assert.equal(renewals, 1);
