// Reads an OpenAPI document as an integrator's tools do: its operations, and answers checked against its schemas.

import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Answer } from '../support/clients.ts';

/** Parsed JSON, not typed: the assertions of the tests check it. */
export type Json = ReturnType<typeof JSON.parse>;

export interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly node: Json;
  /** The one status of success. */
  readonly status: number;
  readonly needsToken: boolean;
  /** The permission that it requires, if any. */
  readonly permission: string | null;
  /** The schema of the body, if it takes one. */
  readonly body: Json;
  readonly example: Json;
  /** Whether it takes an Idempotency-Key. */
  readonly isIdempotent: boolean;
}

/** Every operation of a document, in its order. */
export function operationsOf(document: Json): DocumentedOperation[] {
  return Object.entries(document.paths as Record<string, Record<string, Json>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, node]) => {
      const content = node.requestBody?.content['application/json'];
      return {
        ...{ id: node.operationId as string, method: method.toUpperCase(), path, node },
        status: Number(Object.keys(node.responses as object).find((status) => status.startsWith('2'))),
        needsToken: (node.security as Json[]).length > 0,
        permission: /Needs `(\w+)`/.exec(node.description as string)?.[1] ?? null,
        body: content?.schema ?? null,
        example: content?.example,
        isIdempotent: JSON.stringify(node.parameters).includes('IdempotencyKey'),
      };
    }),
  );
}

/** What the document does not allow in an answer, undocumented keys included; empty if it is as documented. */
export function createChecker(document: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(closed(document) as object, 'openapi.json');
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = (at: string) => {
    const validate = validators.get(at) ?? ajv.compile({ $ref: `openapi.json#/${at}` });
    validators.set(at, validate);
    return validate;
  };
  const pointer = (parts: readonly string[]) =>
    parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const messagesOf = (at: string, value: Json): string[] => {
    const validate = validatorOf(at);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`);
  };
  const webhookFaults = (type: string, body: Json): string[] =>
    document.webhooks[type]
      ? messagesOf(pointer(['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema']), body)
      : [`the webhook ${type} is not documented`];
  const faultsOf = ({ path, method, node }: DocumentedOperation, answer: Answer): string[] => {
    const status = String(answer.status);
    const documented = node.responses[status];
    if (!documented) return [`the status ${status} is not documented: ${answer.text}`];
    const shared = (documented.$ref as string | undefined)?.split('/').at(-1);
    const place = shared
      ? ['components', 'responses', shared]
      : ['paths', path, method.toLowerCase(), 'responses', status];
    const type = answer.headers['content-type']?.split(';')[0] ?? '';
    if (!(shared ? document.components.responses[shared] : documented).content[type])
      return [`the type ${type} is not documented for ${status}`];
    if (type !== 'application/json') return [];
    const at = pointer([...place, 'content', type, 'schema']);
    return messagesOf(at, answer.body).map((message) => `${message}: ${answer.text}`);
  };
  return { faultsOf, webhookFaults };
}

/** A copy in which no object allows keys that are not listed: answers may not say more than is documented. */
function closed(value: Json): Json {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== 'object') return value;
  const copy = Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [name, closed(inner)]),
  ) as Json;
  const isObject = [copy.type].flat().includes('object') && typeof copy.properties === 'object';
  return isObject && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
}
