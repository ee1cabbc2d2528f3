// The context of an operation, its caller and idempotency key, and the decorators that guard it. Decorators only mark
// the schema; guards.ts and validation.ts read the marks. The permission check itself is `requirePermission`.

import 'reflect-metadata';
import { Extensions } from 'type-graphql';
import type { Caller, OperationContext } from '../../access/caller.ts';
import type { Actor } from '../../domain/actor.ts';
import { digestOf, type IdempotentResult, type IdempotencyKey } from '../../domain/idempotency.ts';
import { GatewayError, type ErrorName } from '../../values/errors.ts';
import type { Permission } from '../../values/permission.ts';
import type { Secrets } from '../../values/secrets/keys.ts';

export type Context = OperationContext;

type Guard = MethodDecorator & PropertyDecorator;

/** Requirements other than permissions: any valid token, or the owner's own token from signing in with the password. */
const ANY_TOKEN = 'TOKEN';
const OWNER = 'OWNER';

/** Requires a permission. */
export function Needs(permission: Permission): Guard {
  return guard(permission);
}

/** Requires any valid token. */
export function NeedsToken(): Guard {
  return guard(ANY_TOKEN);
}

/** Requires the owner, signed in with the password; API keys are refused. */
export function NeedsOwner(): Guard {
  return guard(OWNER);
}

/**
 * For operations that move money, and those that change API keys or webhooks or send a test event. A console session
 * may have been left open or stolen, so there the owner confirms the password first (1004, PASSWORD_CONFIRMATION). API
 * keys need no confirmation.
 */
export function NeedsConfirmation(): Guard {
  return Extensions({ confirmed: true });
}

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
  const holds = permission === OWNER ? caller.keyId === null : caller.permissions.has(permission as Permission);
  if (!holds) throw new GatewayError('MISSING_PERMISSION', { message: `Missing permission: ${permission}` });
  return caller;
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
  const { merchantId, keyId } = callerOf(context);
  return { merchantId, keyId, ip: context.ip, requestId: context.requestId };
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
