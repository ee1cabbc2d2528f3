// What the pages of customers have in common on the server: their headers, their language, their own operations, and
// what is sent when one fails.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OperationContext } from '../../access/caller.ts';
import { chooseLanguage, type Language } from '../../../web/pay/languages.ts';
import { renderErrorPage, renderNotFoundPage, renderSuspendedPage } from '../../../web/pay/page.ts';
import type { Engine } from '../../graphql/engine.ts';
import { prepareOwn } from '../../graphql/prepare.ts';
import { ownCell } from '../../values/cells/own-cell.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Environment } from '../../values/secrets/keys.ts';
import type { createIdentify } from '../admission/authenticate.ts';
import { isExpected } from '../public-errors.ts';
import { takesGzip } from '../static-files.ts';

/** What every page of a customer is made with. */
export interface PageDeps {
  readonly engine: Engine;
  readonly identify: ReturnType<typeof createIdentify>;
  readonly clock: { now(): Date };
  readonly environment: Environment;
}

export const ASSETS_PATH = '/pay/assets';

/** What all pages that follow changes are given. */
export const followedPaths = () => ({ graphqlPath: graphqlPath(), scriptPath: `${ASSETS_PATH}/client.js` });

/** A page has no token by which a proxy could tell where its calls belong, so their address says it. */
const graphqlPath = () => (ownCell() === null ? '/graphql' : `/graphql?cell=${String(ownCell()?.cell)}`);

const compress = promisify(gzip);

/** Runs one of our own operations, and returns its data. Rejects with the error of its field. */
export type Run<Data, Variables> = (variables: Variables, context: OperationContext) => Promise<Data>;

/** Prepares an operation of a page, once. */
export function createRun<Data, Variables extends Readonly<Record<string, unknown>>>(
  engine: Engine,
  document: TypedDocumentNode<Data, Variables>,
): Run<Data, Variables> {
  const prepared = prepareOwn(engine.schema, document);
  return async (variables, context) => {
    const result = await engine.execute(await engine.admit(prepared, variables, context));
    const [error] = result.errors ?? [];
    if (error) throw error.originalError ?? error;
    return result.data as Data;
  };
}

/** Nobody but us knows who asks for a page: they have no token. */
export function identifyPayer(
  { identify }: Pick<PageDeps, 'identify'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OperationContext> {
  return identify(request, reply, { acceptSecret: false, isPublic: true });
}

/** Nothing but our own script and style runs, nobody frames the page, and forms are sent to us alone, if at all. */
export function securePage(reply: FastifyReply, { hasForms }: { readonly hasForms: boolean }): string {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    `form-action ${hasForms ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ];
  void reply
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', policy.join('; '))
    .header('Cache-Control', 'no-store');
  return nonce;
}

/** Nothing in the page is a secret that a reflected text could help to guess, so it may be compressed. */
export async function sendPage(request: FastifyRequest, reply: FastifyReply, page: string): Promise<FastifyReply> {
  void reply.header('Vary', 'Accept-Encoding, Accept-Language');
  if (!takesGzip(request)) return reply.send(page);
  return reply.header('Content-Encoding', 'gzip').send(await compress(page));
}

/** The language that a request asks for, in its address or its headers; `setting` is the merchant's. */
export function languageOf(request: FastifyRequest, setting: string | null = null): Language {
  const accepted = request.headers['accept-language'];
  return chooseLanguage({ chosen: languageAsked(request), setting, accepted });
}

/** The language in the address of a page, if there is one. */
export function languageAsked({ query }: FastifyRequest): string | undefined {
  const { lang } = query as { lang?: unknown };
  return typeof lang === 'string' ? lang : undefined;
}

/** Sets the status of a failed page, logs what nobody expects, and returns the page that says so. */
export function failedPage(error: unknown, request: FastifyRequest, reply: FastifyReply, nonce: string): string {
  markFailed(error, request, reply);
  const language = languageOf(request);
  const name = error instanceof GatewayError ? error.errorName : null;
  if (name === 'NOT_FOUND') return renderNotFoundPage({ nonce, language });
  if (name === 'MERCHANT_SUSPENDED') return renderSuspendedPage({ nonce, language });
  return renderErrorPage({ nonce, language, requestId: request.id });
}

/** Sets the status of an error, and logs it if it is not one of those that callers cause. */
export function markFailed(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = error instanceof GatewayError ? error : null;
  if (!isExpected(error)) request.log.error({ err: error, requestId: request.id }, 'a payment page failed');
  void reply.code(known?.row.status ?? 500);
  if (known?.retryAfterSeconds !== undefined) void reply.header('Retry-After', known.retryAfterSeconds);
}

/** A page's form is small: anything longer was not sent by it. */
const MAX_FORM_BYTES = 8 * 1024;

/** Bodies of forms and nothing else. */
export function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  const options = { parseAs: 'string', bodyLimit: MAX_FORM_BYTES } as const;
  scope.addContentTypeParser<string>('application/x-www-form-urlencoded', options, (_request, body, parsed) => {
    parsed(null, new URLSearchParams(body));
  });
}

/** The address of an invoice's page, in the language of the request. */
export function addressOf(id: string, request: FastifyRequest, wish: Readonly<Record<string, string>>): string {
  const lang = languageAsked(request);
  const query = new URLSearchParams({ ...(lang !== undefined && { lang }), ...wish }).toString();
  return `/pay/${encodeURIComponent(id)}${query && `?${query}`}`;
}

/** The id in the path of a page. */
export const idOf = ({ params }: FastifyRequest): string => (params as { id: string }).id;
