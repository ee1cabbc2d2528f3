// Writes and reads the operator's log, which is never changed.

import { query, toDate, type EntityManager } from '../../connection.ts';
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

/** Inserts it unless the same was logged within the hour: pages that are open look again and again. */
export async function insertFirstOfHour(
  em: EntityManager,
  { at, actor, action, target, details }: LoggedOperation,
): Promise<void> {
  await query(
    em,
    `insert into operator_log (id, at, actor, action, target, details)
     select $1, $2, $3, $4, $5, $6::jsonb where not exists (
       select 1 from operator_log
       where at > $2::timestamptz - interval '1 hour' and actor = $3 and action = $4
         and target is not distinct from $5 and details = $6::jsonb
     )`,
    [newId('opl', at.getTime()), at, actor, action, target, details],
  );
}

/** An entry of the log. */
export interface OperatorLogEntry extends LoggedOperation {
  readonly id: string;
}

/** What was done, newest first, below the id `before`; without what was only looked at. */
export async function listOperations(
  em: EntityManager,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<OperatorLogEntry[]> {
  const rows = await query<OperatorLogEntry & { at: string }>(
    em,
    `select l.id, l.at, coalesce(p.email, l.actor) as actor, l.action, l.target, l.details
     from operator_log l left join person p on p.id = l.actor
     where l.action not like '%\\_READ' and ($1::text is null or l.id < $1)
     order by l.id desc limit $2`,
    [before, limit],
  );
  return rows.map((row) => ({ ...row, at: toDate(row.at) }));
}
