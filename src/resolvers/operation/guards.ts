// Checks every operation before it runs, by its marks in the schema: credential attempts are counted, then the
// permission, the arguments and, in the console, the confirmation are checked. type-graphql's middleware would cost
// each call a dozen promises; here it is a function around the resolver.

import { isObjectType, type GraphQLField, type GraphQLFieldResolver, type GraphQLSchema } from 'graphql';
import { refuseForeign } from '../../values/cells/bearer-cell.ts';
import { ownCell } from '../../values/cells/own-cell.ts';
import { GatewayError } from '../../values/errors.ts';
import { cellOf } from '../../values/id.ts';
import {
  hasInvitation,
  OPERATOR,
  refuseOutright,
  refuseSuspended,
  requirePermission,
  type Confirmation,
  type Context,
  type Refused,
} from './context.ts';
import { checkArguments } from './validation.ts';

type Arguments = Record<string, unknown>;
type Field = GraphQLField<unknown, Context, Arguments>;
type Resolver = GraphQLFieldResolver<unknown, Context, Arguments>;

/** What the checks need beyond the schema. */
export interface OperationGuards {
  /** Throws 1010 unless the caller has confirmed lately that it is them, or need not. */
  confirm(context: Context, which: Confirmation): Promise<void>;
  /** Who may register a merchant: anyone, those who were invited, or nobody. */
  readonly registration: keyof typeof REFUSED;
  /** Whether operators without a second factor do nothing but set one up (1014). */
  readonly operatorsNeedFactor: boolean;
}

const REFUSED = { open: undefined, invite: 'UNINVITED', closed: 'ALL' } as const satisfies Record<string, Refused>;

/** Wraps the resolver of every root field with its checks. Throws for a mark on a field that is not an operation. */
export function checkOperations(schema: GraphQLSchema, guards: OperationGuards): void {
  const mutations = schema.getMutationType();
  const roots = new Set<unknown>([schema.getQueryType(), mutations, schema.getSubscriptionType()]);
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType))
    for (const field of Object.values(type.getFields()) as Field[]) {
      const { name, extensions, resolve } = field;
      if ('registers' in extensions) field.extensions = { ...extensions, refused: REFUSED[guards.registration] };
      if (roots.has(type) && resolve) field.resolve = checked(field, resolve, type === mutations, guards);
      else if (MARKS.some((mark) => mark in extensions))
        throw new Error(`${type.name}.${name} is guarded, but is no operation`);
    }
}

const MARKS = ['permission', 'ofPeople', 'throttled', 'confirmed', 'registers', 'goesOn'] as const;

interface Marks {
  readonly permission?: string;
  readonly ofPeople?: string;
  readonly throttled?: boolean;
  readonly confirmed?: Confirmation;
}

/**
 * Throws 9421 for what anybody may ask about, in another cell than that of its id or of the secret of its link. The
 * caller of a token is in the right cell already.
 */
function refuseOfOtherCells(given: object): void {
  if (ownCell() === null) return;
  for (const value of Object.values(given) as unknown[]) {
    if (typeof value === 'string') refuseForeign(cellOf(value.split('.')[0] ?? ''));
    else if (value !== null && typeof value === 'object') refuseOfOtherCells(value);
  }
}

/** Subscriptions are opened through their field's resolver, so they are checked too. */
function checked(field: Field, resolve: Resolver, isMutation: boolean, guards: OperationGuards): Resolver {
  const { confirm, operatorsNeedFactor } = guards;
  const { permission, ofPeople, throttled, confirmed } = field.extensions as Marks;
  const work: Resolver = (source, args, context, info) => {
    refuseOutright(field.extensions, () => hasInvitation(args));
    if (permission !== undefined) requirePermission(context, permission);
    else if (context.caller === null) refuseOfOtherCells(args);
    if (permission === OPERATOR && operatorsNeedFactor && context.operator?.hasSecondFactor !== true)
      throw new GatewayError('FACTOR_NEEDED');
    if (isMutation) refuseSuspended(context, field.extensions);
    if (ofPeople !== undefined && context.caller?.keyId === null) requirePermission(context, ofPeople);
    checkArguments(field.args, args, isMutation ? context : null);
    if (confirmed === undefined) return resolve(source, args, context, info);
    return confirm(context, confirmed).then(() => resolve(source, args, context, info));
  };
  if (throttled !== true) return work;
  return async (source, args, context, info) => {
    await context.throttle();
    return await work(source, args, context, info);
  };
}
