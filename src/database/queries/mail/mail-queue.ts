// How many mails are due, and for how long the first of them has been.

import { query, type EntityManager } from '../../connection.ts';

/** More are not counted. */
const MOST_COUNTED = 100_000;

export interface MailQueue {
  /** Mails that are due and not sent. */
  readonly due: number;
  /** For how long the one has been due that is due longest; 0 without any. */
  readonly oldestSeconds: number;
}

export async function readMailQueue(em: EntityManager): Promise<MailQueue> {
  const [row] = await query<MailQueue>(
    em,
    `select count(*)::int as due,
       coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as "oldestSeconds"
     from (select due_at from mail where status = 'QUEUED' and due_at <= now() order by due_at, id
       limit ${MOST_COUNTED}) queue`,
  );
  return row ?? { due: 0, oldestSeconds: 0 };
}
