// Errors as callers see them: the REST envelope, and the same error for GraphQL. Unknown errors are masked here and
// logged whole under the request id.

import { GatewayError } from '../values/errors.ts';

/** An error as a caller may see it. */
export interface PublicError {
  readonly status: number;
  readonly code: string;
  readonly graphql: string;
  readonly message: string;
  readonly details?: readonly { path: string; message: string }[];
  readonly retryAfterSeconds?: number;
}

/**
 * The public part of an error. An error that is not a `GatewayError` reveals nothing: it becomes 9503 while the
 * database cannot be reached, which is temporary, and 9500 otherwise.
 */
export function toPublicError(error: unknown): PublicError {
  const known = error instanceof GatewayError ? error : maskOf(error);
  const { status, code, graphql } = known.row;
  return {
    status,
    code,
    graphql,
    message: known.message,
    ...(known.details ? { details: known.details } : {}),
    ...(known.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: known.retryAfterSeconds }),
  };
}

function maskOf(error: unknown): GatewayError {
  return isOutage(error) ? new GatewayError('OVERLOADED', { retryAfterSeconds: 1 }) : new GatewayError('INTERNAL');
}

/** Codes of failing sockets, and SQLSTATEs of a PostgreSQL that starts, stops, or lacks disk, memory or connections. */
const OUTAGES =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ENOENT|EAGAIN|ETIMEDOUT|EHOSTUNREACH|08[0-9A-Z]{3}|57P0[1-4]|53[1-3]00)$/;
const OUTAGE_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection/;

/** Whether an error, or its cause, means that the database is unavailable. */
export function isOutage(error: unknown, depth = 0): boolean {
  if (error === null || typeof error !== 'object' || depth > 5) return false;
  const { code, message, cause, syscall } = error as Record<string, unknown>;
  const isFile = (code === 'ENOENT' || code === 'EAGAIN') && syscall !== 'connect';
  if (typeof code === 'string' && OUTAGES.test(code) && !isFile) return true;
  if (typeof message === 'string' && OUTAGE_MESSAGES.test(message)) return true;
  return isOutage(cause, depth + 1);
}

/** The envelope of failure (specification, section 1). */
export function failure({ code, message, details }: PublicError): object {
  return { success: false, error: { code, message, ...(details ? { details } : {}) } };
}

/** Whether an error is one of ours, which need not be logged whole. */
export function isExpected(error: unknown): boolean {
  return error instanceof GatewayError && error.errorName !== 'INTERNAL';
}

interface FrameworkError {
  code?: unknown;
  statusCode?: unknown;
}

/** Errors of Fastify itself as rows of our table. */
export function fromFastify(error: unknown): unknown {
  if (error instanceof GatewayError || error === null || typeof error !== 'object') return error;
  const { code, statusCode } = error as FrameworkError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) return new GatewayError('BODY_TOO_LARGE');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || statusCode === 415) return new GatewayError('MEDIA_TYPE');
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY' || code === 'FST_ERR_CTP_INVALID_JSON_BODY')
    return new GatewayError('MALFORMED_JSON');
  // A path that cannot be decoded, or an identifier that is too long: nothing exists there.
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return new GatewayError('NOT_FOUND');
  if (statusCode === 400)
    return new GatewayError('MALFORMED_JSON', { message: 'The request is malformed', cause: error });
  if (statusCode === 503) return new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
  return error;
}
