// What is checked of every operation before its work, by the marks it has in the schema: attempts with credentials are
// counted, then the permission, then the arguments. type-graphql has middleware for that, which costs each call a dozen
// promises; here it is a function around the resolver.

import { isObjectType, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { requirePermission, type Context } from './context.ts';
import { checkArguments } from './validation.ts';

type Arguments = Record<string, unknown>;
type Field = GraphQLField<unknown, Context, Arguments>;
type Resolver = GraphQLFieldResolver<unknown, Context, Arguments>;

/** Has every field at the top of a schema check who asks it for what. Throws where a mark would guard nothing. */
export function checkOperations(schema: GraphQLSchema): void {
  const mutations = schema.getMutationType();
  const roots = new Set<unknown>([schema.getQueryType(), mutations, schema.getSubscriptionType()]);
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType))
    for (const field of Object.values(type.getFields()) as Field[]) {
      const { name, extensions, resolve } = field;
      if (roots.has(type) && resolve) field.resolve = checked(field, resolve, type === mutations);
      else if ('permission' in extensions || 'throttled' in extensions)
        throw new Error(`${type.name}.${name} is guarded, but is no operation`);
    }
}

/** A subscription is opened through its field's resolver, and so is checked too. */
function checked(field: Field, resolve: Resolver, isMutation: boolean): Resolver {
  const { permission, throttled } = field.extensions as { readonly permission?: string; readonly throttled?: boolean };
  const work: Resolver = (source, args, context, info) => {
    if (permission !== undefined) requirePermission(context.caller, permission);
    checkArguments(field.args, args, isMutation ? context : null);
    return resolve(source, args, context, info);
  };
  if (throttled !== true) return work;
  return async (source, args, context, info) => {
    await context.throttle();
    return await work(source, args, context, info);
  };
}
