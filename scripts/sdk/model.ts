// The document as the generators of Python, PHP and Go read it: types that have names, and operations.

import { operationsOf, type OpenApi, type Operation, type Schema } from './document.ts';

/** A type where it is used. */
export interface TypeRef {
  readonly kind: 'string' | 'integer' | 'number' | 'boolean' | 'any' | 'map' | 'list' | 'ref';
  /** Of a list. */
  readonly of?: TypeRef;
  /** Of a type that has a name. */
  readonly name?: string;
  readonly nullable: boolean;
}

/** One field of an object, or one filter of a list. */
export interface Field {
  readonly name: string;
  readonly type: TypeRef;
  readonly required: boolean;
  readonly description: string;
}

/** A type with a name: an object with fields, or one of several texts. */
export interface NamedType {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly Field[];
  /** Null for an object. */
  readonly values: readonly string[] | null;
}

/** An operation with the types of its input and answer. */
export interface Call extends Pick<Operation, 'name' | 'method' | 'path' | 'summary' | 'keyed' | 'open'> {
  readonly ids: readonly string[];
  /** Without the format, and without the cursor of a list that is read as a loop. */
  readonly filters: readonly Field[];
  readonly input: TypeRef | null;
  /** Whether `{}` is an input. */
  readonly mayBeEmpty: boolean;
  readonly data: TypeRef;
  /** What a list consists of, if it has pages. */
  readonly item: TypeRef | null;
}

/** Everything that is generated from. */
export interface Model {
  readonly types: readonly NamedType[];
  readonly calls: readonly Call[];
}

/** `event_id` → `EventId`. */
export const capitalised = (name: string): string =>
  name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Reads the document. What is described in place gets a name from where it is. */
export function modelOf(document: OpenApi): Model {
  const types = new Map<string, NamedType>();
  const name = (schema: Schema, hint: string): TypeRef => refOf(schema, hint, (found) => types.set(found.name, found));
  for (const [own, schema] of Object.entries(document.components.schemas)) name(schema, own);
  const calls = operationsOf(document).map((operation): Call => {
    const { pathParameters, query, body } = operation;
    const data = name(operation.data, `${capitalised(operation.name)}Data`);
    const fields = types.get(data.name ?? '')?.fields ?? [];
    const isPaged = fields.some((one) => one.name === 'pagination' || one.name === 'hasMore');
    const skipped = ['format', ...(isPaged ? ['cursor'] : [])];
    const filters = query
      .filter((one) => !skipped.includes(one.name))
      .map((one): Field => ({
        ...{ name: one.name, type: name(one.schema, `${capitalised(operation.name)}${capitalised(one.name)}`) },
        ...{ required: one.required ?? false, description: one.description ?? '' },
      }));
    const input = body && name(body, `${capitalised(operation.name)}Input`);
    const mayBeEmpty = !types.get(input?.name ?? '')?.fields.some(({ required }) => required);
    const item = isPaged ? (fields.find((one) => one.name === 'items')?.type.of ?? null) : null;
    return { ...operation, ids: pathParameters, filters, input, mayBeEmpty, data, item };
  });
  const sorted = [...types.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { types: sorted, calls };
}

function refOf(schema: Schema, hint: string, add: (type: NamedType) => void): TypeRef {
  const [only, ...others] = (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  if (only && others.length === 0) return { ...refOf(only, hint, add), nullable: true };
  if (schema.$ref) return { kind: 'ref', name: schema.$ref.replace(/.*\//, ''), nullable: false };
  const kinds = [schema.type ?? 'any'].flat();
  const nullable = kinds.includes('null');
  const kind = kinds.find((one) => one !== 'null') ?? 'any';
  const description = schema.description ?? '';
  if (schema.enum) {
    const values = schema.enum.filter((value): value is string => value !== null);
    add({ name: hint, description, fields: [], values });
    return { kind: 'ref', name: hint, nullable };
  }
  if (kind === 'array') return { kind: 'list', of: refOf(schema.items ?? {}, `${hint}Item`, add), nullable };
  if (kind !== 'object') return { kind: kind === 'any' || others.length > 0 ? 'any' : (kind as 'string'), nullable };
  if (!schema.properties) return { kind: 'map', nullable };
  const fields = Object.entries(schema.properties).map(([name, property]): Field => ({
    ...{ name, type: refOf(property, hint + capitalised(name), add) },
    ...{ required: schema.required?.includes(name) ?? false, description: property.description ?? '' },
  }));
  add({ name: hint, description, fields, values: null });
  return { kind: 'ref', name: hint, nullable };
}

/** The first sentence of a summary. */
export const firstSentence = (text: string): string => text.replace(/\. .*/s, '.');

/** The first line of a description. */
export const firstLine = (text: string): string => text.split('\n')[0] ?? '';
