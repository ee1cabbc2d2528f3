// The context of an operation, its caller and idempotency key, and the decorators that guard it. Decorators only mark
// the schema; guards.ts and validation.ts read the marks. The permission check itself is `requirePermission`.

import 'reflect-metadata';
import { Extensions } from 'type-graphql';
import type { Caller, OperationContext } from '../../access/caller.ts';
import type { OperatorCaller } from '../../access/operators.ts';
import type { Actor, PersonActor, SelfActor } from '../../domain/actor.ts';
import { digestOf, type IdempotentResult, type IdempotencyKey } from '../../domain/idempotency.ts';
import { GatewayError, lacking } from '../../values/errors.ts';
import type { MemberPermission } from '../../values/member-permission.ts';
import type { Secrets } from '../../values/secrets/keys.ts';

export type Context = OperationContext;

type Guard = MethodDecorator & PropertyDecorator;

/**
 * Requirements other than permissions: any valid token of a merchant, that of a person who signed in at one, that of a
 * person wherever they signed in, or that of an operator in a session of theirs.
 */
const ANY_TOKEN = 'TOKEN';
const OWNER = 'OWNER';
const SELF = 'SELF';
export const OPERATOR = 'OPERATOR';

/** Requires a permission. */
export function Needs(permission: MemberPermission): Guard {
  return guard(permission);
}

/** Requires any valid token. */
export function NeedsToken(): Guard {
  return guard(ANY_TOKEN);
}

/** Requires a permission of people alone; keys do without. */
export function NeedsOfPeople(permission: MemberPermission): Guard {
  return Extensions({ ofPeople: permission });
}

/** Requires a person at a merchant, whatever their role; API keys are refused. */
export function NeedsPerson(): Guard {
  return guard(OWNER);
}

/** Requires a person, at a merchant or in an operator's session; API keys are refused. */
export function NeedsSelf(): Guard {
  return guard(SELF);
}

/** Requires an operator in a session of theirs; in live, one with a second factor (1014). */
export function NeedsOperator(): Guard {
  return guard(OPERATOR);
}

/**
 * For operations that move money, and those that change API keys or webhooks or send a test event. A console session
 * may have been left open or stolen, so there it must have been confirmed lately (1010). API keys need no confirmation.
 */
export function NeedsConfirmation(): Guard {
  return Extensions({ confirmed: 'IN_CONSOLE' satisfies Confirmation });
}

/** For operations that every session must have confirmed lately (1010), whatever it was opened for. */
export function AlwaysConfirmed(): Guard {
  return Extensions({ confirmed: 'ALWAYS' satisfies Confirmation });
}

/** Which sessions must have been confirmed: those of the console, or all. */
export type Confirmation = 'IN_CONSOLE' | 'ALWAYS';

/** For operations that create a merchant: refused unless registration is open, or by invitation and with one (1011). */
export function Registers(): Guard {
  return Extensions({ registers: true });
}

/** For what a customer or the chain does, in the sandbox by a merchant's token: it goes on while they are suspended. */
export function GoesOn(): Guard {
  return Extensions({ goesOn: true });
}

/** Marks a list that mostly has one item: an operation that asks for it costs less. */
export function MostlyOne(): Guard {
  return Extensions({ mostlyOne: true });
}

function guard(permission: string): Guard {
  return Extensions({ permission });
}

/** What no key has, whatever its permissions: it is of those who sign in at the merchant. */
const OF_PEOPLE: ReadonlySet<string> = new Set([ANY_TOKEN, OWNER, SELF]);
const OF_PEOPLE_ALONE = "Only the account's owner and its members may do this, signed in";

type Asking = Pick<Context, 'caller' | 'operator'>;

/** Throws 1001 for nobody, and 1004 naming what they lack for somebody who may not. */
export function requirePermission(asking: Asking, permission: string | undefined): void {
  const { caller, operator = null } = asking;
  if (!caller && !operator) throw new GatewayError('MISSING_TOKEN');
  if (permission === OPERATOR ? operator : holds(asking, permission ?? ANY_TOKEN)) return;
  if (permission !== undefined && !OF_PEOPLE.has(permission)) throw lacking(permission);
  throw new GatewayError('MISSING_PERMISSION', { message: OF_PEOPLE_ALONE });
}

function holds({ caller, operator = null }: Asking, permission: string): boolean {
  if (permission === SELF && operator) return true;
  if (!caller) return false;
  if (permission === ANY_TOKEN) return true;
  const isPerson = caller.keyId === null;
  return permission === OWNER || permission === SELF
    ? isPerson
    : caller.permissions.has(permission as MemberPermission);
}

/** What an operation's field says of itself. */
interface Changing {
  readonly permission?: unknown;
  readonly registers?: unknown;
  readonly goesOn?: unknown;
}

/**
 * Throws 1012 for what would change something of a suspended merchant. Their people go on as to themselves: they sign
 * out, confirm, set up factors, and turn to another merchant of theirs, but make none.
 */
export function refuseSuspended({ caller }: Asking, { permission, registers, goesOn }: Changing): void {
  if (caller?.isSuspended !== true || goesOn === true || permission === undefined) return;
  if ((permission === OWNER || permission === SELF) && registers === undefined) return;
  throw new GatewayError('MERCHANT_SUSPENDED');
}

/** Which calls of an operation are refused: all, or those without an invitation; undefined for none. */
export type Refused = 'ALL' | 'UNINVITED' | undefined;

/** Throws 1011 where an operation is refused, for every caller or for those without an invitation. */
export function refuseOutright({ refused }: { readonly refused?: unknown }, isInvited: () => boolean): void {
  if (refused === 'ALL' || (refused === 'UNINVITED' && !isInvited())) throw new GatewayError('REGISTRATION_CLOSED');
}

/** Whether the arguments of an operation, or its input, have an invitation; whose, is found later. */
export function hasInvitation({ invitation, input }: Readonly<Record<string, unknown>>): boolean {
  const within = typeof input === 'object' && input !== null ? (input as { readonly invitation?: unknown }) : {};
  return (invitation ?? within.invitation ?? null) !== null;
}

/** Marks sign-ins, registrations and token exchanges: they count against the address's stricter limit (9001). */
export function Throttled(): Guard {
  return Extensions({ throttled: true });
}

/** The caller of a guarded operation. */
export function callerOf(context: Context): Caller {
  requirePermission(context, undefined);
  if (!context.caller) throw new GatewayError('MISSING_TOKEN');
  return context.caller;
}

/** The operator of a guarded operation. */
export function operatorOf({ operator = null }: Context): OperatorCaller {
  if (!operator) throw new GatewayError('MISSING_TOKEN');
  return operator;
}

/** Who acts, for the audit log. */
export function actorOf(context: Context): Actor {
  const { merchantId, keyId, personId } = callerOf(context);
  return { merchantId, keyId, personId, ip: context.ip, requestId: context.requestId };
}

/** The person who acts; throws 1004 for a key. */
export function personOf(context: Context): PersonActor & { readonly sessionId: string } {
  requirePermission(context, OWNER);
  const { personId, sessionId } = callerOf(context);
  if (personId === null || sessionId === null) throw new GatewayError('INVALID_TOKEN');
  return { ...actorOf(context), personId, sessionId };
}

/** The person who acts on themselves, wherever they signed in; throws 1004 for a key. */
export function selfOf(context: Context): SelfActor & { readonly sessionId: string } {
  const { operator = null, ip, requestId } = context;
  if (!operator) return personOf(context);
  const { personId, sessionId } = operator;
  return { merchantId: null, keyId: null, personId, sessionId, ip, requestId };
}

/** The request that an idempotency key belongs to: its scope, its operation, and its input without passwords. */
interface IdempotentRequest {
  readonly scope: string;
  readonly operation: string;
  readonly input: unknown;
}

/** The idempotency key of an operation; null if the caller sent none. */
export function idempotencyOf(
  { deps }: { readonly deps: { readonly secrets: Secrets } },
  context: Context,
  { scope, operation, input }: IdempotentRequest,
): IdempotencyKey | null {
  const { idempotencyKey: key } = context;
  return key === null ? null : { scope, operation, key, inputDigest: digestOf(deps.secrets, input) };
}

/** Unwraps an answer, and marks the request if it is a repeat. */
export function answer<Result>(context: Context, { result, replayed }: IdempotentResult<Result>): Result {
  context.replayed ||= replayed;
  return result;
}
