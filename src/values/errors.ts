// The table of all errors that a caller can see: name → code, HTTP status, GraphQL code, default message (contract,
// section 8).

/** One row of the table. `code` is the public four-digit code. */
export interface ErrorRow {
  readonly code: string;
  readonly status: number;
  readonly graphql: string;
  readonly message: string;
}

const row = (code: string, status: number, graphql: string, message: string): ErrorRow => ({
  code,
  status,
  graphql,
  message,
});

export const ERRORS = {
  MISSING_TOKEN: row('1001', 401, 'UNAUTHENTICATED', 'Send an access token: Authorization: Bearer <token>'),
  INVALID_TOKEN: row('1002', 401, 'UNAUTHENTICATED', 'The access token is invalid or has expired'),
  ADDRESS_NOT_ALLOWED: row('1003', 403, 'FORBIDDEN', "Your address is not on the key's allow-list"),
  MISSING_PERMISSION: row('1004', 403, 'FORBIDDEN', 'Missing permission'),
  WRONG_CREDENTIALS: row('1005', 401, 'UNAUTHENTICATED', 'Wrong credentials'),
  KEY_REVOKED: row('1006', 401, 'UNAUTHENTICATED', 'The API key was revoked'),
  OTHER_ENVIRONMENT: row('1007', 401, 'UNAUTHENTICATED', 'This key or token belongs to the other environment'),
  HTTPS_REQUIRED: row('1008', 403, 'FORBIDDEN', 'Use HTTPS'),
  SECOND_FACTOR_NEEDED: row('1009', 401, 'UNAUTHENTICATED', 'Send a code of your second factor as well'),
  CONFIRMATION_NEEDED: row('1010', 403, 'FORBIDDEN', 'Confirm that it is you, and try again'),
  REGISTRATION_CLOSED: row('1011', 403, 'FORBIDDEN', 'Registration is closed; ask the operator for an account'),
  MERCHANT_SUSPENDED: row('1012', 403, 'FORBIDDEN', 'The operator of this gateway has suspended this merchant'),
  HELD: row('1013', 403, 'FORBIDDEN', 'You have to wait before you may do this'),
  FACTOR_NEEDED: row('1014', 403, 'FORBIDDEN', 'Set up a second factor first'),
  VALIDATION: row('2001', 400, 'BAD_USER_INPUT', 'The request is not valid'),
  IDEMPOTENCY_MISMATCH: row('2002', 422, 'BAD_USER_INPUT', 'This Idempotency-Key was used with another request'),
  IDEMPOTENCY_IN_FLIGHT: row('2003', 409, 'CONFLICT', 'A request with this Idempotency-Key is still in flight'),
  NOT_FOUND: row('2004', 404, 'NOT_FOUND', 'There is no such resource'),
  METHOD_NOT_ALLOWED: row('2005', 405, 'BAD_REQUEST', 'This path does not take that method'),
  BODY_TOO_LARGE: row('2006', 413, 'BAD_REQUEST', 'The body is larger than this call takes'),
  MEDIA_TYPE: row('2007', 415, 'BAD_REQUEST', 'Send Content-Type: application/json'),
  MALFORMED_JSON: row('2008', 400, 'BAD_REQUEST', 'The body is not well-formed JSON'),
  EMAIL_TAKEN: row('2009', 409, 'CONFLICT', 'This e-mail address is already registered'),
  LAST_OWNER: row('2010', 409, 'CONFLICT', 'The last owner stays: make somebody else an owner first'),
  PEOPLE_CONFLICT: row('2011', 409, 'CONFLICT', 'This does not fit the people and roles that there are'),
  NO_MAIL: row('2012', 503, 'UNAVAILABLE', 'This gateway sends no mail: ask its operator'),
  CUSTOMER_IN_USE: row('2013', 409, 'CONFLICT', 'Something of this customer is under way: see details'),
  EVENT_ERASED: row('2014', 409, 'CONFLICT', 'This event was erased, and is not sent again'),
  UNSUPPORTED_ASSET: row('3001', 400, 'BAD_USER_INPUT', 'This currency is not supported on this network'),
  BELOW_MINIMUM: row('3002', 400, 'BAD_USER_INPUT', 'The amount is below the minimum'),
  ABOVE_MAXIMUM: row('3003', 400, 'BAD_USER_INPUT', 'The amount is above the maximum'),
  REFERENCE_USED: row('3004', 409, 'CONFLICT', 'This merchantInvoiceId was used with other input'),
  WRONG_STATE: row('3005', 409, 'CONFLICT', 'The payment cannot be canceled or accepted in its present state'),
  NOT_REFUNDABLE: row('3006', 409, 'CONFLICT', 'The payment cannot be refunded by this amount'),
  NETWORK_UNAVAILABLE: row('3007', 503, 'UNAVAILABLE', 'This network is not available at the moment'),
  NOT_QUOTED: row('3008', 400, 'BAD_USER_INPUT', 'Nothing here quotes this currency'),
  TAKES_NO_MORE: row('3009', 409, 'CONFLICT', 'This invoice or link takes no more payments'),
  NO_RATE: row('3010', 503, 'UNAVAILABLE', 'There is no rate for this coin at the moment'),
  TOO_MANY_CHOICES: row('3011', 409, 'CONFLICT', 'Coins were chosen too often for this invoice'),
  INSUFFICIENT_FUNDS: row('4001', 409, 'CONFLICT', 'The available balance does not cover this'),
  BAD_ADDRESS: row('4002', 400, 'BAD_USER_INPUT', 'This is not an address on that network'),
  DUST: row('4003', 400, 'BAD_USER_INPUT', 'The amount is too small to be sent'),
  DUPLICATE_WITHDRAWAL: row('4005', 409, 'CONFLICT', 'This merchantWithdrawalId was used before'),
  NOT_IN_BOOK: row('4006', 409, 'CONFLICT', 'This address is not in the book of payout addresses'),
  OVER_LIMIT: row('4007', 409, 'CONFLICT', 'This is over a limit of the payout policy'),
  ALREADY_DECIDED: row('4008', 409, 'CONFLICT', 'This was decided already, or has changed since'),
  PAYOUTS_FROZEN: row('4009', 503, 'UNAVAILABLE', 'The operator has frozen payouts; try again later'),
  SECOND_PERSON: row('4010', 403, 'FORBIDDEN', 'Somebody else has to decide this'),
  WEBHOOK_URL_REFUSED: row('5001', 400, 'BAD_USER_INPUT', 'Webhooks may not be sent to this URL'),
  RATE_LIMITED: row('9001', 429, 'RATE_LIMITED', 'Too many requests'),
  MISDIRECTED: row('9421', 421, 'MISDIRECTED', 'This belongs to another cell of this gateway'),
  INTERNAL: row('9500', 500, 'INTERNAL_SERVER_ERROR', 'Something went wrong on our side'),
  OVERLOADED: row('9503', 503, 'UNAVAILABLE', 'Overloaded or shutting down; try again shortly'),
} as const satisfies Record<string, ErrorRow>;

export type ErrorName = keyof typeof ERRORS;

/** One fault of a request: the dotted path of the field as the caller sent it, and what is wrong with it. */
export interface Fault {
  readonly path: string;
  readonly message: string;
  /** The code that a request of this row alone would have been refused with. */
  readonly code?: string;
}

interface ErrorOptions {
  message?: string;
  details?: readonly Fault[];
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** The only error that we throw on purpose. Any other error is logged in full and shown to callers as INTERNAL. */
export class GatewayError extends Error {
  readonly errorName: ErrorName;
  readonly details: readonly Fault[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(errorName: ErrorName, options: ErrorOptions = {}) {
    super(options.message ?? ERRORS[errorName].message, { cause: options.cause });
    this.name = 'GatewayError';
    this.errorName = errorName;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get row(): ErrorRow {
    return ERRORS[this.errorName];
  }
}

/** The error of somebody who lacks a permission (1004), or OWNER: who is not an owner of the account. */
export function lacking(permission: string): GatewayError {
  const message = permission === 'OWNER' ? "Only the account's owner may do this" : `Missing permission: ${permission}`;
  return new GatewayError('MISSING_PERMISSION', { message });
}

/** The most faults listed in one error. A request with more repeats the same mistake. */
export const MOST_FAULTS = 100;

/** A validation error (2001) that lists the faults found. */
export function invalid(all: readonly Fault[]): GatewayError {
  const rest = all.length - MOST_FAULTS;
  const faults = rest > 0 ? [...all.slice(0, MOST_FAULTS), { path: '', message: 'There are more faults' }] : all;
  const message = faults.map((fault) => (fault.path ? `${fault.path}: ${fault.message}` : fault.message)).join('; ');
  return new GatewayError('VALIDATION', { message: message || ERRORS.VALIDATION.message, details: faults });
}
