// The context of an operation, its caller and idempotency key, and the decorators that guard it. Decorators only mark
// the schema; guards.ts and validation.ts read the marks. The permission check itself is `requirePermission`.

import 'reflect-metadata';
import { Extensions } from 'type-graphql';
import type { Caller, OperationContext } from '../../access/caller.ts';
import type { Actor, PersonActor } from '../../domain/actor.ts';
import { digestOf, type IdempotentResult, type IdempotencyKey } from '../../domain/idempotency.ts';
import { GatewayError, type ErrorName } from '../../values/errors.ts';
import type { MemberPermission } from '../../values/member-permission.ts';
import type { Secrets } from '../../values/secrets/keys.ts';

export type Context = OperationContext;

type Guard = MethodDecorator & PropertyDecorator;

/** Requirements other than permissions: any valid token, or that of a person who signed in. */
const ANY_TOKEN = 'TOKEN';
const OWNER = 'OWNER';

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

/** Requires a person, whatever their role; API keys are refused. */
export function NeedsPerson(): Guard {
  return guard(OWNER);
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

/** For operations that create a merchant: refused unless registration is open (1011). */
export function Registers(): Guard {
  return Extensions({ registers: true });
}

/** Marks a list that mostly has one item: an operation that asks for it costs less. */
export function MostlyOne(): Guard {
  return Extensions({ mostlyOne: true });
}

function guard(permission: string): Guard {
  return Extensions({ permission });
}

/** Returns a caller that holds the permission; throws 1001 without a caller, and 1004 naming what they lack. */
export function requirePermission(caller: Caller | null, permission: string | undefined): Caller {
  if (!caller) throw new GatewayError('MISSING_TOKEN');
  if (permission === undefined || permission === ANY_TOKEN) return caller;
  if (!holds(caller, permission))
    throw new GatewayError('MISSING_PERMISSION', { message: `Missing permission: ${permission}` });
  return caller;
}

function holds({ keyId, permissions }: Caller, permission: string): boolean {
  return permission === OWNER ? keyId === null : permissions.has(permission as MemberPermission);
}

/** Throws the error with which an operation is refused for every caller, if it has one. */
export function refuseOutright({ refusal }: { readonly refusal?: unknown }): void {
  if (refusal !== undefined) throw new GatewayError(refusal as ErrorName);
}

/** Marks sign-ins, registrations and token exchanges: they count against the address's stricter limit (9001). */
export function Throttled(): Guard {
  return Extensions({ throttled: true });
}

/** The caller of a guarded operation. */
export function callerOf(context: Context): Caller {
  return requirePermission(context.caller, undefined);
}

/** Who acts, for the audit log. */
export function actorOf(context: Context): Actor {
  const { merchantId, keyId, personId } = callerOf(context);
  return { merchantId, keyId, personId, ip: context.ip, requestId: context.requestId };
}

/** The person who acts; throws 1004 for a key. */
export function personOf(context: Context): PersonActor & { readonly sessionId: string } {
  const { personId, sessionId } = requirePermission(context.caller, OWNER);
  if (personId === null || sessionId === null) throw new GatewayError('INVALID_TOKEN');
  return { ...actorOf(context), personId, sessionId };
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
