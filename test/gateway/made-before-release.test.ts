// A database with a schema from before the first release: the start says in one line what to do, and changes nothing.

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { chmod, rm } from 'node:fs/promises';
import { pino } from 'pino';
import { readConfig } from '../../src/config/config.ts';
import { createGateway } from '../../src/gateway/gateway.ts';
import { StartError } from '../../src/gateway/lifecycle.ts';
import { startPostgres } from '../../src/sandbox/postgres/supervisor.ts';
import { createTestDatabase, makeTestFolder, runSql } from '../support/database/database.ts';
import { startProgram } from './programs.fixture.ts';

jest.setTimeout(180_000);

/** The part of such a database by which it is recognised. */
const MADE_BEFORE = `
  create table migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp);
  insert into migration (name) values ('20261121-first'), ('20261121-payouts');
  create table merchant (id text primary key);`;

const log = pino({ level: 'silent' });
let folder: string;
beforeAll(async () => {
  folder = await makeTestFolder('before-release');
  await chmod(folder, 0o711); // As root, PostgreSQL runs as another user.
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a database of before the first release', () => {
  it('in the data folder ends the program with one line: remove the folder, or name another one', async () => {
    const postgres = await startPostgres({ dataDir: folder, log, durable: false });
    await runSql(postgres.url, MADE_BEFORE);
    await postgres.stop();

    const program = startProgram({ DATA_DIR: folder, SANDBOX_NETWORKS: 'ETH', LOG_LEVEL: 'fatal' });
    expect(await program.exited).toBe(1);
    const [, ...said] = program.said().trim().split('\n');
    expect(said.filter((line) => !line.startsWith('  '))).toEqual([
      `DATA_DIR: the database in ${folder} was made before the first release and cannot be used any more; remove that folder, or set DATA_DIR to another one`,
    ]);
  });

  it('at DATABASE_URL is refused, so that another one is named, and nothing in it changes', async () => {
    const { url, sql, drop } = await createTestDatabase();
    await sql('drop schema public cascade; create schema public');
    await runSql(url, MADE_BEFORE);
    const state = `select array(select relname::text from pg_class where relnamespace = 'public'::regnamespace
      and relkind = 'r' order by 1) as tables, array(select name::text from migration order by id) as migrations`;
    const before = await sql(state);

    const config = readConfig({ DATA_DIR: folder, DATABASE_URL: url, SANDBOX_NETWORKS: '' });
    await expect(createGateway(config, { log })).rejects.toThrow(
      new StartError(
        'DATABASE_URL: this database was made before the first release and cannot be used any more; set DATABASE_URL to an empty one',
      ),
    );
    expect(await sql(state)).toEqual(before);
    await drop();
  });
});
