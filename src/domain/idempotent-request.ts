// Runs a merchant's request once per idempotency key: its changes and its stored answer commit together.

import type { EntityManager } from '../database/connection.ts';
import { GatewayError } from '../values/errors.ts';
import { inTransaction, type Deps } from './deps.ts';
import { storeAnswer, takeKey, whileInFlight, type IdempotentResult, type IdempotencyKey } from './idempotency.ts';

/**
 * Runs `work` in a transaction of its own, unless its key was answered before. `kept` turns the result into what a
 * repeat returns, without secrets. Errors: 2002, 2003, and those of the work.
 */
export function runIdempotent<Result>(
  deps: Pick<Deps, 'db' | 'clock'>,
  idempotencyKey: IdempotencyKey | null,
  work: (em: EntityManager, now: Date) => Promise<Result>,
  kept: (result: Result) => Result = (result) => result,
): Promise<IdempotentResult<Result>> {
  return whileInFlight(idempotencyKey, () =>
    inTransaction(deps, async (em) => {
      const earlier = idempotencyKey && (await takeKey<Result>(em, idempotencyKey));
      if (earlier) return { result: earlier, replayed: true };
      const now = deps.clock.now();
      const result = await work(em, now);
      // Another process has answered the same key meanwhile, so this transaction must roll back.
      if (idempotencyKey && !(await storeAnswer(em, idempotencyKey, kept(result), now)))
        throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
      return { result, replayed: false };
    }),
  );
}
