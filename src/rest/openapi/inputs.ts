// The inputs of a REST call in the OpenAPI document: path and query parameters, headers and the body.

import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  typeFromAST,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { inputSchema, objectSchema, type Components, type Input, type Json } from './schemas.ts';
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
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
    example: 'order-10045',
  },
};

/** Bounds of parameters that every list has. */
const BOUNDS: Readonly<Record<string, Json>> = {
  limit: { minimum: 1, maximum: 100, default: 20 },
};

/** `parameters` and `requestBody` of an operation. */
export function describeInputs(schema: GraphQLSchema, operation: Operation, components: Components): Json {
  const { route, node } = operation;
  const inPath = new Set([...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]));
  const inputs = (node.variableDefinitions ?? []).map(({ variable, type }): Input => {
    const name = variable.name.value;
    const input = typeFromAST(schema, type as never) as unknown as GraphQLInputType;
    return { name, type: input, description: describeVariable(operation, name) };
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

function parameterOf({ name, type, description }: Input, where: 'path' | 'query', components: Components): Json {
  const nullable = getNullableType(type);
  const isList = isListType(nullable);
  const isChoice = isEnumType(isList ? getNullableType(nullable.ofType) : nullable);
  const more = `${isList ? ' May be given more than once.' : ''}${isChoice ? ' In any case of letters.' : ''}`;
  return {
    ...{ name, in: where, required: isNonNullType(type), description: description + more },
    schema: { ...inputSchema(type, components), ...BOUNDS[name] },
  };
}

/** The description of the argument, or of the input field, that a variable stands for. */
function describeVariable({ node, field }: Operation, variable: string): string {
  const [selection] = node.selectionSet.selections;
  const nodes = selection?.kind === Kind.FIELD ? (selection.arguments ?? []) : [];
  for (const { name, value } of nodes) {
    const argument = field.args.find((candidate) => candidate.name === name.value);
    if (value.kind === Kind.VARIABLE && value.name.value === variable) return argument?.description ?? '';
    const type = argument && getNullableType(argument.type);
    if (value.kind !== Kind.OBJECT || !isInputObjectType(type)) continue;
    const inner = value.fields.find(({ value: own }) => own.kind === Kind.VARIABLE && own.name.value === variable);
    if (inner) return type.getFields()[inner.name.value]?.description ?? '';
  }
  throw new Error(`$${variable} is not used`);
}

function requestBodyOf(route: Route, inputs: readonly Input[], components: Components): Json {
  const [only] = inputs;
  const isWhole = inputs.length === 1 && only?.name === 'input';
  const schema = isWhole ? inputSchema(only.type, components) : objectSchema(inputs, components);
  const required = isWhole || inputs.some(({ type }) => isNonNullType(type));
  const example = route.example === undefined ? {} : { example: route.example };
  return { required, content: { 'application/json': { schema, ...example } } };
}
