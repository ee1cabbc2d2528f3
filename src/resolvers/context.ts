// What every operation knows of its request, and the decorators that guard it: they leave marks in the schema, which
// check-operations.ts has checked before an operation's work. Permissions are judged here only.

import 'reflect-metadata';
import { Extensions } from 'type-graphql';
import type { Caller, OperationContext } from '../access/caller.ts';
import type { Actor } from '../domain/audit.ts';
import { digestInput, type Once, type OnceKey } from '../domain/once.ts';
import { GatewayError } from '../values/errors.ts';
import type { Permission } from '../values/permission.ts';

export type Context = OperationContext;

type Guard = MethodDecorator & PropertyDecorator;

/** Needs that are no permission: any valid token, and the owner's own, got with his password. */
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

/** Guards an operation that is for the owner himself, who signed in with his password, and for no key of his. */
export function NeedsOwner(): Guard {
  return guard(OWNER);
}

function guard(permission: string): Guard {
  return Extensions({ permission });
}

/** Says whether a caller may; throws 1001 without one and 1004 naming what he lacks. */
export function requirePermission(caller: Caller | null, permission: string | undefined): Caller {
  if (!caller) throw new GatewayError('MISSING_TOKEN');
  if (permission === undefined || permission === ANY_TOKEN) return caller;
  const holds = permission === OWNER ? caller.keyId === null : caller.permissions.has(permission as Permission);
  if (!holds) throw new GatewayError('MISSING_PERMISSION', { message: `Missing permission: ${permission}` });
  return caller;
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

/** The idempotency key of an operation; null when the caller sent none. */
export function onceKey(context: Context, scope: string, operation: string, input: unknown): OnceKey | null {
  const { idempotencyKey: key } = context;
  return key === null ? null : { scope, operation, key, inputDigest: digestInput(input) };
}

/** Unwraps an answer and marks the request where it is a repeat. */
export function answer<Result>(context: Context, { result, replayed }: Once<Result>): Result {
  context.replayed ||= replayed;
  return result;
}
