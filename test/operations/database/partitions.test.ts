// History divided by month on Debian's PostgreSQL, by the command that operators run, as the owner of the tables.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ROOT } from '../../support/sources.ts';
import { runSql } from '../../support/database/database.ts';
import { FAST_START_VARIABLES } from '../../support/jest/fast-start-variables.ts';
import { startDebianPostgres, type DebianPostgres } from '../debian-postgres.fixture.ts';

const LONG = 240_000;
const MIGRATE = fileURLToPath(new URL('../../../src/cli/migrate.js', import.meta.url));
const DAYS = 86_400_000;

let server: DebianPostgres;
const urlOf = (role: string) => server.url('turnpike').replace('postgres@', `turnpike_${role}@`);

beforeAll(async () => {
  server = await startDebianPostgres();
  await server.sql('create database turnpike');
  await runSql(server.url('turnpike'), readFileSync(`${ROOT}/deploy/postgres/roles.sql`, 'utf8'));
}, LONG);
afterAll(() => server?.remove(), LONG);

const migrate = async (...options: string[]) =>
  (
    await promisify(execFile)(process.execPath, [MIGRATE, ...options], {
      env: { ...FAST_START_VARIABLES, DATABASE_URL: urlOf('owner') },
    })
  ).stdout;

const call = (at: Date) =>
  runSql(
    urlOf('api'),
    `insert into api_log (request_id, at, method, path, status, duration_ms, ip) values ('r', $1, 'GET', '/', 200, 1, '')`,
    [at],
  );
const filled = () =>
  runSql<{ name: string; count: number }>(
    server.url('turnpike'),
    'select tableoid::regclass::text as name, count(*)::int as count from api_log group by 1 order by 1',
  );

it(
  'is divided once, goes on for the API, and is made and dropped by the observer',
  async () => {
    expect(await migrate()).not.toContain('History has partitions');
    await call(new Date());
    expect(await migrate('--partition-history')).toMatch(
      /Divided by month: api_log\nDivided by month: webhook_attempt\nHistory has partitions\n$/,
    );
    expect(await migrate('--partition-history')).toMatch(/^The database has schema \d+\nHistory has partitions\n$/);
    const later = new Date(Date.now() + 400 * DAYS);
    await call(later);
    expect(await filled()).toEqual([
      { name: 'api_log_before', count: 1 },
      { name: 'api_log_default', count: 1 },
    ]);
    await call(new Date(Date.now() + 40 * DAYS));
    expect(await filled()).toHaveLength(3);
    expect(await runSql(urlOf('observer'), `select make_partitions('api_log', now()) as made`)).toEqual([{ made: 0 }]);
    expect(await runSql(urlOf('observer'), `select drop_partition('api_log', now()) as more`)).toEqual([
      { more: false },
    ]);
    expect(await runSql(urlOf('api'), 'select id from api_log order by id')).toHaveLength(3);
    await expect(runSql(urlOf('observer'), 'drop table api_log_before')).rejects.toMatchObject({ code: '42501' });
  },
  LONG,
);
