// Writes the operator's log, which is never changed.

import { query, type EntityManager } from '../../connection.ts';
import { newId } from '../../../values/id.ts';

/** What an operator did: by their id or the name they gave, with plain values. */
export interface LoggedOperation {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly target: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

export async function insertOperation(
  em: EntityManager,
  { at, actor, action, target, details }: LoggedOperation,
): Promise<void> {
  await query(em, 'insert into operator_log (id, at, actor, action, target, details) values ($1, $2, $3, $4, $5, $6)', [
    newId('opl', at.getTime()),
    ...[at, actor, action, target, details],
  ]);
}
