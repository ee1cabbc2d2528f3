// The API explorers as the server delivers them: their policies, their files, and what is left when they are switched
// off.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, send } from '../support/clients.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';

let gateway: BorrowedGateway;

beforeAll(async () => {
  gateway = await borrowGateway({ WEBHOOK_SOURCE_IPS: '203.0.113.7, 2001:db8::/32' });
});
afterAll(() => gateway.stop());

describe('/docs', () => {
  it('says where webhooks come from', async () => {
    const { text } = await send({ method: 'GET', url: `${gateway.url}/docs` });
    expect(text).toContain('Webhooks come from <code>203.0.113.7, 2001:db8::/32</code>.');
  });
});

describe('GraphiQL', () => {
  it('an operation in the address is answered, not shown', async () => {
    const url = `${gateway.url}/graphql?query={__typename}`;
    const headers = { accept: 'text/html,application/json;q=0.9', 'apollo-require-preflight': 'true' };
    expect((await send({ method: 'GET', url, headers })).body).toEqual({ data: { __typename: 'Query' } });
  });
});

describe('what a page may do', () => {
  it.each(['/docs', '/graphql'])('%s runs scripts of this gateway only, and is framed by nobody', async (path) => {
    const { headers, status } = await send({
      method: 'GET',
      url: gateway.url + path,
      headers: { accept: 'text/html' },
    });
    expect(status).toBe(200);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]),
    );
    expect(policy.join(' ')).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  it('a file is compressed for those who take that, and is not sent twice', async () => {
    const url = `${gateway.url}/docs/assets/swagger-ui.js`;
    const plain = await send({ method: 'GET', url });
    const zipped = await send({ method: 'GET', url, headers: { 'accept-encoding': 'gzip' } });
    const smallest = await send({ method: 'GET', url, headers: { 'accept-encoding': 'gzip, deflate, br' } });
    const all = [plain, zipped, smallest];
    expect(all.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br']);
    const [of = 0, ofZipped = 0, ofSmallest = 0] = all.map(({ headers }) => Number(headers['content-length']));
    expect(ofZipped).toBeLessThan(of / 3);
    expect(ofSmallest).toBeLessThan(ofZipped);
    const etag = String(plain.headers.etag);
    const again = await send({ method: 'GET', url, headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

describe('where the explorers are switched off', () => {
  it('there are no pages and no introspection; the document is there all the same', async () => {
    const off = await borrowGateway({ API_DOCS: 'false', GRAPHQL_INTROSPECTION: 'false' });
    try {
      const headers = { accept: 'text/html' };
      for (const path of ['/docs', '/docs/assets/start.js', '/docs/graphiql/start.js'])
        expect((await send({ method: 'GET', url: off.url + path, headers })).status).toBe(404);
      const page = await send({ method: 'GET', url: `${off.url}/graphql`, headers });
      expect(page.text).not.toContain('<html');
      expect((await graphql(off)('{ __schema { queryType { name } } }')).status).toBe(400);
      expect((await send({ method: 'GET', url: `${off.url}/openapi.json` })).status).toBe(200);
    } finally {
      await off.stop();
    }
  });
});
