// A provider of identities (oidc-provider) on loopback. It signs in whom the test names, without asking.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { default as Provider, Context } from 'oidc-provider';
import { send } from '../clients.ts';

const CLIENT_ID = 'turnpike';
const CLIENT_SECRET = 'a secret that both of them know of';

/** Who signs in at the provider next. */
export interface Visitor {
  readonly subject: string;
  /** When they signed in there, in seconds ago; 0: now. */
  readonly signedInSecondsAgo?: number;
}

export interface TestProvider {
  readonly issuer: string;
  /** Whom it signs in from now on; null: it declines. */
  visitor: Visitor | null;
  /** Milliseconds before each of its answers. */
  delayMs: number;
  /** Changes what it says of itself, as a hostile one might. */
  tamper: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** Requests so far, by path. */
  readonly asked: Map<string, number>;
  /** Takes this gateway for its client from now on, and signs as this issuer: itself, unless it is hostile. */
  serve(gateway: { readonly url: string }, as?: string): void;
  stop(): Promise<void>;
}

/** The variables of a gateway whose people sign in by a provider. */
export const clientOf = ({ issuer }: Pick<TestProvider, 'issuer'>) => ({
  ...{ OIDC_ISSUER: issuer, OIDC_NAME: 'Kettle ID', OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: CLIENT_SECRET },
});

/** Starts the provider. */
export async function startProvider(): Promise<TestProvider> {
  // Loaded late: it requires packages that may still be loading as modules.
  const { default: Implementation } = await import('oidc-provider');
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Not by its number: for a browser it is then another site than the gateway.
  const issuer = `http://localhost:${String((server.address() as AddressInfo).port)}`;
  let provider: Provider | null = null;
  const shown: TestProvider = {
    issuer,
    visitor: null,
    delayMs: 0,
    tamper: (metadata) => metadata,
    asked: new Map(),
    serve: ({ url }, as = issuer) => (provider = new Implementation(as, configurationOf(`${url}/auth/oidc/callback`))),
    stop: () => stop(server),
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', issuer).pathname;
    shown.asked.set(path, (shown.asked.get(path) ?? 0) + 1);
    if (path === '/.well-known/openid-configuration') tampered(response, () => shown.tamper);
    setTimeout(() => {
      if (!provider) response.writeHead(503).end();
      else if (path.startsWith('/interaction/')) void finish(provider, request, response, shown.visitor);
      else provider.callback()(request, response);
    }, shown.delayMs).unref();
  });
  return shown;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

async function finish(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  visitor: Visitor | null,
): Promise<void> {
  const ts = Math.floor(Date.now() / 1_000) - (visitor?.signedInSecondsAgo ?? 0);
  const result = visitor
    ? { login: { accountId: visitor.subject, ts } }
    : { error: 'access_denied', error_description: 'The person said no' };
  await provider.interactionFinished(request, response, result);
}

/** Rewrites the answer on its way out. */
function tampered(response: ServerResponse, tamper: () => TestProvider['tamper']): void {
  const end = response.end.bind(response);
  response.end = ((body: string) => {
    const text = JSON.stringify(tamper()(JSON.parse(body) as Record<string, unknown>));
    response.setHeader('content-length', Buffer.byteLength(text));
    return end(text);
  }) as ServerResponse['end'];
}

const configurationOf = (redirectUri: string) => ({
  clients: [
    {
      client_id: CLIENT_ID,
      client_secret: CLIENT_SECRET,
      redirect_uris: [redirectUri],
      require_auth_time: true,
    },
  ],
  claims: { openid: ['sub'], email: ['email'] },
  conformIdTokenClaims: false,
  cookies: { keys: ['only for tests'] },
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  features: { devInteractions: { enabled: false } },
  pkce: { required: () => true },
  interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
  findAccount: (_context: unknown, sub: string) => ({
    accountId: sub,
    claims: () => ({ sub, email: `${sub}@id.example` }),
  }),
  /** Nobody is asked whether they consent. */
  async loadExistingGrant({ oidc }: Context) {
    const { client, session, provider } = oidc;
    if (!client || session?.accountId === undefined) return undefined;
    const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
    grant.addOIDCScope('openid email');
    await grant.save();
    return grant;
  },
});

/**
 * Follows the redirects of the provider, with a browser's cookies there, until they lead away from it; returns where
 * to.
 */
export async function visit(
  { issuer }: Pick<TestProvider, 'issuer'>,
  address: string,
  cookies = new Map<string, string>(),
): Promise<URL> {
  let url = new URL(address);
  for (let step = 0; step < 10 && url.origin === issuer; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const { status, headers, text } = await send({ method: 'GET', url: url.href, headers: { cookie } });
    for (const set of headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    if (headers.location === undefined) throw new Error(`The provider answers ${String(status)}: ${text}`);
    url = new URL(headers.location, url);
  }
  return url;
}
