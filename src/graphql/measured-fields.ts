// Fields that graphql-js answers by itself, measured as they are answered: what our executor completes it measures
// itself (see rest/complete.ts), and the rest must not become too large either.

import {
  defaultFieldResolver,
  getNamedType,
  GraphQLError,
  isLeafType,
  isNonNullType,
  isObjectType,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
} from 'graphql';
import type { OperationContext } from '../access/caller.ts';
import { sizeOfLeaf, takeBytes, tooLarge, type AnswerBudget } from '../values/answer-budget.ts';

/** The budget of a query's answer; null for what may be of any size. */
export function budgetOf(context: unknown): AnswerBudget | null {
  return loadOf(context)?.budget ?? null;
}

const loadOf = (context: unknown) => (context as Partial<OperationContext> | undefined)?.load;

/** Whether a query was given up because its answer would be too large. */
export function isTooLarge(context: OperationContext): boolean {
  return context.load !== undefined && context.load.budget.left < 0;
}

/** The one error of such a query, in place of all that its fields failed with. */
export const tooLargeError = (): GraphQLError => new GraphQLError('', { originalError: tooLarge() });

/** What answers a field without a resolver of its own. */
export const measuredField: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) =>
  measure(defaultFieldResolver(source, args, context, info), context, info);

/**
 * Measures what the resolvers of a schema's fields answer, below the fields at the top, and `__typename` and the
 * schema's description of itself besides.
 */
export function measureFields(schema: GraphQLSchema): void {
  const roots = new Set<unknown>([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]);
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  for (const type of types.filter((type) => !roots.has(type)))
    for (const field of Object.values(type.getFields())) measureOne(field);
  for (const field of [TypeNameMetaFieldDef, SchemaMetaFieldDef, TypeMetaFieldDef]) measureOne(field);
}

/** Resolvers that are measured: those of the description belong to graphql-js, one for all schemas of the process. */
const measured = new WeakSet<GraphQLFieldResolver<unknown, unknown>>();

function measureOne(field: GraphQLField<unknown, unknown>): void {
  const { resolve } = field;
  if (!resolve || measured.has(resolve)) return;
  field.resolve = (source, args, context, info) => {
    const value: unknown = resolve(source, args, context, info);
    return value instanceof Promise
      ? value.then((known: unknown) => measure(known, context, info))
      : measure(value, context, info);
  };
  measured.add(field.resolve);
}

function measure(value: unknown, context: unknown, info: GraphQLResolveInfo): unknown {
  const { operation } = info.operation;
  const load = operation === OperationTypeNode.MUTATION ? undefined : loadOf(context);
  if (!load) return value;
  const isLeaf = isLeafType(getNamedType(info.returnType));
  // Its name, and the marks around it.
  const bytes = String(info.path.key).length + 4 + (isLeaf ? sizeOfLeaf(value) : 0);
  if (operation === OperationTypeNode.SUBSCRIPTION) {
    load.streamed += bytes;
    return value;
  }
  // It has failed already, and an error for each field that is left would be more work than the answer itself.
  if (load.budget.left < 0 && !isNonNullType(info.returnType)) return null;
  takeBytes(load.budget, bytes);
  return value;
}
