// The operator who acts by an operation, and the scope of their idempotency keys.

import type { Operator } from '../../domain/operator/log.ts';
import type { IdempotencyKey } from '../../domain/idempotency.ts';
import { idempotencyOf, operatorOf, type Context } from '../operation/context.ts';
import type { Services } from '../services.ts';

/** The operator who acts, by their id. */
export function actingOperator({ deps }: Services, context: Context): Operator {
  return { deps, name: operatorOf(context).personId };
}

/** The idempotency key of an operator's call, which is theirs alone; null if none was sent. */
export function operatorsKey(
  services: Services,
  context: Context,
  operation: string,
  input: unknown,
): IdempotencyKey | null {
  return idempotencyOf(services, context, { scope: operatorOf(context).personId, operation, input });
}
