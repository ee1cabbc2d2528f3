// All kinds of request with their share of a run, and each operation once at the start.

import fc from 'fast-check';
import { getNamedType, isCompositeType, type GraphQLField, type GraphQLSchema } from 'graphql';
import type { DocumentedOperation } from '../../test/docs/openapi-document.fixture.ts';
import { isAlwaysSent, weightOf } from './good-values.ts';
import { bentGraphQL, goodGraphQL, type GraphQLPlan } from './graphql-plans.ts';
import { oddPlan } from './odd-plans.ts';
import type { Plan } from '../send/perform.ts';
import { bentRest, goodRest, type RestPlan } from './rest-plans.ts';
import { wholeSelection } from './selections.ts';
import { socketPlan } from './socket-plans.ts';
import type { Json } from '../state/http.ts';

const KINDS = ['query', 'mutation', 'subscription'] as const;

interface Root {
  readonly kind: (typeof KINDS)[number];
  readonly field: GraphQLField<unknown, unknown>;
}

/** The fields of the query, mutation and subscription types. */
export function rootsOf(schema: GraphQLSchema): Root[] {
  return KINDS.flatMap((kind) =>
    Object.values(schema.getRootType(kind as never)?.getFields() ?? {}).map((field) => ({ kind, field })),
  );
}

/** Requests of every kind, more than half of them good. */
export function anyPlan(
  document: Json,
  operations: readonly DocumentedOperation[],
  schema: GraphQLSchema,
): fc.Arbitrary<Plan> {
  const rest = (make: typeof goodRest) =>
    fc.oneof(
      ...operations.map((operation) => ({ weight: weightOf(operation.id), arbitrary: make(document, operation) })),
    );
  const graphql = (make: typeof goodGraphQL) =>
    fc.oneof(
      ...rootsOf(schema).map(({ kind, field }) => ({
        weight: kind === 'subscription' ? 1 : weightOf(field.name),
        arbitrary: make(schema, kind, field),
      })),
    );
  return fc.oneof(
    { weight: 30, arbitrary: rest(goodRest) },
    { weight: 25, arbitrary: rest(bentRest) },
    { weight: 22, arbitrary: graphql(goodGraphQL) },
    { weight: 16, arbitrary: graphql(bentGraphQL) },
    { weight: 5, arbitrary: oddPlan },
    { weight: 2, arbitrary: socketPlan },
  );
}

/** One good request for each operation of the table and for each root field of the schema, with all its fields. */
export function tour(
  document: Json,
  operations: readonly DocumentedOperation[],
  schema: GraphQLSchema,
): fc.Arbitrary<RestPlan | GraphQLPlan>[] {
  return [
    ...operations.map((operation) => goodRest(document, operation)),
    ...rootsOf(schema).map(({ kind, field }) => {
      const type = getNamedType(field.type);
      const selection = isCompositeType(type) ? wholeSelection(type) : null;
      return goodGraphQL(schema, kind, field).map((plan) => ({
        ...plan,
        // Without a filter, which might leave no results.
        fields: plan.fields.slice(0, 1).map((one) => ({
          ...{ field: one.field, selection },
          args: one.args.filter(
            ({ name, type }) => type.endsWith('!') || kind === 'subscription' || isAlwaysSent(field.name, name),
          ),
        })),
      }));
    }),
  ];
}
