// Turns for the root fields of operations that count as several calls: a few run at once, taken from callers in turn.
// Without them a hundred fields of one operation would queue before the single call of another caller.

import type { OperationContext } from '../../access/caller.ts';
import { tooLarge } from '../../values/answer-budget.ts';
import { GatewayError } from '../../values/errors.ts';
import { sharerOf } from './shared-memory.ts';
import { createTurns } from './admission-queue.ts';

/**
 * Fields of such operations under way at once; a tenth of the places for calls, and most of the database's connections.
 */
const FIELDS_AT_ONCE = 12;

/** Runs the resolver of a root field, at once or in its turn. */
export type TakeTurn = (context: object, work: () => unknown) => unknown;

/**
 * Makes the turns of one process. Those who wait for one belong to calls that were let in, and nobody is turned away.
 */
export function createFieldTurns(): TakeTurn {
  const inTurn = createTurns(FIELDS_AT_ONCE);
  return (given, work) => {
    const { load, caller = null, ip = '' } = given as Partial<OperationContext>;
    if (!load || (load.calls ?? 1) <= 1) return work();
    return inTurn(sharerOf(caller, ip), () => {
      // Do not begin what will not be read or cannot be answered.
      if (load.isOver) throw new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
      if (load.budget.left < 0) throw tooLarge();
      return work();
    });
  };
}
