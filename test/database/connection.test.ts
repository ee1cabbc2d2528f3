// The settings that every connection of the gateway has, whatever the defaults of the server, the database or the role.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, query } from '../../src/database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';

let database: TestDatabase;
beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());

/** The synchronous_commit of a transaction on each of several connections at once. */
async function committedWith(): Promise<string[]> {
  const db = await connectDatabase({ url: database.url, poolMax: 3, log: pino({ level: 'silent' }) });
  try {
    const show = async () => {
      const [row] = await query<{ value: string }>(
        db.em,
        `select current_setting('synchronous_commit') as value, pg_sleep(0.02)`,
      );
      return row?.value ?? '';
    };
    return await Promise.all([show(), show(), show()]);
  } finally {
    await db.close();
  }
}

describe('a connection', () => {
  it.each([
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['on', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('commits safely where the database is set to synchronous_commit = %s: with %s', async (given, kept) => {
    const name = new URL(database.url).pathname.slice(1);
    await database.sql(`alter database ${name} set synchronous_commit = '${given}'`);
    expect(await committedWith()).toEqual([kept, kept, kept]);
  });
});
