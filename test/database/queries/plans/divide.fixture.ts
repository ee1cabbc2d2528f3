// Divides the empty tables of a history, so that its rows are in several partitions.

import { pino } from 'pino';
import { connectDatabase } from '../../../../src/database/connection.ts';
import { partitionHistory } from '../../../../src/database/partition.ts';
import { makePartitions } from '../../../../src/database/queries/partitions.ts';
import type { TestDatabase } from '../../../support/database/database.ts';
import { idOf } from './history.fixture.ts';

/** Calls are of the last hours and of a hundred days ago. */
const FIRST_CALL_DAYS = 120;
/** Ids of the history's deliveries end before those that are made now. */
const FIRST_OF_NOW = 'dlv_01';

/** The ids of a history say nothing of the time: its attempts are divided by their numbers. */
export async function divideEmpty({ url, sql }: TestDatabase): Promise<void> {
  const db = await connectDatabase({ url, poolMax: 2, log: pino({ level: 'silent' }) });
  const now = new Date();
  await partitionHistory(db, new Date(now.getTime() - FIRST_CALL_DAYS * 86_400_000));
  await makePartitions(db.em, 'api_log', now);
  await makePartitions(db.em, 'webhook_attempt', now);
  await db.close();
  await sql('drop table webhook_attempt_before');
  const bounds = ['minvalue', `'${idOf('dlv', 3_000)}'`, `'${idOf('dlv', 9_000)}'`, `'${FIRST_OF_NOW}'`];
  for (const [nth, name] of ['first', 'second', 'third'].entries())
    await sql(
      `create table webhook_attempt_${name} partition of webhook_attempt
       for values from (${bounds[nth] ?? ''}) to (${bounds[nth + 1] ?? ''})`,
    );
}
