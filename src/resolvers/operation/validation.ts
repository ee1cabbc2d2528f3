// Validates inputs: collects every fault at once, whether of type or of meaning.

import {
  coerceInputValue,
  getNullableType,
  getVariableValues,
  GraphQLID,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  OperationTypeNode,
  typeFromAST,
  valueFromASTUntyped,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import { Extensions } from 'type-graphql';
import * as checks from '../../values/checks.ts';
import { isStorable, type Check } from '../../values/checks.ts';
import { GatewayError, invalid, MOST_FAULTS, type Fault } from '../../values/errors.ts';
import { hasInvitation, refuseOutright, refuseSuspended, requirePermission, type Context } from './context.ts';

/** Attaches a check to a field of an input type. */
export function Checked(check: Check): MethodDecorator & PropertyDecorator {
  return Extensions({ check });
}

/** Marks a field of an update that may be left out but not null: null would be a change that is not made. */
export function NeverNull(): MethodDecorator & PropertyDecorator {
  return Extensions({ neverNull: true });
}

/** Marks a field of an input that live does not have. */
export function SandboxOnly(): MethodDecorator & PropertyDecorator {
  return Extensions({ sandboxOnly: true });
}

/** Attaches a check to each item of a list field. */
export function CheckedItems(itemCheck: Check): MethodDecorator & PropertyDecorator {
  return Extensions({ itemCheck });
}

/** Attaches a check to each value of a field that is an object with free names. */
export function CheckedEntries(entryCheck: Check): MethodDecorator & PropertyDecorator {
  return Extensions({ entryCheck });
}

/** Checks the fields of an input together, whatever they contain; returns faults with paths relative to the input. */
export type TogetherCheck = (fields: Readonly<Record<string, unknown>>) => Fault[];

/** Attaches a check to an input type, for faults that show only in several fields together. */
export function CheckedTogether(togetherCheck: TogetherCheck): ClassDecorator {
  return Extensions({ togetherCheck });
}

/** Marks a field whose text is only compared: a text that cannot be stored is not a fault, it just matches nothing. */
export function AnyText(): MethodDecorator & PropertyDecorator {
  return Extensions({ anyText: true });
}

/** Checks the arguments of an operation, and the idempotency key of a mutation. Throws 2001 with every fault. */
export function checkArguments(
  definitions: readonly GraphQLArgument[],
  args: Readonly<Record<string, unknown>>,
  mutation: Context | null,
): void {
  const faults = definitions.flatMap((definition) => valueFaults(definition, args[definition.name], definition.name));
  if (mutation) faults.push(...idempotencyKeyFaults(mutation));
  if (faults.length > 0) throw invalid(faults);
}

/** Faults of a mutation's `Idempotency-Key`. Queries ignore it. */
function idempotencyKeyFaults({ idempotencyKey }: Context): Fault[] {
  const message = checks.idempotencyKey(idempotencyKey);
  return message === null ? [] : [{ path: 'Idempotency-Key', message }];
}

/** Faults of meaning in one argument or field; values of a wrong type are left to the type's own check. */
function valueFaults(definition: GraphQLArgument | GraphQLInputField, value: unknown, path: string): Fault[] {
  if (value === null && definition.extensions['neverNull'] === true) return [{ path, message: NOT_NULL }];
  if (value === undefined || value === null) return [];
  if (definition.extensions['anyText'] === true) return [];
  const check = definition.extensions['check'] as Check | undefined;
  const message = check?.(value) ?? null;
  if (message !== null) return [{ path, message }];
  const { itemCheck, entryCheck } = definition.extensions as Readonly<Record<string, Check | undefined>>;
  if (entryCheck && typeof value === 'object') return partFaults(entryCheck, Object.entries(value), path);
  return itemCheck && Array.isArray(value)
    ? partFaults(itemCheck, [...value.entries()], path)
    : innerFaults(definition.type, value, path);
}

function partFaults(check: Check, parts: readonly (readonly [string | number, unknown])[], path: string): Fault[] {
  return parts.flatMap(([name, part]) => {
    const message = check(part);
    return message === null ? [] : [{ path: `${path}.${name}`, message }];
  });
}

function innerFaults(declared: GraphQLInputType, value: unknown, path: string): Fault[] {
  const type = isNonNullType(declared) ? declared.ofType : declared;
  if (isListType(type) && Array.isArray(value))
    return value.flatMap((item, index) => innerFaults(type.ofType, item, `${path}.${index}`));
  if (isInputObjectType(type) && value !== null && typeof value === 'object') {
    const given = value as Readonly<Record<string, unknown>>;
    const faults = Object.values(type.getFields()).flatMap((field) =>
      Object.hasOwn(given, field.name) ? valueFaults(field, given[field.name], `${path}.${field.name}`) : [],
    );
    const check = type.extensions['togetherCheck'] as TogetherCheck | undefined;
    for (const fault of check?.(given) ?? []) {
      const whole = { ...fault, path: `${path}.${fault.path}` };
      if (!faults.some((known) => known.path === whole.path)) faults.push(whole);
    }
    return faults;
  }
  // An unknown identifier is reported as not found (2004, 1005), so its format is not a fault of the request.
  if (typeof value === 'string' && type !== GraphQLID && !isStorable(value))
    return [{ path, message: checks.NOT_STORABLE }];
  return [];
}

/**
 * Faults of a request's variables that prevent its execution: faults of type as the schema reports them, and faults of
 * meaning where the type is right. Throws 1001 or 1004 first if the operation is guarded.
 */
export function variableFaults(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  context: Context,
): Fault[] {
  guardOf(schema, operation)(context, variables);
  const structural = structuralFaults(schema, operation, variables);
  const broken = new Set(structural.map((fault) => fault.path));
  const meaning = topFields(schema, operation).flatMap(({ field, node }) =>
    (node.arguments ?? []).flatMap(({ name, value }) => {
      const definition = field.args.find((argument) => argument.name === name.value);
      return definition ? nodeFaults(definition, value, variables) : [];
    }),
  );
  const ofKey = operation.operation === OperationTypeNode.MUTATION ? idempotencyKeyFaults(context) : [];
  return [...structural, ...meaning.filter((fault) => !broken.has(fault.path)), ...ofKey];
}

/**
 * The error that refuses an operation because of its variables: 1001 or 1004 if the caller may not run it, else 2001
 * with the faults; null if the variables are valid. It is cheap however many are wrong, unlike graphql-js, whose errors
 * each print the whole value.
 */
export function refusalOfVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  context: Context,
): GatewayError | null {
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 0 });
  if (!errors) return null;
  try {
    const faults = variableFaults(schema, operation, variables, context);
    return invalid(faults.length > 0 ? faults : [{ path: '', message: errors[0]?.message ?? 'is refused' }]);
  } catch (refusal) {
    if (refusal instanceof GatewayError) return refusal;
    throw refusal;
  }
}

const ENOUGH = new Error('There are more faults than are reported');

/** Faults of type as the schema's own coercion finds them, at most one more than are reported. */
function structuralFaults(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Fault[] {
  const faults: Fault[] = [];
  const say = (path: string, message: string) => {
    faults.push(toFault(schema, path, message));
    if (faults.length > MOST_FAULTS) throw ENOUGH;
  };
  for (const { variable, type: typeNode, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode as never) as unknown as GraphQLInputType | undefined;
    if (!type) continue;
    if (!Object.hasOwn(variables, name) || variables[name] === undefined) {
      if (isNonNullType(type) && !defaultValue) faults.push({ path: name, message: 'is required' });
      continue;
    }
    try {
      coerceInputValue(variables[name], type, (path, _value, error) => {
        say([name, ...path].join('.'), error.message);
      });
    } catch (error) {
      if (error === ENOUGH) return faults;
      throw error;
    }
  }
  return faults;
}

/** Faults of meaning in an argument as written in the document; a variable stands for its value. */
function nodeFaults(
  definition: GraphQLArgument | GraphQLInputField,
  node: ValueNode,
  variables: Readonly<Record<string, unknown>>,
): Fault[] {
  if (node.kind === Kind.VARIABLE) return valueFaults(definition, variables[node.name.value], node.name.value);
  const type = getNullableType(definition.type);
  if (node.kind !== Kind.OBJECT || !isInputObjectType(type)) return [];
  return node.fields.flatMap(({ name, value }) => {
    const field = type.getFields()[name.value];
    return field ? nodeFaults(field, value, variables) : [];
  });
}

/** Checks an operation before it runs; without its variables, as far as these do not matter. */
export type OperationGuard = (context: Context, variables?: Readonly<Record<string, unknown>>) => void;

/** Checks the permissions of an operation's root fields as its execution would. Throws 1001, 1004 or 1011. */
export function guardOf(schema: GraphQLSchema, operation: OperationDefinitionNode): OperationGuard {
  const tops = topFields(schema, operation);
  const fields = tops.map(({ field }) => field);
  const needed = fields.map(({ extensions }) => extensions['permission']).filter((name) => typeof name === 'string');
  return (context, variables) => {
    for (const { field, node } of tops)
      refuseOutright(field.extensions, () => variables === undefined || hasInvitation(argumentsOf(node, variables)));
    for (const permission of needed) requirePermission(context, permission);
    if (operation.operation === OperationTypeNode.MUTATION)
      for (const { extensions } of fields) refuseSuspended(context, extensions);
  };
}

/** The arguments of a root field as they were sent, of whatever type they are. */
const argumentsOf = (node: FieldNode, variables: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    (node.arguments ?? []).map(({ name, value }) => [name.value, valueFromASTUntyped(value, { ...variables })]),
  );

/** The root fields of an operation with their definitions; fields in fragments are left to the execution. */
function topFields(schema: GraphQLSchema, operation: OperationDefinitionNode) {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  return operation.selectionSet.selections.flatMap((node) => {
    const field = node.kind === Kind.FIELD ? fields[node.name.value] : undefined;
    return node.kind === Kind.FIELD && field ? [{ field, node }] : [];
  });
}

/** Rewords a graphql-js message for callers who sent JSON. */
function toFault(schema: GraphQLSchema, path: string, message: string): Fault {
  const missing = /^Field "(\w+)" of required type/.exec(message);
  if (missing) return { path: `${path}.${missing[1] ?? ''}`, message: 'is required' };
  // The caller's field name may contain anything: quotes, blanks, nothing at all.
  const unknown = /^Field "(.*)" is not defined by type/s.exec(message);
  if (unknown) return { path: `${path}.${unknown[1] ?? ''}`, message: 'is not a known field' };
  if (/^Expected non-nullable type/.test(message)) return { path, message: NOT_NULL };
  if (/^Expected type "\w+" to be an object|^JSONObject cannot represent/.test(message))
    return { path, message: 'must be an object' };
  const scalar = /^(String|Int|Boolean|ID|Float) cannot represent/.exec(message);
  if (scalar) return { path, message: `must be ${SCALARS[scalar[1] ?? ''] ?? 'of another type'}` };
  const choice = /does not exist in "(\w+)" enum/.exec(message) ?? /^Enum "(\w+)" cannot represent/.exec(message);
  if (choice) return { path, message: `must be one of ${valuesOf(schema, choice[1] ?? '').join(', ')}` };
  return { path, message };
}

function valuesOf(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name);
  // A value that may be written in either case is listed once.
  const names = isEnumType(type) ? type.getValues().map((value) => value.name) : [];
  return [...new Map(names.map((each) => [each.toUpperCase(), each])).values()];
}

const NOT_NULL = 'must not be null';

const SCALARS: Readonly<Record<string, string>> = {
  String: 'a string',
  ID: 'a string',
  Int: 'a whole number',
  Boolean: 'true or false',
  Float: 'a number',
};
