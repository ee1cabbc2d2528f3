// Checks what must hold of every answer, whatever was requested.

import { ERRORS, type ErrorRow } from '../../src/values/errors.ts';
import type { DocumentedOperation } from '../../test/docs/openapi-document.fixture.ts';
import type { RestCall } from '../send/rest-calls.ts';
import type { Json, WireAnswer, WireRequest } from '../state/http.ts';

const ROWS: ReadonlyMap<string, ErrorRow> = new Map(Object.values(ERRORS).map((row) => [row.code, row]));

/** The row in the table of errors of a code that a caller may see; undefined if there is none. */
export const rowOf = (code: unknown): ErrorRow | undefined => ROWS.get(String(code));

const NETWORK_UNAVAILABLE = ERRORS.NETWORK_UNAVAILABLE.code;
const OTHER_NETWORKS = /"(BTC|LTC|BSC|POLYGON|ARBITRUM|OPTIMISM|BASE|AVALANCHE|TRON|SOL|TRC20|BEP20|MATIC|SPL)"/i;

/** Whether a failure on our side is legitimate: the request names a network this deployment has no node for. */
export function isRightful(code: unknown, asked: string): boolean {
  return String(code) === NETWORK_UNAVAILABLE && OTHER_NETWORKS.test(asked);
}

/** Internal details that no answer may disclose. */
const INSIDES =
  /node_modules|\bat (async )?[\w.<>]+ \(?(file|node):|syntax error at or near|invalid byte sequence|duplicate key value|violates .* constraint/;

/** A request head that is not HTTP, or too large, is refused before its path and operation are known. */
export const isNoHttp = ({ status, headers, body }: WireAnswer): boolean =>
  headers['connection'] === 'close' &&
  (status === 400 || status === 431) &&
  body?.error?.code === ERRORS.MALFORMED_JSON.code;

/** Checks the rules of every answer over HTTP. */
export function faultsOfAnswer({ headers, body }: WireRequest, answer: WireAnswer): string[] {
  const faults: string[] = [];
  const id = answer.headers['x-request-id'];
  const own = headers['x-request-id'];
  if (typeof id !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(id)) faults.push('the answer has no X-Request-Id');
  else if (own !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(own) && own !== id && !isNoHttp(answer))
    faults.push("the answer lacks the caller's X-Request-Id");
  if (INSIDES.test(answer.text)) faults.push('the answer discloses internal details');
  if (answer.status >= 500 && !isRightful(answer.body?.error?.code, String(body)))
    faults.push(`answered with ${answer.status}`);
  return faults;
}

/** Checks the envelope of a failure, and that its code has this status. */
export function faultsOfEnvelope({ status, body, text }: WireAnswer): string[] {
  const row = rowOf(body?.error?.code);
  const isEnvelope =
    body?.success === false && typeof body.error?.message === 'string' && Object.keys(body as object).length === 2;
  if (!isEnvelope || !row) return [`not the envelope of a failure: ${text.slice(0, 200)}`];
  return row.status === status ? [] : [`the code ${row.code} has status ${row.status}, not ${status}`];
}

type Checker = (operation: DocumentedOperation, answer: WireAnswer) => string[];

/** Checks the rules of a REST call. */
export function faultsOfRest(call: RestCall, answer: WireAnswer, check: Checker): string[] {
  const { plan, request } = call;
  const { operation, method, tail } = plan;
  const faults = faultsOfAnswer(request, answer);
  const isItself = (method === null || method === operation.method) && !/^[/;%#]/.test(tail) && hasOwnPath(call);
  const code: unknown = answer.body?.error?.code;
  if (isNoHttp(answer)) return faults;
  if (!isItself || code === ERRORS.METHOD_NOT_ALLOWED.code) {
    // Another path or method, which this operation's documentation does not cover.
    if (answer.status >= 400 && request.method !== 'HEAD') faults.push(...faultsOfEnvelope(answer));
    return faults;
  }
  faults.push(...check(operation, answer));
  if (answer.status >= 400) faults.push(...faultsOfEnvelope(answer));
  else faults.push(...faultsOfAccess(call));
  if (call.repeats !== null) faults.push(...faultsOfRepeat(call.repeats, answer));
  return faults;
}

/** Whether the path is the operation's own: a parameter that is empty or dots turns it into another path. */
function hasOwnPath({ plan, request }: RestCall): boolean {
  const parts = (request.target.split('?')[0] ?? '').split('/');
  const isPlain = (part: string | undefined) => part !== undefined && part !== '' && part !== '.' && part !== '..';
  return plan.operation.path.split('/').every((part, index) => !part.startsWith('{') || isPlain(parts[index]));
}

/** Finds success for a caller without valid credentials, without the permission, or of another merchant. */
function faultsOfAccess({ plan, repeats }: RestCall): string[] {
  const { access, operation } = plan;
  if (!operation.needsToken || repeats !== null) return [];
  const lacks = access === 'narrow' && operation.permission !== null && operation.permission !== 'READ_PAYMENTS';
  const isOthers = access === 'foreign' && operation.path.includes('{');
  const isSecret = access === 'secret' && !operation.node.security.some((way: Json) => 'secret' in way);
  const isNobody = ['none', 'tampered', 'unsigned', 'nonsense', 'basic'].includes(access);
  return lacks || isOthers || isSecret || isNobody ? [`answered to the caller "${access}"`] : [];
}

/**
 * What a repeat shows otherwise: secrets are shown once; on a customer's page the merchant's look and what coins would
 * cost are always those of now.
 */
const NOT_REPEATED: ReadonlySet<string> = new Set([
  ...['secret', 'key'],
  ...['options', 'companyName', 'logoUrl', 'accentColor', 'locale'],
]);

function faultsOfRepeat(first: WireAnswer, again: WireAnswer): string[] {
  if (again.headers['idempotent-replayed'] !== 'true') return ['a repeat does not say that it is one'];
  const plain = ({ status, body }: WireAnswer) =>
    JSON.stringify([status, body], (name, value: unknown) => (NOT_REPEATED.has(name) ? null : value));
  if (plain(first) !== plain(again)) return [`a repeat is not what was answered first: ${first.text.slice(0, 200)}`];
  const shown = JSON.stringify(again.body).match(/"(sk_test_|whsec_)/);
  return shown ? ['a repeat shows a secret again'] : [];
}
