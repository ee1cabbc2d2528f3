// How Apollo Server answers requests that are refused before execution: with our codes, statuses and headers.

import { HeaderMap, type GraphQLRequestContext } from '@apollo/server';
import { GraphQLError, OperationTypeNode, type OperationDefinitionNode } from 'graphql';
import type { OperationContext } from '../../access/caller.ts';
import { VALIDATION_FAILED } from '../../graphql/prepare.ts';
import { GatewayError, type ErrorName } from '../../values/errors.ts';
import { formatGraphQLError } from './errors.ts';

/** The answer to a refusal before validation, which Apollo takes for an internal failure. */
export function refusedUnread(error: GraphQLError, request: GraphQLRequestContext<OperationContext>): GraphQLError {
  const { requestId, call } = request.contextValue;
  const { originalError: cause, nodes = null, source = null, positions = null } = error;
  const own = cause instanceof GatewayError ? cause : null;
  const extended = own ? error : new GraphQLError(error.message, { extensions: { code: VALIDATION_FAILED } });
  const { message, extensions = {} } = formatGraphQLError(extended, requestId);
  if (call && typeof extensions['errorCode'] === 'string') call.errorCode = extensions['errorCode'];
  const status = own ? own.row.status : wantsPlainJson(request) ? 200 : 400;
  const wait = own?.retryAfterSeconds;
  const headers = new HeaderMap(wait === undefined ? [] : [['retry-after', String(wait)]]);
  return new GraphQLError(message, {
    nodes,
    source,
    positions,
    extensions: { ...extensions, http: { status, headers } },
  });
}

/**
 * When to try again, where an error says so. A rate limit is told by its status even where only the resolver could
 * count, as it is for calls with credentials, and so is another cell: clients and proxies look for it there.
 */
export function tellLimits(
  { response }: GraphQLRequestContext<OperationContext>,
  errors: readonly GraphQLError[],
): void {
  const causes = errors.map(({ originalError }) => originalError).filter((cause) => cause instanceof GatewayError);
  const waits = causes.flatMap(({ retryAfterSeconds = [] }) => retryAfterSeconds);
  if (waits.length > 0) response?.http.headers.set('retry-after', String(Math.max(...waits)));
  const [first] = causes;
  const isOfOneKind =
    causes.length === errors.length && causes.every(({ errorName }) => errorName === first?.errorName);
  if (isOfOneKind && first && TOLD_BY_STATUS.has(first.errorName) && response) response.http.status = first.row.status;
}

const TOLD_BY_STATUS: ReadonlySet<ErrorName> = new Set(['RATE_LIMITED', 'MISDIRECTED']);

/**
 * Whether the caller asks for `application/json` by name. The specification of GraphQL over HTTP (section 6.4.1) has
 * such an answer be 200 whatever is wrong with the operation, for clients that read the body of nothing else. A
 * client that does not say what it takes is told by the status too.
 */
export function wantsPlainJson({ request }: GraphQLRequestContext<OperationContext>): boolean {
  return request.http?.headers.get('accept') === 'application/json';
}

/** Faults of the document, its variables or its name, as opposed to faults of the HTTP request. */
const OF_OPERATION: ReadonlySet<unknown> = new Set([
  ...['GRAPHQL_PARSE_FAILED', VALIDATION_FAILED, 'BAD_USER_INPUT', 'OPERATION_RESOLUTION_FAILURE'],
]);
/** Whether an error is one of those. */
export const isOfOperation = ({ path, extensions }: GraphQLError) =>
  path === undefined && OF_OPERATION.has(extensions['code']);

/** Subscriptions are refused here before execution: an answer without `data` must not be 200. */
export function refusalOfSubscription({ operation }: OperationDefinitionNode): GatewayError | null {
  if (operation !== OperationTypeNode.SUBSCRIPTION) return null;
  return new GatewayError('VALIDATION', { message: 'Subscriptions need a web socket, or /graphql/stream' });
}

/** The refusal of a check before execution; null if it passed. */
export async function refusalOf(check: Promise<void>): Promise<GatewayError | null> {
  try {
    await check;
    return null;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

/**
 * Refuses an operation before it is executed. `code` is how Apollo calls such a refusal, where it has a name for it.
 */
export function throwIfAny(refusal: GatewayError | null, code?: string): void {
  if (refusal === null) return;
  const isOfInput = refusal.errorName === 'VALIDATION' && code !== undefined;
  const extensions = { http: { status: refusal.row.status }, ...(isOfInput && { code }) };
  throw new GraphQLError('', { originalError: refusal, extensions });
}
