// Replicas to read from as they are in production: by TLS, and behind PgBouncer in transaction mode.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, query, type Database } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import type { ReadSource } from '../../../src/database/read-source.ts';
import { openReplicas, type Replicas } from '../../../src/database/replicas/replicas.ts';
import { recordCluster } from '../../../src/domain/witness/cluster.ts';
import { startPgBouncer, type PgBouncer } from '../../gateway/pgbouncer.fixture.ts';
import { until } from '../../support/until.ts';
import { startDebianPostgres, type DebianPostgres } from '../debian-postgres.fixture.ts';

const run = promisify(execFile);
const LONG = 240_000;
const WRITERS = 8;
const ROUNDS = 20;
/** Fewer than there are readers. */
const SERVER_POOL = 3;

const log = pino({ level: 'silent' });
let folder: string;
let primary: DebianPostgres;
let standby: DebianPostgres;
let bouncer: PgBouncer;
let db: Database;

/** A certificate for localhost that is its own authority; returns the path of the certificate. */
async function certify(name: string): Promise<string> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const how = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await run('openssl', ['req', '-x509', ...how, ...subject, '-keyout', key, '-out', cert]);
  return cert;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-replica-tls-'));
  const [ours] = [await certify('ours'), await certify('theirs')];
  const files = {
    'server.crt': await readFile(ours, 'utf8'),
    'server.key': await readFile(join(folder, 'ours.key'), 'utf8'),
  };
  primary = await startDebianPostgres();
  await primary.sql('create database turnpike');
  db = await connectDatabase({ url: primary.url('turnpike'), poolMax: 10, log });
  await migrate(db);
  await recordCluster({ db, log });
  await query(db.em, 'create table written (number int primary key)');
  const settings = ['ssl = on', `ssl_cert_file = '../server.crt'`, `ssl_key_file = '../server.key'`];
  standby = await startDebianPostgres({ standbyOf: primary, settings, files });
  bouncer = await startPgBouncer(standby.url('turnpike'), SERVER_POOL);
}, LONG);
afterAll(async () => {
  await db?.close();
  await bouncer?.stop();
  await standby?.remove();
  await primary?.remove();
  await rm(folder, { recursive: true, force: true });
}, LONG);

const isStandby = async ({ em }: ReadSource) =>
  (await query<{ is: boolean }>(em, 'select pg_is_in_recovery() as is'))[0]?.is === true;

/** With the replica at this URL; `told` is why it is not read from. */
async function withReplica(
  options: { url: string; pooled?: boolean },
  use: (replicas: Replicas, told: readonly string[]) => Promise<void>,
): Promise<void> {
  const told: string[] = [];
  const write = (line: string) => void told.push((JSON.parse(line) as { reason?: string }).reason ?? '');
  const { url, pooled = false } = options;
  const how = { poolMax: 10, pooled, preparedStatements: !pooled };
  const replicas = await openReplicas(db, { ...how, urls: [url], log: pino({}, { write }) });
  await use(replicas, told).finally(() => replicas.close());
}

const untilRead = (replicas: Replicas) =>
  until(async () => (await replicas.worker.processNext(), replicas.read(isStandby)));

it(
  'behind a pooler each of many writers sees their own write at once',
  () =>
    withReplica({ url: bouncer.url, pooled: true }, async (replicas) => {
      await untilRead(replicas);
      const before = replicas.figures().read;
      const missed: number[] = [];
      const writer = async (_: unknown, nth: number) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          const number = nth * ROUNDS + round;
          await query(db.em, 'insert into written values ($1)', [number]);
          const text = 'select from written where number = $1';
          const rows = await replicas.read(({ em }) => query(em, text, [number]));
          if (rows.length === 0) missed.push(number);
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, writer));
      expect(missed).toEqual([]);
      expect(replicas.figures().read).toBeGreaterThan(before);
    }),
  LONG,
);

it('behind a pooler a failed read leaves nothing behind, and has its time zone', () =>
  withReplica({ url: bouncer.url, pooled: true }, async (replicas) => {
    await untilRead(replicas);
    await expect(replicas.read(({ em }) => query(em, 'select 1 / 0'))).rejects.toThrow('division by zero');
    const zone = await until(async () => {
      const read = await replicas.read(async (source) => ({
        isRead: await isStandby(source),
        rows: await query<{ zone: string }>(source.em, `select current_setting('TimeZone') as zone`),
      }));
      return read.isRead && read.rows[0]?.zone;
    });
    expect(zone).toBe('UTC');
  }));

it('by TLS it is read from, encrypted, if its certificate is right', () =>
  withReplica(
    { url: `${standby.url('turnpike')}?sslmode=verify-full&sslrootcert=${join(folder, 'ours.crt')}` },
    async (replicas) => {
      await untilRead(replicas);
      const text = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
      const rows = await until(async () => {
        const read = await replicas.read(async (source) => ({
          isRead: await isStandby(source),
          rows: await query(source.em, text),
        }));
        return read.isRead && read.rows;
      });
      expect(rows).toEqual([{ ssl: true }]);
    },
  ));

it('it is not read from if another authority has signed', () =>
  withReplica(
    { url: `${standby.url('turnpike')}?sslmode=verify-full&sslrootcert=${join(folder, 'theirs.crt')}` },
    async (replicas, told) => {
      await replicas.worker.processNext();
      expect(told).toEqual([expect.stringMatching(/^it does not answer: .*(certificate|self-signed)/)]);
      expect(await replicas.read(isStandby)).toBe(false);
    },
  ));
