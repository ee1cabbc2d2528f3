// The inputs of a REST call in the OpenAPI document: path and query parameters, headers and the body.

import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { inputSchema, objectSchema, type Components, type Input, type Json } from './schemas.ts';
import { idempotencyKey } from '../../values/checks.ts';
import type { Route } from '../routes/route.ts';

/** A row with the operation of its document. */
export interface Operation {
  readonly route: Route;
  readonly node: OperationDefinitionNode;
  /** The first field at its top. */
  readonly field: GraphQLField<unknown, unknown>;
}

/** Headers of requests, shared by reference. */
export const PARAMETERS: Readonly<Record<string, Json>> = {
  RequestId: {
    ...{ name: 'X-Request-Id', in: 'header', required: false },
    description:
      'A trace id of your own, which the answer repeats. One is made where it is missing or has another form.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  },
  IdempotencyKey: {
    ...{ name: 'Idempotency-Key', in: 'header', required: false },
    description:
      'A key of your own for this very request, 1 to 255 printable ASCII characters. Sent again with the same body it ' +
      'answers what was answered first, with `Idempotent-Replayed: true` and secrets as null, and nothing happens ' +
      'twice. With another body it is refused (2002), and while the first is in flight too (2003). A request that ' +
      'failed is not kept. Keys are kept for at least 24 hours.',
    schema: { type: 'string', ...idempotencyKey.bounds },
    example: 'order-10045',
  },
};

/** What parameters are where they are left out, which their descriptions say, too. */
const DEFAULTS: Readonly<Record<string, Json>> = {
  limit: { default: 20 },
};

/** `parameters` and `requestBody` of an operation. */
export function describeInputs(schema: GraphQLSchema, operation: Operation, components: Components): Json {
  const { route, node } = operation;
  const inPath = new Set([...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]));
  const inputs = (node.variableDefinitions ?? []).map(({ variable, type }): Input => {
    const name = variable.name.value;
    const input = typeFromAST(schema, type as never) as unknown as GraphQLInputType;
    const { description, extensions: marks } = definitionOf(operation, name);
    return { name, type: input, description: description ?? '', marks };
  });
  const own = inputs.filter(({ name }) => !inPath.has(name));
  const takesBody = route.method === 'POST' || route.method === 'PUT';
  const parameters: Json[] = [
    ...inputs.filter(({ name }) => inPath.has(name)).map((input) => parameterOf(input, 'path', components)),
    ...(takesBody ? [] : own.map((input) => parameterOf(input, 'query', components))),
    ...(route.inParts || route.asCsv ? [FORMAT] : []),
    ...(route.idempotent ? [reference('IdempotencyKey')] : []),
    reference('RequestId'),
  ];
  const body = takesBody && own.length > 0 ? { requestBody: requestBodyOf(route, own, components) } : {};
  return { parameters, ...body };
}

const reference = (name: keyof typeof PARAMETERS): Json => ({ $ref: `#/components/parameters/${name}` });

const FORMAT: Json = {
  ...{ name: 'format', in: 'query', required: false },
  description: '`json`, or `csv` for the rows alone (RFC 4180, with a header).',
  schema: { type: 'string', enum: ['json', 'csv'], default: 'json' },
};

function parameterOf(input: Input, where: 'path' | 'query', components: Components): Json {
  const { name, type, description } = input;
  const nullable = getNullableType(type);
  const isList = isListType(nullable);
  const isChoice = isEnumType(isList ? getNullableType(nullable.ofType) : nullable);
  const more = `${isList ? ' May be given more than once.' : ''}${isChoice ? ' In any case of letters.' : ''}`;
  return {
    ...{ name, in: where, required: isNonNullType(type), description: description + more },
    schema: { ...inputSchema(input, components), ...DEFAULTS[name] },
  };
}

/** The argument, or the field of an input, that a variable stands for. */
function definitionOf({ node, field }: Operation, variable: string): GraphQLArgument | GraphQLInputField {
  const [selection] = node.selectionSet.selections;
  const nodes = selection?.kind === Kind.FIELD ? (selection.arguments ?? []) : [];
  for (const { name, value } of nodes) {
    const argument = field.args.find((candidate) => candidate.name === name.value);
    if (argument && value.kind === Kind.VARIABLE && value.name.value === variable) return argument;
    const type = argument && getNullableType(argument.type);
    if (value.kind !== Kind.OBJECT || !isInputObjectType(type)) continue;
    const inner = value.fields.find(({ value: own }) => own.kind === Kind.VARIABLE && own.name.value === variable);
    const definition = inner && type.getFields()[inner.name.value];
    if (definition) return definition;
  }
  throw new Error(`$${variable} is not used`);
}

function requestBodyOf(route: Route, inputs: readonly Input[], components: Components): Json {
  const [only] = inputs;
  const isWhole = inputs.length === 1 && only?.name === 'input';
  const schema = isWhole ? inputSchema(only, components) : objectSchema(inputs, components);
  const required = isWhole || inputs.some(({ type }) => isNonNullType(type));
  const example = route.example === undefined ? {} : { example: route.example };
  return { required, content: { 'application/json': { schema, ...example } } };
}
