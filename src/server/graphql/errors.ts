// GraphQL errors as callers see them: `extensions: { code, errorCode, requestId, details? }` (contract, section 8).

import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ERRORS, GatewayError, type ErrorRow, type Fault } from '../../values/errors.ts';
import type { FastifyBaseLogger } from 'fastify';
import { isExpected, toPublicError } from '../public-errors.ts';

/** Formats an error of an operation. Errors that are neither ours nor a refusal by GraphQL are masked, as over REST. */
export function formatGraphQLError(error: GraphQLError, requestId: string): GraphQLFormattedError {
  const { locations, path } = error.toJSON();
  const where = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  const shape = (message: string, code: string, errorCode: string, details?: readonly Fault[]) => ({
    message,
    ...where,
    extensions: { code, errorCode, requestId, ...(details ? { details } : {}) },
  });

  const cause = error.originalError ?? error;
  if (cause instanceof GatewayError) {
    const known = toPublicError(cause);
    return shape(known.message, known.graphql, known.code, known.details);
  }
  const code = String(error.extensions['code']);
  const row = refusals[code];
  // An error that graphql-js made itself carries no foreign cause; whatever else reaches this point is internal.
  const isOwn = !error.originalError || error.originalError instanceof GraphQLError;
  // 2001 goes with a code of the contract's table; Apollo has one for all requests that it cannot use.
  if (row && isOwn) return shape(error.message, code === 'BAD_REQUEST' ? row.graphql : code, row.code);
  if (isOwn && path === undefined) return shape(error.message, 'GRAPHQL_VALIDATION_FAILED', ERRORS.VALIDATION.code);
  const masked = toPublicError(cause);
  return shape(masked.message, masked.graphql, masked.code);
}

/** Logs the cause of an unexpected error; callers learn only that something failed. */
export function logUnexpected(log: Pick<FastifyBaseLogger, 'error'>, error: GraphQLError, requestId: string): void {
  const cause = error.originalError;
  if (cause && !(cause instanceof GraphQLError) && !isExpected(cause))
    log.error({ err: cause, requestId, path: error.path }, 'an operation failed');
}

/** Refusals by Apollo Server and graphql-js, by code. */
const refusals: Readonly<Record<string, ErrorRow>> = {
  GRAPHQL_PARSE_FAILED: ERRORS.MALFORMED_JSON,
  GRAPHQL_VALIDATION_FAILED: ERRORS.VALIDATION,
  BAD_USER_INPUT: ERRORS.VALIDATION,
  BAD_REQUEST: ERRORS.VALIDATION,
  OPERATION_RESOLUTION_FAILURE: ERRORS.VALIDATION,
  PERSISTED_QUERY_NOT_FOUND: ERRORS.VALIDATION,
  PERSISTED_QUERY_NOT_SUPPORTED: ERRORS.VALIDATION,
  INTERNAL_SERVER_ERROR: ERRORS.INTERNAL,
};
