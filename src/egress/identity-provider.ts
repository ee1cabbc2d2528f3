// A provider of identities by OpenID Connect: the code flow with PKCE, state and nonce (RFC 6749, RFC 7636, OpenID
// Connect Core 1.0). What went wrong is a result: a provider that is slow, down or hostile is nothing unexpected.

import { performance } from 'node:perf_hooks';
import * as oidc from 'openid-client';
import type { IdentityProvider, ProviderAnswer, ProviderFailure, ProviderResult } from '../values/identity-provider.ts';
import { createProviderFetch, ProviderUnreachable, type ProviderFetchOptions } from './provider-fetch.ts';

export interface ProviderOptions extends Pick<ProviderFetchOptions, 'resolver' | 'ca'> {
  /** As it names itself in what it signs. */
  readonly issuer: string;
  /** What people know it by. */
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the provider sends people back to. */
  readonly redirectUri: string;
  readonly clock: { now(): Date };
  readonly log: { warn(fields: object, message: string): void };
  readonly deadlineMs?: number;
}

/** The client, and its connections. */
export interface ProviderClient extends IdentityProvider {
  close(): Promise<void>;
}

const DEADLINE_MS = 5_000;
const MOST_BYTES = 256 * 1024;
/**
 * Browsers that wait at once to leave (only while what the provider says of itself is not at hand) and to come back;
 * more are answered `unavailable`, so that a slow provider holds no more of us than that.
 */
const MOST_UNDER_WAY = { begin: 20, finish: 50 } as const;
/** How far the provider's clock may be behind ours. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Creates the client. The provider is asked for nothing before somebody signs in. */
export function createIdentityProvider(options: ProviderOptions): ProviderClient {
  const { issuer, name, log, deadlineMs = DEADLINE_MS } = options;
  const client = createProviderFetch({ ...options, issuer: new URL(issuer), deadlineMs, maxBytes: MOST_BYTES });
  const open = createDiscovery(() => discover({ ...options, deadlineMs }, client.fetch), log);
  const underWay = { begin: 0, finish: 0 };

  async function bounded<Result>(
    step: keyof typeof MOST_UNDER_WAY,
    work: () => Promise<Result>,
  ): Promise<Result | ProviderFailure> {
    if (underWay[step] >= MOST_UNDER_WAY[step]) return { kind: 'unavailable' };
    underWay[step] += 1;
    try {
      return await work();
    } catch (error) {
      const kind = kindOf(error);
      if (kind !== 'declined') log.warn({ issuer, kind, reason: reasonOf(error) }, 'a sign-in by the provider failed');
      return { kind };
    } finally {
      underWay[step] -= 1;
    }
  }

  return {
    ...{ issuer, name },
    begin: (asked) =>
      bounded('begin', async () => ({ kind: 'at', url: await addressOf(await open(), asked, options.redirectUri) })),
    finish: (answer) => bounded('finish', async () => readAnswer(await open(), answer, options)),
    close: () => client.close(),
  };
}

type Settings = ProviderOptions & { readonly deadlineMs: number };

async function discover(settings: Settings, fetch: oidc.CustomFetch): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret, deadlineMs, clock } = settings;
  const server = new URL(issuer);
  const clockSkew = Math.round((clock.now().getTime() - Date.now()) / 1_000);
  const metadata = { [oidc.clockSkew]: clockSkew, [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  const timeout = deadlineMs / 1_000;
  const execute = [oidc.enableNonRepudiationChecks, ...(server.protocol === 'http:' ? [allowHttp] : [])];
  const found = await oidc.discovery(server, clientId, metadata, authentication(clientSecret), {
    ...{ execute, timeout, [oidc.customFetch]: fetch },
  });
  // The library compares them as URLs; what names somebody is compared to the letter.
  if (found.serverMetadata().issuer !== issuer) throw new Error('the provider names itself otherwise than OIDC_ISSUER');
  return found;
}

// The configuration admits http for the sandbox alone.
const allowHttp = oidc.allowInsecureRequests;

/** By the header, which every provider has to take, unless it says that it takes only others (RFC 6749, 2.3.1). */
function authentication(secret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...call) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (taken.includes('client_secret_basic') ? basic : post)(server, ...call);
  };
}

/** Where the browser goes. Only what proves who it is is asked for, and the address that tells identities apart. */
async function addressOf(
  found: oidc.Configuration,
  { state, nonce, verifier, isAnew }: Parameters<IdentityProvider['begin']>[0],
  redirectUri: string,
): Promise<string> {
  const url = oidc.buildAuthorizationUrl(found, {
    ...{ redirect_uri: redirectUri, scope: 'openid email', state, nonce },
    ...{ code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    ...(isAnew && { max_age: '0' }),
  });
  return url.href;
}

const MOST_OF_LABEL = 200;
/** The longest name of somebody (OpenID Connect Core 1.0, section 2). */
const MOST_OF_SUBJECT = 255;

async function readAnswer(
  found: oidc.Configuration,
  { query, state, nonce, verifier, signedInAfter }: ProviderAnswer,
  { issuer, redirectUri }: ProviderOptions,
): Promise<ProviderResult> {
  const came = new URL(redirectUri);
  came.search = query;
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
  const claims = (await oidc.authorizationCodeGrant(found, came, checks)).claims();
  if (claims?.iss !== issuer || claims.sub.length > MOST_OF_SUBJECT)
    throw new Error('the identity is not of the issuer');
  if (signedInAfter !== null && !isSince(claims.auth_time, signedInAfter))
    throw new Error('they did not sign in there anew');
  const label = [claims['email'], claims['preferred_username'], claims['name']].find(
    (text) => typeof text === 'string',
  );
  return { kind: 'identity', identity: { issuer, subject: claims.sub, label: labelOf(label ?? claims.sub) } };
}

const labelOf = (text: string) =>
  text
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()
    .slice(0, MOST_OF_LABEL)
    .trim();

const isSince = (authTime: unknown, after: Date) =>
  typeof authTime === 'number' && (authTime + CLOCK_TOLERANCE_SECONDS) * 1_000 >= after.getTime();

/** What an error means to the person. */
function kindOf(error: unknown): ProviderFailure['kind'] {
  if (error instanceof oidc.AuthorizationResponseError)
    return ['server_error', 'temporarily_unavailable'].includes(error.error) ? 'unavailable' : 'declined';
  if (error instanceof oidc.ResponseBodyError) return error.status >= 500 ? 'unavailable' : 'unverified';
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof ProviderUnreachable || NOT_ANSWERED.has(String((cause as { code?: unknown }).code)))
      return 'unavailable';
  return 'unverified';
}

/** What was no answer of the provider: a page of a proxy, an error of the server. */
const NOT_ANSWERED = new Set(['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']);

/** For the log. No code, token or secret is part of the messages of these errors. */
function reasonOf(error: unknown): string {
  const messages: string[] = [];
  for (let cause: unknown = error; cause instanceof Error && messages.length < 3; cause = cause.cause)
    messages.push(cause.message);
  return messages.join(': ').slice(0, 500);
}

const RENEW_AFTER_MS = 60 * 60_000;
/** How long what the provider said of itself is used while it cannot be asked again. */
const GOOD_FOR_MS = 24 * 60 * 60_000;
/** After a failure the provider is left alone for so long. */
const REST_MS = 5_000;

/** Keeps what the provider says of itself. Many ask at once, and one question is under way. */
function createDiscovery(ask: () => Promise<oidc.Configuration>, log: ProviderOptions['log']) {
  let kept: { readonly found: oidc.Configuration; readonly at: number } | null = null;
  let failed: { readonly error: unknown; readonly at: number } | null = null;
  let underWay: Promise<oidc.Configuration> | null = null;

  const renew = () =>
    (underWay ??= ask()
      .then(
        (found) => {
          kept = { found, at: performance.now() };
          failed = null;
          return found;
        },
        (error: unknown) => {
          failed = { error, at: performance.now() };
          throw error;
        },
      )
      .finally(() => (underWay = null)));

  return async (): Promise<oidc.Configuration> => {
    const now = performance.now();
    const rests = failed !== null && now - failed.at < REST_MS;
    if (kept !== null && now - kept.at < GOOD_FOR_MS) {
      if (now - kept.at >= RENEW_AFTER_MS && !rests)
        void renew().catch((error: unknown) => log.warn({ reason: reasonOf(error) }, 'the provider cannot be asked'));
      return kept.found;
    }
    if (rests) throw failed?.error;
    return await renew();
  };
}
