// Calls to the gateway over REST and GraphQL. Each is printed, and each answer must have the documented envelope.

import { expectLike, type ExpectedFields } from './expect.ts';
import type { Printer } from './printer.ts';
import { DEADLINE_MS } from './wait.ts';

interface CallOptions {
  readonly token?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of the answer to print; all of them by default. */
  readonly show?: readonly string[];
}

export interface Answer<Data> {
  readonly data: Data;
  readonly headers: Headers;
}

export interface HttpClient {
  /** A REST call that succeeds with `status` (200 by default). `path` is below /api/v1. */
  call<Data>(method: string, path: string, options?: CallOptions & { status?: number }): Promise<Answer<Data>>;
  /** A REST call that is refused with this status and this `error`. */
  refused(
    method: string,
    path: string,
    options: CallOptions & { status: number; error: ExpectedFields },
  ): Promise<void>;
  /** A GET that is not printed, for polling. */
  look<Data>(path: string, token: string): Promise<Data>;
  /** A GraphQL operation; returns its `data`. */
  graphql<Data>(document: string, variables: object, options: CallOptions): Promise<Data>;
  /** A GraphQL operation that fails with this first error, and with `status` (200 by default). */
  graphqlRefused(
    document: string,
    variables: object,
    options: CallOptions & { status?: number; error: ExpectedFields },
  ): Promise<void>;
  /** The page at an absolute URL, as text. */
  page(url: string): Promise<string>;
}

/** Creates a client of the gateway at `baseUrl`. Every function throws `Difference` on an unexpected answer. */
export function createHttpClient(baseUrl: string, printer: Printer): HttpClient {
  const gateway = { baseUrl, printer };
  return {
    async call<Data>(
      method: string,
      path: string,
      { status = 200, ...options }: CallOptions & { status?: number } = {},
    ) {
      const { what, content, headers, ...answer } = await callRest(gateway, method, path, options);
      expectLike(what, { status: answer.status, ...content }, { status, success: true });
      return { data: content['data'] as Data, headers };
    },

    async refused(method, path, { status, error, ...options }) {
      const { what, content, ...answer } = await callRest(gateway, method, path, options);
      expectLike(what, { status: answer.status, ...content }, { status, success: false, error });
    },

    async look<Data>(path: string, token: string) {
      const { what, content, status } = await callRest(gateway, 'GET', path, { token }, true);
      expectLike(what, { status, ...content }, { status: 200, success: true });
      return content['data'] as Data;
    },

    async graphql<Data>(document: string, variables: object, options: CallOptions) {
      const content = await callGraphQL(gateway, document, variables, options);
      expectLike('GraphQL: errors', content['errors'] ?? null, null);
      return content['data'] as Data;
    },

    async graphqlRefused(document, variables, { error, status = 200, ...options }) {
      const { errors } = await callGraphQL(gateway, document, variables, options, status);
      expectLike('GraphQL: the first error', Array.isArray(errors) ? errors[0] : errors, error);
    },

    async page(url) {
      printer.sent(`GET ${url}`);
      const { status, headers, text } = await send(url, { method: 'GET' });
      const type = headers.get('content-type');
      printer.came(`${status} ${type}, ${text.length} characters`);
      expectLike(url, { status, type }, { status: 200, type: /^text\/html/ });
      return text;
    },
  };
}

interface Gateway {
  readonly baseUrl: string;
  readonly printer: Printer;
}

async function callRest(gateway: Gateway, method: string, path: string, options: CallOptions, quiet = false) {
  const { baseUrl, printer } = gateway;
  const { token, body, headers, show } = options;
  if (!quiet) printer.sent(`${method} /api/v1${path}${describeHeaders({ token, headers })}`, body);
  const answer = await send(`${baseUrl}/api/v1${path}`, { method, token, body, headers });
  const content = parseJson(answer.text);
  if (!quiet) printer.came(String(answer.status), content['data'] ?? content['error'] ?? content, show);
  return { ...answer, content, what: `${method} ${path}` };
}

async function callGraphQL(gateway: Gateway, document: string, variables: object, options: CallOptions, status = 200) {
  const { baseUrl, printer } = gateway;
  const { token, headers, show } = options;
  const query = document.replaceAll(/\s+/g, ' ').trim();
  printer.sent(`POST /graphql${describeHeaders({ token, headers })}`, { query, variables });
  const answer = await send(`${baseUrl}/graphql`, { method: 'POST', token, headers, body: { query, variables } });
  const content = parseJson(answer.text);
  printer.came(String(answer.status), content, show);
  expectLike('GraphQL: the status', answer.status, status);
  return content;
}

interface Request {
  readonly method: string;
  readonly token?: string | undefined;
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The headers that matter to a reader, on one line. */
function describeHeaders({ token, headers }: Pick<Request, 'token' | 'headers'>): string {
  const bearer = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  const others = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [...bearer, ...others].map((header) => `  [${header}]`).join('');
}

async function send(url: string, { method, token, body, headers }: Request) {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  expectLike(`${method} ${url}: X-Request-Id`, response.headers.get('x-request-id'), /^[A-Za-z0-9_-]{1,64}$/);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The fields of a JSON answer; an answer that is not JSON is returned as text. */
function parseJson(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { notJson: text };
  }
}
