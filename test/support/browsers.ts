// A browser for tests of the API: it keeps cookies, and says with each call that it is a page of ours.

import { graphql, type Answer, type GraphQL } from './clients.ts';
import type { BorrowedGateway } from './gateway/borrowed.ts';

export interface TestBrowser {
  readonly graphql: GraphQL;
  /** Its cookies, by name. */
  readonly cookies: Map<string, string>;
  /** What an answer sets the cookie of this name to, with its attributes; null if it does not. */
  setIn(answer: Answer, name: string): string | null;
}

/** Opens a browser; all its calls come from one address, if the gateway trusts the header that says so. */
export function openBrowser(gateway: Pick<BorrowedGateway, 'url'>, address = '192.0.2.1'): TestBrowser {
  const cookies = new Map<string, string>();
  const { origin } = new URL(gateway.url);
  const setBy = ({ headers }: Answer): readonly string[] => headers['set-cookie'] ?? [];
  return {
    cookies,
    setIn: (answer, name) => setBy(answer).find((text) => text.startsWith(`${name}=`)) ?? null,
    async graphql(query, variables, headers = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const own = { 'turnpike-session': 'cookie', origin, 'x-forwarded-for': address, ...(cookie && { cookie }) };
      const answer = await graphql(gateway)(query, variables, { ...own, ...headers });
      for (const text of setBy(answer)) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      return answer;
    },
  };
}
