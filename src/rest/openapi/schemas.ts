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

export type Json = Record<string, unknown>;

/** A value of a call: a variable of a row's document, a field of an input type. */
export interface Input {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly description: string;
  /** It may be left out, and may not be null. */
  readonly neverNull?: boolean;
}

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
export function createComponents() {
  const schemas: Record<string, Json> = {};
  const responses: Record<string, Json> = {};
  return {
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

/** An input type as JSON Schema; enums and input objects by reference. */
export function inputSchema(declared: GraphQLInputType, components: Components): Json {
  const type = getNullableType(declared);
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType, components) };
  if (isEnumType(type)) return enumSchema(type, components);
  if (!isInputObjectType(type)) return scalarSchema(String(type));
  const fields = Object.values(type.getFields()).map(({ name, type: own, description, extensions }) => {
    return { name, type: own, description: description ?? '', neverNull: extensions['neverNull'] === true };
  });
  return components.named(type.name, { description: type.description, ...objectSchema(fields, components) });
}

/** The object of a body. Unknown fields are rejected, so no others are allowed. */
export function objectSchema(fields: readonly Input[], components: Components): Json {
  const required = fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name);
  const properties = fields.map(({ name, type, description, neverNull }) => {
    const schema = inputSchema(type, components);
    // An optional field may be null as well, unless null could be read as a change.
    return [name, { ...(isNonNullType(type) || neverNull ? schema : orNull(schema)), description }];
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
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
  DateTimeISO: { type: 'string', format: 'date-time' },
  JSONObject: { type: 'object' },
};

function scalarSchema(name: string): Json {
  const schema = SCALARS[name];
  if (!schema) throw new Error(`The scalar ${name} has no JSON Schema`);
  return { ...schema };
}
