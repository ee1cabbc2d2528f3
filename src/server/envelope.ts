// Errors on their way out: the REST envelope, and the same error in GraphQL's words. Unknown errors are masked here and
// whole in the log, under the request id.

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

/** What of an error may be seen; anything that is no `GatewayError` is 9500 and says nothing. */
export function toPublicError(error: unknown): PublicError {
  const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL');
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

/** The envelope of failure (specification, section 1). */
export function failure({ code, message, details }: PublicError): object {
  return { success: false, error: { code, message, ...(details ? { details } : {}) } };
}

/** Whether an error is one of ours, which the log need not hold whole. */
export function isExpected(error: unknown): boolean {
  return error instanceof GatewayError && error.errorName !== 'INTERNAL';
}

interface FrameworkError {
  code?: unknown;
  statusCode?: unknown;
}

/** Fastify's own refusals as rows of our table. */
export function fromFastify(error: unknown): unknown {
  if (error instanceof GatewayError || error === null || typeof error !== 'object') return error;
  const { code, statusCode } = error as FrameworkError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) return new GatewayError('BODY_TOO_LARGE');
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || statusCode === 415) return new GatewayError('MEDIA_TYPE');
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY' || code === 'FST_ERR_CTP_INVALID_JSON_BODY')
    return new GatewayError('MALFORMED_JSON');
  // A path that cannot be decoded, or an identifier longer than any: there is no such thing.
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return new GatewayError('NOT_FOUND');
  if (statusCode === 400)
    return new GatewayError('MALFORMED_JSON', { message: 'The request is malformed', cause: error });
  if (statusCode === 503) return new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
  return error;
}
