// The responses of a REST call in the OpenAPI document: success in its envelope, and every possible error.

import { ERRORS, type ErrorName, type ErrorRow } from '../../values/errors.ts';
import { exampleOfError } from './recorded-answers.ts';
import type { Json } from './schemas.ts';
import type { Route } from '../routes/route.ts';

/** Headers of responses, shared by reference. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'X-Request-Id': { description: 'The id of this call: quote it when you ask about it.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Calls in a window. Absent where the limit is off.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Calls left in this window.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the window ends.', schema: { type: 'integer' } },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description: '`true` where this repeats the answer to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

const headers = (...names: readonly (keyof typeof HEADERS)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const ALWAYS = ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/**
 * What an operation's answers are derived from. `need` is the permission it requires, `TOKEN` if any valid token will
 * do, null if it needs none.
 */
interface Answering {
  readonly route: Route;
  readonly need: string | null;
  /** The schema of `data`. */
  readonly data: Json;
  /** A whole answer. */
  readonly example: Json | undefined;
}

/** `responses` of an operation. Failures are shared: they are added to `shared`, named by their status and codes. */
export function describeAnswers({ route, need, ...success }: Answering, shared: Record<string, Json>): Json {
  const byStatus = Map.groupBy(errorsOf(route, need), ({ status }) => status);
  const failures = [...byStatus].map(([status, rows]) => {
    const name = [`Failure${status}`, ...rows.map(({ code }) => code)].join('_');
    shared[name] ??= failureAnswer(rows);
    return [status, { $ref: `#/components/responses/${name}` }];
  });
  return { [route.status]: successAnswer(route, success), ...(Object.fromEntries(failures) as Json) };
}

/** Every error that a call may get, in the order of their codes. */
function errorsOf(route: Route, need: string | null): ErrorRow[] {
  const takesBody = route.method === 'POST' || route.method === 'PUT';
  const names = new Set<ErrorName>([
    ...(need === null ? [] : (['MISSING_TOKEN', 'INVALID_TOKEN', 'KEY_REVOKED', 'OTHER_ENVIRONMENT'] as const)),
    ...(need === null || need === 'TOKEN' ? [] : (['MISSING_PERMISSION'] as const)),
    ...(isRefusedToSuspended(route, need) ? (['MERCHANT_SUSPENDED'] as const) : []),
    ...(['ADDRESS_NOT_ALLOWED', 'HTTPS_REQUIRED', 'VALIDATION'] as const),
    ...(route.idempotent ? (['IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_IN_FLIGHT'] as const) : []),
    ...(route.path.includes(':') ? (['NOT_FOUND'] as const) : []),
    ...(takesBody ? (['BODY_TOO_LARGE', 'MEDIA_TYPE', 'MALFORMED_JSON'] as const) : []),
    ...(route.errors ?? []),
    ...(['RATE_LIMITED', 'INTERNAL', 'OVERLOADED'] as const),
  ]);
  return [...names].map((name) => ERRORS[name]).sort((one, other) => one.code.localeCompare(other.code));
}

/** What changes something of a merchant, and their pages for customers. */
const isRefusedToSuspended = ({ method, path }: Route, need: string | null): boolean =>
  (method !== 'GET' && need !== null) || path.startsWith('/checkout');

function successAnswer(
  { inParts, asCsv: columns, message, idempotent }: Route,
  { data, example }: Pick<Answering, 'data' | 'example'>,
): Json {
  const properties: Json = { success: { const: true }, data };
  if (message !== undefined)
    properties['message'] = { type: 'string', description: 'A sentence for people.', examples: [message] };
  const envelope = { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  const asCsv = inParts || columns ? { 'text/csv': { schema: { type: 'string' } } } : {};
  return {
    description: 'Success.',
    headers: headers(...ALWAYS, ...(idempotent ? (['Idempotent-Replayed'] as const) : [])),
    content: { 'application/json': { schema: envelope, ...(example && { example }) }, ...asCsv },
  };
}

/** The failures of one status: their codes as text, and a schema that narrows `Failure` to them. */
function failureAnswer(rows: readonly ErrorRow[]): Json {
  const codes = rows.map(({ code }) => code);
  const narrowed = {
    $ref: '#/components/schemas/Failure',
    properties: { error: { properties: { code: { enum: codes } } } },
  };
  const examples = Object.fromEntries(
    rows.map((row) => [row.code, { summary: row.message, value: exampleOfError(row) }]),
  ) as Json;
  const isPassing = rows.some(({ status }) => status === 429 || status === 503);
  return {
    description: rows.map(({ code, message }) => `- \`${code}\` ${message}.`).join('\n'),
    headers: headers(...ALWAYS, ...(isPassing ? (['Retry-After'] as const) : [])),
    content: { 'application/json': { schema: narrowed, examples } },
  };
}

/** The failure envelope, with every error code. */
export function failureSchema(): Json {
  const rows = Object.values(ERRORS);
  const fault = {
    type: 'object',
    description: 'One fault of a request.',
    properties: {
      path: { type: 'string', description: 'The field, dotted as in your body; empty for the body itself.' },
      message: { type: 'string', description: 'What is wrong with it.' },
      code: {
        type: 'string',
        description: 'Of a row of a batch: the code that it would have been refused with alone.',
      },
    },
    required: ['path', 'message'],
  };
  const codes = rows.map(({ code, status, message }) => `- \`${code}\` (${String(status)}) ${message}.`);
  const error = {
    type: 'object',
    description: 'What went wrong.',
    properties: {
      code: {
        type: 'string',
        enum: rows.map(({ code }) => code),
        description: ['Stable, and made for programs.', '', ...codes].join('\n'),
      },
      message: { type: 'string', description: 'For people; may change.' },
      details: { type: 'array', items: fault, description: 'With 2001 and 5001: every fault by its path.' },
    },
    required: ['code', 'message'],
  };
  return {
    type: 'object',
    description: 'Every failure, whatever its status.',
    properties: { success: { const: false }, error },
    required: ['success', 'error'],
  };
}
