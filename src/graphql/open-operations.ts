// Operations that anybody may run.

import { Kind, type GraphQLSchema } from 'graphql';
import type { Prepared } from './prepare.ts';
import { fragmentsOf, selectionsOf } from './selections.ts';

/**
 * Whether an operation needs no token: none of its root fields does, those in fragments and those that directives may
 * leave out included. Such an operation answers callers whose token is no good as it answers those who send none, as
 * REST does: clients send the token that they have along when they get a new one. An operation of `__typename` and the
 * like alone is not one of these: it is how clients ask whether their token is good.
 */
export function isOpen(schema: GraphQLSchema, { document, operation }: Prepared): boolean {
  const fields = schema.getRootType(operation.operation)?.getFields() ?? {};
  const selected = [...selectionsOf([operation.selectionSet], fragmentsOf(document))];
  const own = selected.flatMap((node) => (node.kind === Kind.FIELD ? (fields[node.name.value] ?? []) : []));
  return own.length > 0 && own.every(({ extensions }) => extensions['permission'] === undefined);
}
