// What every operation knows of its request, and the decorators that guard it: they leave marks in the schema, which
// check-operations.ts has checked before an operation's work. Permissions are judged here only.

import 'reflect-metadata';
import { Extensions } from 'type-graphql';
import type { Caller, OperationContext } from '../../access/caller.ts';
import type { Actor } from '../../domain/merchants/audit.ts';
import { digestsOf, type IdempotentResult, type IdempotencyKey } from '../../domain/idempotency.ts';
import { GatewayError, type ErrorName } from '../../values/errors.ts';
import type { Permission } from '../../values/permission.ts';
import type { Secrets } from '../../values/secrets/keys.ts';

export type Context = OperationContext;

type Guard = MethodDecorator & PropertyDecorator;

/** Needs that are no permission: any valid token, and the owner's own, got with the password. */
const ANY_TOKEN = 'TOKEN';
const OWNER = 'OWNER';

/** Guards an operation by a permission. */
export function Needs(permission: Permission): Guard {
  return guard(permission);
}

/** Guards an operation that a valid token is enough for. */
export function NeedsToken(): Guard {
  return guard(ANY_TOKEN);
}

/** Guards an operation that is for the owner alone, who signed in with the password, and for none of their keys. */
export function NeedsOwner(): Guard {
  return guard(OWNER);
}

/**
 * Guards an operation that moves money, or makes or changes what can: in a session of the console, which may have been
 * left open or stolen, the owner shows the password first (1004, PASSWORD_CONFIRMATION). Keys and scripts go on
 * without.
 */
export function NeedsConfirmation(): Guard {
  return Extensions({ confirmed: true });
}

/** Guards an operation that makes a merchant: none is made where registration is not open (1011). */
export function Registers(): Guard {
  return Extensions({ registers: true });
}

function guard(permission: string): Guard {
  return Extensions({ permission });
}

/** Says whether a caller may; throws 1001 without one and 1004 naming what they lack. */
export function requirePermission(caller: Caller | null, permission: string | undefined): Caller {
  if (!caller) throw new GatewayError('MISSING_TOKEN');
  if (permission === undefined || permission === ANY_TOKEN) return caller;
  const holds = permission === OWNER ? caller.keyId === null : caller.permissions.has(permission as Permission);
  if (!holds) throw new GatewayError('MISSING_PERMISSION', { message: `Missing permission: ${permission}` });
  return caller;
}

/** Throws the error that an operation is refused with for every caller, where it has one. */
export function refuseOutright({ refusal }: { readonly refusal?: unknown }): void {
  if (refusal !== undefined) throw new GatewayError(refusal as ErrorName);
}

/** Marks an operation that takes credentials: it counts against the stricter limit of the caller's address (9001). */
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

/** The operation that an idempotency key is sent with: whose it is, its name, and what it is asked for, no password. */
interface AskedOnce {
  readonly scope: string;
  readonly operation: string;
  readonly input: unknown;
}

/** The idempotency key of an operation; null when the caller sent none. */
export function onceKey(
  { deps }: { readonly deps: { readonly secrets: Secrets } },
  context: Context,
  { scope, operation, input }: AskedOnce,
): IdempotencyKey | null {
  const { idempotencyKey: key } = context;
  return key === null ? null : { scope, operation, key, ...digestsOf(deps.secrets, input) };
}

/** Unwraps an answer and marks the request where it is a repeat. */
export function answer<Result>(context: Context, { result, replayed }: IdempotentResult<Result>): Result {
  context.replayed ||= replayed;
  return result;
}
