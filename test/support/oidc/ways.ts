// A browser that signs in by a provider: it starts at the gateway, is sent to the provider, and comes back.

import { send, type Answer } from '../clients.ts';
import type { BorrowedGateway } from '../gateway/borrowed.ts';
import type { TestBrowser } from '../browsers.ts';
import { visit, type TestProvider, type Visitor } from './provider.ts';

/** The gateway, the provider, and the browser that goes to and fro. */
export interface Way {
  readonly gateway: Pick<BorrowedGateway, 'url'>;
  readonly provider: TestProvider;
  readonly browser: TestBrowser;
}

/** Cookies that a browser sends with a way that began on another site. */
const LAX = 'turnpike-visit';

/** Opens a page of the gateway, with the cookies that a browser would send. */
export async function open(
  { gateway, browser }: Pick<Way, 'gateway' | 'browser'>,
  path: string,
  { fromElsewhere = false, address = '192.0.2.1' } = {},
): Promise<Answer> {
  const sent = [...browser.cookies].filter(([name]) => !fromElsewhere || name === LAX);
  const cookie = sent.map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { accept: 'text/html', 'x-forwarded-for': address, ...(cookie && { cookie }) };
  const answer = await send({ method: 'GET', url: `${gateway.url}${path}`, headers });
  for (const text of answer.headers['set-cookie'] ?? []) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
    browser.cookies.set(name, value);
  }
  return answer;
}

/** Leaves for the provider; returns the address there. */
export async function leave(way: Way, path = '/auth/oidc/start'): Promise<URL> {
  const { status, headers, text } = await open(way, path);
  if (status !== 303 || headers.location === undefined) throw new Error(`Not sent on: ${String(status)} ${text}`);
  return new URL(headers.location);
}

/** Signs in at the provider as somebody; returns the path that the browser comes back to. */
export async function answer({ provider }: Way, there: URL, visitor: Visitor | null): Promise<string> {
  provider.visitor = visitor;
  const back = await visit(provider, there.href);
  return `${back.pathname}${back.search}`;
}

/** The whole way; returns the page at its end. */
export async function goAndComeBack(way: Way, visitor: Visitor | null, path?: string): Promise<Answer> {
  const back = await answer(way, await leave(way, path), visitor);
  return await open(way, back, { fromElsewhere: true });
}

/** Where the page at the end of a way goes on to; null if it stays. */
export const goesOnTo = ({ text }: Answer): string | null =>
  /http-equiv="refresh" content="0;url=([^"]*)"/.exec(text)?.[1] ?? null;

/** The question for a factor that the page at the end of a way goes on with. */
export function questionOf(answer: Answer): { readonly id: string; readonly factors: readonly string[] } {
  const [, encoded = ''] = /^\/console#question=([\w-]+)$/.exec(goesOnTo(answer) ?? '') ?? [];
  return JSON.parse(Buffer.from(encoded, 'base64url').toString()) as ReturnType<typeof questionOf>;
}

/** The heading of a page. */
export const headingOf = ({ text }: Answer): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? '';
