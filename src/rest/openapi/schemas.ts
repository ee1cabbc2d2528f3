// Types of the GraphQL schema as JSON Schema (the dialect of OpenAPI 3.1), under stable names.

import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type GraphQLEnumType,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Bounds, Check } from '../../values/checks.ts';

export type Json = Record<string, unknown>;

/** A value of a call: a variable of a row's document, a field of an input type. */
export interface Input {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly description: string;
  /** The marks of what it stands for in the schema: its checks, and whether it may be null. */
  readonly marks: Marks;
}

/** Marks of an argument or field of an input (`src/resolvers/operation/validation.ts`). */
export type Marks = Readonly<Record<string, unknown>>;

/**
 * Names of partial shapes, by operation and type: a document may select only some fields of a type, and clients
 * generate code from these names. A shape without a row here has the type's name.
 */
const SHAPE_NAMES: Readonly<Record<string, string>> = {
  'createPayment.Payment': 'CreatedPayment',
  'createMerchant.Registration': 'TestRegistration',
  'createMerchant.NewApiKey': 'TestApiKey',
  'webhookDeliveries.WebhookDelivery': 'WebhookDeliverySummary',
  ...{ 'refunds.Refund': 'RefundRecord', 'refund.Refund': 'RefundRecord', 'events.Refund': 'RefundRecord' },
  'paymentRefunds.Refund': 'RefundRecord',
};

export type Components = ReturnType<typeof createComponents>;

/** Shared schemas by name. Two different ones under one name are an error: clients generate code from the names. */
export function createComponents(environment: 'sandbox' | 'live' = 'sandbox') {
  const schemas: Record<string, Json> = {};
  const responses: Record<string, Json> = {};
  return {
    environment,
    schemas,
    responses,
    named(name: string, schema: Json): Json {
      const known = (schemas[name] ??= schema);
      if (JSON.stringify(known) !== JSON.stringify(schema))
        throw new Error(`Two shapes are called ${name}: name one of them in SHAPE_NAMES`);
      return { $ref: `#/components/schemas/${name}` };
    },
  };
}

/** An input as JSON Schema, as far as its type and its checks can be said in it. */
export function inputSchema({ type, marks }: Pick<Input, 'type' | 'marks'>, components: Components): Json {
  const schema = typeSchema(type, components);
  // What is only compared is not checked.
  if (marks['anyText'] === true) return schema;
  const [own, ofItems, ofEntries] = ['check', 'itemCheck', 'entryCheck'].map((name) => boundsOf(marks[name]));
  return {
    ...schema,
    ...own,
    ...(ofItems && { items: { ...(schema['items'] as Json), ...ofItems } }),
    ...(ofEntries && { additionalProperties: ofEntries }),
  };
}

/** The bounds of a check are what it is made of, so that the document cannot say anything else than it does. */
const boundsOf = (check: unknown): Bounds | undefined => (check as Check | undefined)?.bounds;

/** An input type as JSON Schema; enums and input objects by reference. */
function typeSchema(declared: GraphQLInputType, components: Components): Json {
  const type = getNullableType(declared);
  if (isListType(type)) return { type: 'array', items: typeSchema(type.ofType, components) };
  if (isEnumType(type)) return enumSchema(type, components);
  if (!isInputObjectType(type)) return scalarSchema(String(type));
  const fields = Object.values(type.getFields()).map(({ name, type: own, description, extensions: marks }) => {
    return { name, type: own, description: description ?? '', marks };
  });
  const there = fields.filter(({ marks }) => components.environment === 'sandbox' || marks['sandboxOnly'] !== true);
  return components.named(type.name, { description: type.description, ...objectSchema(there, components) });
}

/** The object of a body. Unknown fields are rejected, so no others are allowed. */
export function objectSchema(fields: readonly Input[], components: Components): Json {
  const required = fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name);
  const properties = fields.map(({ name, type, description, marks }) => {
    const schema = inputSchema({ type, marks }, components);
    // An optional field may be null as well, unless null could be read as a change.
    const isNever = isNonNullType(type) || marks['neverNull'] === true;
    return [name, { ...(isNever ? schema : orNull(schema)), description }];
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as Json,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

/** What `data` of the envelope is: the root field called `result`, or an object of all of them. */
export function dataSchema(
  root: GraphQLObjectType,
  operation: OperationDefinitionNode,
  components: Components,
  optional: readonly string[] = [],
): Json {
  const { selections } = operation.selectionSet;
  const [only] = selections;
  const shapes: Shapes = { operation: operation.name?.value ?? '', components, optional };
  if (only?.kind !== Kind.FIELD || only.alias?.value !== 'result')
    return selectionSchema(root, operation.selectionSet, shapes);
  const type = root.getFields()[only.name.value]?.type;
  if (!type) throw new Error(`There is no field ${only.name.value}`);
  // A null result comes with an error, which is another response.
  return outputSchema(getNullableType(type), only.selectionSet, shapes, true);
}

interface Shapes {
  readonly operation: string;
  readonly components: Components;
  /** Fields that an answer may lack. */
  readonly optional: readonly string[];
}

function selectionSchema(type: GraphQLObjectType, { selections }: SelectionSetNode, shapes: Shapes): Json {
  const properties: Record<string, Json> = {};
  for (const node of selections) {
    if (node.kind !== Kind.FIELD) throw new Error('Documents of the table have no fragments');
    const field = type.getFields()[node.name.value];
    if (!field) throw new Error(`${type.name} has no field ${node.name.value}`);
    const { description } = field;
    const name = node.alias?.value ?? node.name.value;
    properties[name] = {
      ...outputSchema(field.type, node.selectionSet, shapes),
      ...(description ? { description } : {}),
    };
  }
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !shapes.optional.includes(name)),
  };
}

function outputSchema(
  declared: GraphQLOutputType,
  selection: SelectionSetNode | undefined,
  shapes: Shapes,
  isPresent = isNonNullType(declared),
): Json {
  const type = getNullableType(declared);
  const { components, operation } = shapes;
  let schema: Json;
  if (isListType(type)) {
    schema = { type: 'array', items: outputSchema(type.ofType, selection, shapes) };
  } else if (isEnumType(type)) {
    schema = enumSchema(type, components);
  } else if (selection) {
    const object = type as GraphQLObjectType;
    const name = SHAPE_NAMES[`${operation}.${object.name}`] ?? object.name.replace(/Connection$/, 'Page');
    const description = object.description ? { description: object.description } : {};
    schema = components.named(name, { ...description, ...selectionSchema(object, selection, shapes) });
  } else {
    schema = scalarSchema(String(type));
  }
  return isPresent ? schema : orNull(schema);
}

function enumSchema(type: GraphQLEnumType, components: Components): Json {
  const values = type.getValues();
  const lines = values.map(({ name, description }) => `- \`${name}\`: ${description ?? ''}`);
  return components.named(type.name, {
    type: 'string',
    enum: values.map(({ name }) => name),
    description: [type.description ?? '', '', ...lines].join('\n'),
  });
}

function orNull(schema: Json): Json {
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { oneOf: [schema, { type: 'null' }] };
}

const SCALARS: Readonly<Record<string, Json>> = {
  String: { type: 'string' },
  ID: { type: 'string' },
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTimeISO: { type: 'string', format: 'date-time' },
  // Metadata: REST has no other objects with free names.
  JSONObject: { type: 'object', additionalProperties: { type: 'string' } },
};

function scalarSchema(name: string): Json {
  const schema = SCALARS[name];
  if (!schema) throw new Error(`The scalar ${name} has no JSON Schema`);
  return { ...schema };
}
