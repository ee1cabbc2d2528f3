// schema/openapi.json as the SDKs need it: what is sent and what a success answers. Errors, headers and examples are
// the same for all calls or are prose, and would make the types many times as long.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A JSON Schema as the document has it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | null)[];
  readonly const?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

/** A parameter of a path or a query. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly $ref?: string;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
}

/** The gateway's document. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One operation, as an SDK calls it. */
export interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Takes an `Idempotency-Key`. */
  readonly keyed: boolean;
  /** Needs no token. */
  readonly open: boolean;
  readonly pathParameters: readonly string[];
  readonly query: readonly Parameter[];
  readonly body: Schema | null;
  readonly data: Schema;
}

const METHODS = ['get', 'post', 'put', 'delete'];

/** Reads the document of the sandbox, which has every operation. */
export const readDocument = (root: string): OpenApi =>
  JSON.parse(readFileSync(join(root, 'schema/openapi.json'), 'utf8')) as OpenApi;

/** All operations, in the document's order. */
export function operationsOf(document: OpenApi): Operation[] {
  return entriesOf(document).map(({ method, path, operation }) => {
    const parameters = operation.parameters ?? [];
    const data = successOf(operation)?.schema.properties?.['data'];
    if (!data) throw new Error(`${operation.operationId} answers no data`);
    return {
      ...{ name: operation.operationId, method: method.toUpperCase(), path, summary: operation.summary, data },
      keyed: parameters.some((one) => one.$ref?.endsWith('/IdempotencyKey')),
      open: operation.security?.length === 0,
      pathParameters: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
      query: parameters.filter((one) => one.in === 'query'),
      body: operation.requestBody?.content?.['application/json']?.schema ?? null,
    };
  });
}

/** The document with nothing but inputs and successes. */
export function trimmed(document: OpenApi): OpenApi {
  const paths: Record<string, Record<string, DocumentedOperation>> = {};
  for (const { method, path, operation } of entriesOf(document)) {
    const parameters = (operation.parameters ?? []).filter((one) => one.in === 'path' || one.in === 'query');
    const success = successOf(operation);
    const responses = { '200': { description: '', content: { 'application/json': success } } } as object;
    const { operationId, summary, requestBody } = operation;
    const kept = { operationId, summary, parameters, responses, ...(requestBody && { requestBody }) };
    (paths[path] ??= {})[method] = kept as DocumentedOperation;
  }
  const { openapi, info, components } = document;
  return withoutExamples({ openapi, info, paths, components: { schemas: components.schemas } }) as OpenApi;
}

function entriesOf(document: OpenApi): { method: string; path: string; operation: DocumentedOperation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => ({ method, path, operation })),
  );
}

function successOf(operation: DocumentedOperation): { readonly schema: Schema } | undefined {
  const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith('2')) ?? [];
  return success?.content?.['application/json'];
}

/** Where a value describes properties, a property may well be called `example`. */
function withoutExamples(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutExamples(one));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([name]) => isProperties || !/^examples?$/.test(name));
  return Object.fromEntries(
    kept.map(([name, one]) => [name, withoutExamples(one, name === 'properties' && !isProperties)]),
  );
}
