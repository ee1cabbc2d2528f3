// Turns for the fields at the top of operations that count as more than one call: a few at once, one of each caller in
// turn. An operation takes one place however much it asks for; without this a hundred of its fields would stand before
// the one call of somebody else, wherever all of them queue.

import type { OperationContext } from '../../access/caller.ts';
import { tooLarge } from '../../values/answer-budget.ts';
import { GatewayError } from '../../values/errors.ts';
import { sharerOf } from './shared-memory.ts';
import { createTurns } from './admission-queue.ts';

/**
 * Fields of such operations under way at once; a tenth of the places for calls, and most of the database's connections.
 */
const FIELDS_AT_ONCE = 12;

/** Runs the resolver of a field at the top: at once, or in its turn. */
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
      // What nobody takes any more, or what cannot be answered in any case, is not begun.
      if (load.isOver) throw new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
      if (load.budget.left < 0) throw tooLarge();
      return work();
    });
  };
}
