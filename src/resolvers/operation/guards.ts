// What is checked of every operation before its work, by the marks it has in the schema: attempts with credentials are
// counted, then the permission, then the arguments, then, in the console, the password. type-graphql has middleware for
// that, which costs each call a dozen promises; here it is a function around the resolver.

import { isObjectType, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import type { ErrorName } from '../../values/errors.ts';
import { refuseOutright, requirePermission, type Context } from './context.ts';
import { checkArguments } from './validation.ts';

type Arguments = Record<string, unknown>;
type Field = GraphQLField<unknown, Context, Arguments>;
type Resolver = GraphQLFieldResolver<unknown, Context, Arguments>;

/** What the marks need beyond the schema. */
export interface OperationGuards {
  /** Throws 1004 unless the caller need not confirm what they do, or has. */
  confirm(context: Context): Promise<void>;
  /** Why nobody may make a merchant; null where everybody may. */
  readonly registration: ErrorName | null;
}

/** Has every field at the top of a schema check who asks it for what. Throws where a mark would guard nothing. */
export function checkOperations(schema: GraphQLSchema, guards: OperationGuards): void {
  const mutations = schema.getMutationType();
  const roots = new Set<unknown>([schema.getQueryType(), mutations, schema.getSubscriptionType()]);
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType))
    for (const field of Object.values(type.getFields()) as Field[]) {
      const { name, extensions, resolve } = field;
      if ('registers' in extensions && guards.registration !== null)
        field.extensions = { ...extensions, refusal: guards.registration };
      if (roots.has(type) && resolve) field.resolve = checked(field, resolve, type === mutations, guards);
      else if (MARKS.some((mark) => mark in extensions))
        throw new Error(`${type.name}.${name} is guarded, but is no operation`);
    }
}

const MARKS = ['permission', 'throttled', 'confirmed', 'registers'] as const;

interface Marks {
  readonly permission?: string;
  readonly throttled?: boolean;
  readonly confirmed?: boolean;
}

/** A subscription is opened through its field's resolver, and so is checked too. */
function checked(field: Field, resolve: Resolver, isMutation: boolean, { confirm }: OperationGuards): Resolver {
  const { permission, throttled, confirmed = false } = field.extensions as Marks;
  const work: Resolver = (source, args, context, info) => {
    refuseOutright(field.extensions);
    if (permission !== undefined) requirePermission(context.caller, permission);
    checkArguments(field.args, args, isMutation ? context : null);
    if (!confirmed) return resolve(source, args, context, info);
    return confirm(context).then(() => resolve(source, args, context, info));
  };
  if (throttled !== true) return work;
  return async (source, args, context, info) => {
    await context.throttle();
    return await work(source, args, context, info);
  };
}
