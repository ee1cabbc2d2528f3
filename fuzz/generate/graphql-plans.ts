// GraphQL operations generated from the schema: valid ones, ones with broken variables, and odd documents.

import fc from 'fast-check';
import {
  getNamedType,
  getNullableType,
  isCompositeType,
  isInputObjectType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
  type OperationTypeNode,
} from 'graphql';
import { OWNER_ONLY, wrongAccess, type Access } from './callers.ts';
import { goodFields, goodValue, weightOf } from './good-values.ts';
import { bodyBend, hostileJson, hostileText, type BodyBend } from './hostile-values.ts';
import { documentBend, type DocumentBend } from './odd-documents.ts';
import { selectionOf, type Selection } from './selections.ts';

export type Transport = 'post' | 'get' | 'stream' | 'socket';

export interface PlannedArgument {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  /** Written into the document rather than sent as a variable. */
  readonly isLiteral: boolean;
}

export interface PlannedField {
  readonly field: string;
  readonly args: readonly PlannedArgument[];
  readonly selection: Selection | null;
}

export interface GraphQLPlan {
  readonly kind: 'graphql';
  readonly operation: `${OperationTypeNode}`;
  readonly fields: readonly PlannedField[];
  readonly shop: number;
  readonly access: Access;
  readonly transport: Transport;
  readonly document: DocumentBend | null;
  /** Replaces all the variables; null leaves them as they are. */
  readonly variables: { readonly value: unknown } | null;
  readonly bytes: BodyBend | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly isBent: boolean;
}

type Root = GraphQLField<unknown, unknown>;

/** A request for one field of the query, mutation or subscription type, and now and then for a second one. */
export function goodGraphQL(
  schema: GraphQLSchema,
  operation: `${OperationTypeNode}`,
  root: Root,
): fc.Arbitrary<GraphQLPlan> {
  const field = plannedField(root);
  const isOwners = OWNER_ONLY.has(root.name);
  const others = operation === 'query' && !isOwners ? queriesBesides(schema, root) : [];
  const fields =
    others.length > 0
      ? fc.oneof(
          { weight: 4, arbitrary: field.map((one) => [one]) },
          {
            weight: 1,
            arbitrary: fc.tuple(field, fc.oneof(...others.map(plannedField))),
          },
        )
      : field.map((one) => [one]);
  return fc.record({
    kind: fc.constant('graphql' as const),
    operation: fc.constant(operation),
    fields,
    shop: fc.nat(2),
    access: fc.constant<Access>(isOwners ? 'owner' : 'full'),
    transport: fc.constantFrom(...transportsOf(operation)),
    document: fc.constant(null),
    variables: fc.constant(null),
    bytes: fc.constant(null),
    headers: fc.constant({}),
    isBent: fc.constant(false),
  });
}

function transportsOf(operation: `${OperationTypeNode}`): Transport[] {
  if (operation === 'subscription') return ['socket', 'stream'];
  return operation === 'query'
    ? [...Array<Transport>(12).fill('post'), 'get', 'get', 'stream', 'socket']
    : [...Array<Transport>(14).fill('post'), 'stream', 'socket'];
}

const queriesBesides = (schema: GraphQLSchema, { name }: Root): Root[] =>
  Object.values(schema.getQueryType()?.getFields() ?? {}).filter(
    (other) => other.name !== name && !OWNER_ONLY.has(other.name),
  );

function plannedField(root: Root): fc.Arbitrary<PlannedField> {
  const inner = getNamedType(root.type);
  return fc.record({
    field: fc.constant(root.name),
    args: argumentsOf(root),
    selection: isCompositeType(inner) ? selectionOf(inner) : fc.constant(null),
  });
}

/** Good arguments; the fields of an input object get values by name, as in a REST body. */
function argumentsOf({ name: operation, args }: Root): fc.Arbitrary<PlannedArgument[]> {
  return fc
    .tuple(...args.map((argument) => argumentOf(operation, argument)))
    .map((given) => given.filter((one) => one !== null));
}

function argumentOf(operation: string, argument: GraphQLArgument): fc.Arbitrary<PlannedArgument | null> {
  const { name } = argument;
  const type = getNullableType(argument.type);
  const value: fc.Arbitrary<unknown> = isInputObjectType(type)
    ? goodFields(
        operation,
        Object.values(type.getFields()).map((field) => ({ name: field.name, isRequired: isRequiredInputField(field) })),
      )
    : goodValue(operation, name);
  const given = value.map((found) => ({
    name,
    type: String(argument.type),
    value: found,
    isLiteral: name === 'first',
  }));
  const isAlways =
    isRequiredArgument(argument) ||
    isNonNullType(argument.type) ||
    operation.endsWith('Added') ||
    operation.endsWith('Updated');
  return isAlways ? given : fc.option(given);
}

type Bend = (plan: GraphQLPlan) => GraphQLPlan;

/** A good request that is bent in one or two ways. */
export function bentGraphQL(
  schema: GraphQLSchema,
  operation: `${OperationTypeNode}`,
  root: Root,
): fc.Arbitrary<GraphQLPlan> {
  return fc
    .tuple(goodGraphQL(schema, operation, root), fc.array(bend, { minLength: 1, maxLength: 2 }))
    .map(([plan, bends]) => bends.reduce<GraphQLPlan>((bent, one) => one(bent), { ...plan, isBent: true }));
}

const ODD_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { accept: 'application/graphql-response+json' },
  { accept: 'application/json' },
  { accept: 'text/html' },
  { accept: 'multipart/mixed; deferSpec=20220824, application/json' },
  { accept: 'nonsense' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/graphql' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'idempotency-key': 'x'.repeat(256) },
  { 'idempotency-key': 'the same for all' },
  { 'apollo-require-preflight': 'true' },
  { origin: 'https://evil.example' },
];

const bend: fc.Arbitrary<Bend> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .tuple(fc.nat(20), fc.nat(20), hostileJson)
      .map(([argument, field, value]) => withArgument(argument, field, value)),
  },
  { weight: 1, arbitrary: fc.tuple(hostileText, hostileJson).map(([name, value]) => withInputField(name, value)) },
  { weight: 5, arbitrary: documentBend.map((document): Bend => (plan) => ({ ...plan, document })) },
  { weight: 2, arbitrary: hostileJson.map((value): Bend => (plan) => ({ ...plan, variables: { value } })) },
  { weight: 2, arbitrary: bodyBend.map((bytes): Bend => (plan) => ({ ...plan, bytes })) },
  { weight: 2, arbitrary: wrongAccess.map((access): Bend => (plan) => ({ ...plan, access })) },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_HEADERS).map((headers): Bend => (plan) => ({ ...plan, headers })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<Transport>('get', 'stream', 'socket')
      .map((transport): Bend => (plan) => ({ ...plan, transport })),
  },
);

/** Replaces one argument of the first field, or one field of an input object among them. */
function withArgument(which: number, inner: number, value: unknown): Bend {
  return onFirst((field) => {
    const at = which % Math.max(1, field.args.length);
    return {
      ...field,
      args: field.args.map((argument, index) => {
        if (index !== at) return argument;
        const given = argument.value;
        const isObject = given !== null && typeof given === 'object' && ['input', 'filter'].includes(argument.name);
        if (!isObject) return { ...argument, value, isLiteral: false };
        const names = Object.keys(given);
        const name = names[inner % Math.max(1, names.length)];
        return name === undefined || inner > 16
          ? { ...argument, value }
          : { ...argument, value: { ...given, [name]: value } };
      }),
    };
  });
}

function withInputField(name: string, value: unknown): Bend {
  return onFirst((field) => ({
    ...field,
    args: field.args.map((argument) =>
      argument.name === 'input' || argument.name === 'filter'
        ? {
            ...argument,
            value: Object.defineProperty({ ...(argument.value as object) }, name, { value, enumerable: true }),
          }
        : argument,
    ),
  }));
}

const onFirst =
  (change: (field: PlannedField) => PlannedField): Bend =>
  (plan) => ({ ...plan, fields: plan.fields.map((field, index) => (index === 0 ? change(field) : field)) });

export { weightOf };
