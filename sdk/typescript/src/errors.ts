// What a call can throw, as classes: each says what a program can do about it.

/** One fault of a request: the field, dotted as in your body, and what is wrong with it. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
  readonly code?: string;
}

/** Everything that the SDK throws by itself, but for a TypeError at wrong options. */
export class TurnpikeError extends Error {
  override readonly name: string = 'TurnpikeError';
}

/** The gateway did not answer, or not whole. If the call was one that creates, its key makes a repetition safe. */
export class ConnectionError extends TurnpikeError {
  override readonly name: string = 'ConnectionError';
}

/** The gateway did not answer in time. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
}

/** What the gateway said when it refused. */
export interface Refusal {
  /** The gateway's code (docs/guide/errors.md); null if something else answered, such as a proxy. */
  readonly code: string | null;
  /** The HTTP status. */
  readonly status: number;
  readonly message: string;
  /** Quote it when you ask the operator for help. */
  readonly requestId: string | null;
  /** How long to wait, in seconds, if the gateway said so. */
  readonly retryAfter: number | null;
  /** Every fault of the request, with 2001 and 5001. */
  readonly details: readonly ErrorDetail[];
}

/** The gateway refused a call. The subclasses follow its status. */
export class ApiError extends TurnpikeError implements Refusal {
  override readonly name: string = 'ApiError';
  readonly code: string | null;
  readonly status: number;
  readonly requestId: string | null;
  readonly retryAfter: number | null;
  readonly details: readonly ErrorDetail[];

  constructor(refusal: Refusal) {
    super(refusal.code === null ? refusal.message : `${refusal.message} (${refusal.code})`);
    this.code = refusal.code;
    this.status = refusal.status;
    this.requestId = refusal.requestId;
    this.retryAfter = refusal.retryAfter;
    this.details = refusal.details;
  }
}

/** 401: the key is wrong, revoked, or of the other environment. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 403: the key lacks a permission, or may not be used from this address. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}

/** 400, 413, 415, 422: the input is at fault; `details` says where. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError';
}

/** 404: there is no such thing, or it is another merchant's. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409: the state of things does not allow it. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** 429: too many calls; `retryAfter` says how long to wait. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** 5xx: the gateway, or a network of it, is not available. */
export class UnavailableError extends ApiError {
  override readonly name = 'UnavailableError';
}

/** The class of a status. */
export function errorOf(refusal: Refusal): ApiError {
  const { status } = refusal;
  if (status === 401) return new AuthenticationError(refusal);
  if (status === 403) return new PermissionError(refusal);
  if (status === 404) return new NotFoundError(refusal);
  if (status === 409) return new ConflictError(refusal);
  if (status === 429) return new RateLimitError(refusal);
  if (status >= 500) return new UnavailableError(refusal);
  return [400, 413, 415, 422].includes(status) ? new ValidationError(refusal) : new ApiError(refusal);
}
