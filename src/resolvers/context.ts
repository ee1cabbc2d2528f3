// What every operation knows of its request, and the decorator that guards it. Permissions are checked here only.

import 'reflect-metadata';
import { Authorized, Extensions, type AuthCheckerFn } from 'type-graphql';
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

/** Guards an operation by a permission. It is also left in the schema, for the order of checks and the documents. */
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
  return decorated(Authorized(permission), Extensions({ permission }));
}

function decorated(...decorators: readonly Guard[]): Guard {
  return (target: object, key: string | symbol, descriptor?: PropertyDescriptor) => {
    for (const decorate of decorators) decorate(target, key, descriptor as never);
  };
}

/** Says whether a caller may; throws 1001 without one and 1004 naming what he lacks. */
export function requirePermission(caller: Caller | null, permission: string | undefined): Caller {
  if (!caller) throw new GatewayError('MISSING_TOKEN');
  if (permission === undefined || permission === ANY_TOKEN) return caller;
  const holds = permission === OWNER ? caller.keyId === null : caller.permissions.has(permission as Permission);
  if (!holds) throw new GatewayError('MISSING_PERMISSION', { message: `Missing permission: ${permission}` });
  return caller;
}

const THROTTLED = 'throttled';

/**
 * Marks an operation that takes credentials: it counts against the stricter limit of the caller's address (9001). The mark
 * is left in the schema, because REST counts before it reads the body.
 */
export function Throttled(): Guard {
  return decorated(Authorized(THROTTLED), Extensions({ throttled: true }));
}

/** The schema's check of guarded operations. An arrow function: type-graphql takes anything else for a class. */
export const checkPermission: AuthCheckerFn<Context, string> = async ({ context }, [need]) => {
  if (need === THROTTLED) await context.throttle();
  else requirePermission(context.caller, need);
  return true;
};

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
