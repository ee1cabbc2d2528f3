// A start whose database is not there yet, or not up to date: what the operator reads, and what is waited for.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../support/database/database.ts';
import { FAST_START_VARIABLES } from '../support/jest/fast-start-variables.ts';
import { startPostgresProxy } from '../support/proxies/postgres-proxy.ts';
import { until } from '../support/until.ts';
import { startProgram } from './programs.fixture.ts';

const MIGRATE = fileURLToPath(new URL('../../src/cli/migrate.js', import.meta.url));

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = await makeTestFolder('infrastructure');
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const start = (env: Readonly<Record<string, string>>) =>
  startProgram({
    ...{ DATA_DIR: folder, DATABASE_URL: database.url, SANDBOX_NETWORKS: '', PORT: '0', LOG_LEVEL: 'fatal' },
    ...{ TURNPIKE_SECRET: 'only-for-this-test-00000000000000000', ...env },
  });
/** The lines that are neither progress nor the first one. */
const reason = (said: string) => said.split('\n').filter((line) => /^[A-Z_]+: /.test(line));

describe('a database server that is not there yet', () => {
  let url: string;
  beforeEach(async () => {
    const closed = await startPostgresProxy(database.url);
    ({ url } = closed);
    await closed.stop();
  });
  const waiting = /Waiting for PostgreSQL \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)/;

  it('is waited for, and a line says so; the start goes on once it is there', async () => {
    const program = start({ DATABASE_URL: url });
    await until(() => waiting.test(program.said()));
    const proxy = await startPostgresProxy(database.url, Number(new URL(url).port));
    await program.ready;
    await program.stop();
    await proxy.stop();
  });

  it('is not waited for any longer than DATABASE_WAIT_SECONDS', async () => {
    const program = start({ DATABASE_URL: url, DATABASE_WAIT_SECONDS: '0' });
    expect(await program.exited).toBe(1);
    expect(reason(program.said())).toEqual([
      expect.stringMatching(/^DATABASE_URL: cannot connect to PostgreSQL: connect ECONNREFUSED/),
    ]);
  });

  it('does not keep the program from stopping', async () => {
    const program = start({ DATABASE_URL: url, DATABASE_WAIT_SECONDS: '86400' });
    await until(() => waiting.test(program.said()));
    await program.stop();
    expect(await program.exited).toBe(0);
    expect(program.said()).not.toContain('Error');
  });
});

describe('a database server that is lost while the program starts', () => {
  it.each(['DATABASE_URL', 'DATABASE_DIRECT_URL'])(
    '%s: ends the start with one line; the next goes on',
    async (name) => {
      await database.sql('drop schema public cascade; create schema public');
      const proxy = await startPostgresProxy(database.url);
      const caught = proxy.catchNext(/insert into schema_version/, 'before');
      const program = start({ [name]: proxy.url });
      await caught;
      proxy.turnTo(database.url);
      expect(await program.exited).toBe(1);
      expect(reason(program.said())).toEqual([
        expect.stringMatching(new RegExp(`^${name}: cannot connect to PostgreSQL: Connection terminated`)),
      ]);
      const next = start({ [name]: proxy.url });
      await next.ready;
      await next.stop();
      await proxy.stop();
    },
  );
});

describe('a database that does not exist', () => {
  it('is not waited for', async () => {
    const program = start({
      DATABASE_URL: database.url.replace(/test_\w+/, 'missing'),
      DATABASE_WAIT_SECONDS: '86400',
    });
    expect(await program.exited).toBe(1);
    expect(reason(program.said())).toEqual([
      'DATABASE_URL: cannot connect to PostgreSQL: database "missing" does not exist',
    ]);
  });
});

describe('with MIGRATE_AT_START=false', () => {
  it('the start changes nothing and says what to run; afterwards it starts', async () => {
    await database.sql('drop schema public cascade; create schema public');
    const early = start({ MIGRATE_AT_START: 'false' });
    expect(await early.exited).toBe(1);
    expect(reason(early.said())).toEqual([
      expect.stringMatching(
        /^DATABASE_URL: the database is empty, and Turnpike .* needs schema \d+: run npm run migrate$/,
      ),
    ]);
    expect(await database.sql(`select 1 from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);

    const env = { ...FAST_START_VARIABLES, DATABASE_URL: database.url };
    const run = () =>
      new Promise<string>((resolve, reject) =>
        execFile(process.execPath, [MIGRATE], { env }, (error, out, told) => {
          if (error) reject(new Error(told));
          else resolve(out);
        }),
      );
    expect(await run()).toMatch(/^Applied 20261124-initial-schema\nApplied [^]*The database has schema \d+\n$/);
    expect(await run()).toMatch(/^The database has schema \d+\n$/);
    const program = start({ MIGRATE_AT_START: 'false' });
    await program.ready;
    await program.stop();
  });
});
