// The connection to PostgreSQL by TLS: the certificate's authority and host name are verified, a start says what is
// wrong, and a certificate that was replaced on the server is met by new connections.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, DatabaseUnreachable, query, type Database } from '../../../src/database/connection.ts';
import { startProgram } from '../../gateway/programs.fixture.ts';
import { until } from '../../support/until.ts';
import { startDebianPostgres, type DebianPostgres } from '../debian-postgres.fixture.ts';

const run = promisify(execFile);
const LONG = 240_000;
const log = pino({ level: 'silent' });

let folder: string;
let server: DebianPostgres;

/** Makes an authority; returns the path of its certificate. */
async function makeAuthority(name: string): Promise<string> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const subject = ['-subj', `/CN=${name}`, '-days', '30', '-addext', 'basicConstraints=critical,CA:true'];
  await run('openssl', ['req', '-x509', ...KEY, '-keyout', key, '-out', cert, ...subject]);
  return cert;
}
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Issues a certificate for a host; returns the texts of both. */
async function issue(authority: string, host: string): Promise<{ cert: string; key: string }> {
  const [key, asked, cert, names] = ['key', 'csr', 'crt', 'ext'].map((end) => join(folder, `server.${end}`)) as [
    string,
    string,
    string,
    string,
  ];
  await run('openssl', ['req', ...KEY, '-keyout', key, '-out', asked, '-subj', `/CN=${host}`]);
  await writeFile(names, `subjectAltName=DNS:${host}\n`);
  const by = ['-CA', join(folder, `${authority}.crt`), '-CAkey', join(folder, `${authority}.key`), '-CAcreateserial'];
  await run('openssl', ['x509', '-req', '-in', asked, ...by, '-out', cert, '-days', '30', '-extfile', names]);
  return { cert: await readFile(cert, 'utf8'), key: await readFile(key, 'utf8') };
}

/** Gives the server another certificate, as an operator would while it runs. */
async function replace(authority: string, host: string): Promise<void> {
  const { cert, key } = await issue(authority, host);
  await server.write('server.crt', cert);
  await server.write('server.key', key);
  await server.reload();
}

const urlWith = (parameters: string) => `${server.url()}?${parameters}`;
const VERIFIED = () => `sslmode=verify-full&sslrootcert=${join(folder, 'ours.crt')}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-tls-'));
  await makeAuthority('ours');
  await makeAuthority('theirs');
  const { cert, key } = await issue('ours', 'localhost');
  server = await startDebianPostgres({
    settings: ['ssl = on', `ssl_cert_file = '../server.crt'`, `ssl_key_file = '../server.key'`],
    files: { 'server.crt': cert, 'server.key': key },
  });
}, LONG);
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

const connect = (parameters: string) => connectDatabase({ url: urlWith(parameters), poolMax: 3, log });
const failureOf = (parameters: string) =>
  connect(parameters).then(
    (db) => db.close().then(() => null),
    (error: unknown) => error as DatabaseUnreachable,
  );
const isEncrypted = async ({ em }: Database) => {
  const [row] = await query<{ ssl: boolean }>(em, 'select ssl from pg_stat_ssl where pid = pg_backend_pid()');
  return row?.ssl;
};

describe('a connection', () => {
  it.each(['verify-full', 'verify-ca', 'require', 'prefer'])(
    'is encrypted, with sslmode=%s, to a server whose certificate is right',
    async (mode) => {
      const db = await connect(`sslmode=${mode}&sslrootcert=${join(folder, 'ours.crt')}`);
      expect(await isEncrypted(db).finally(() => db.close())).toBe(true);
    },
  );

  it.each(['verify-full', 'verify-ca', 'require', 'prefer'])(
    'is refused, with sslmode=%s, where another authority has signed, or none is named that is known',
    async (mode) => {
      for (const authority of [`&sslrootcert=${join(folder, 'theirs.crt')}`, '']) {
        const failure = await failureOf(`sslmode=${mode}${authority}`);
        expect(failure).toBeInstanceOf(DatabaseUnreachable);
        expect(failure?.message).toMatch(/^DATABASE_URL: cannot connect to PostgreSQL: .*(certificate|self-signed)/);
        expect(failure?.mayCome).toBe(false);
      }
    },
  );

  it('is refused where the certificate is for another host', async () => {
    await replace('ours', 'elsewhere.internal');
    try {
      const failure = await failureOf(VERIFIED());
      expect(failure?.message).toMatch(/^DATABASE_URL: .*localhost.*elsewhere\.internal/);
      expect(failure?.mayCome).toBe(false);
    } finally {
      await replace('ours', 'localhost');
    }
  });

  it('is refused where the file of the authority cannot be read, or the server has no TLS', async () => {
    const unread = await failureOf(`sslmode=verify-full&sslrootcert=${join(folder, 'missing.crt')}`);
    expect([unread?.message, unread?.mayCome]).toEqual([expect.stringMatching(/^DATABASE_URL: .*missing\.crt/), false]);
    await server.sql('alter system set ssl = off');
    await server.reload();
    try {
      const plain = await until(() => failureOf(VERIFIED()));
      expect([plain.message, plain.mayCome]).toEqual([expect.stringMatching(/does not support SSL/), false]);
    } finally {
      await server.sql('alter system set ssl = on');
      await server.reload();
      await until(async () => (await failureOf(VERIFIED())) === null);
    }
  });
});

describe('a program', () => {
  it('that is told a wrong authority ends at once, with one line that names DATABASE_URL', async () => {
    const url = urlWith(`sslmode=verify-full&sslrootcert=${join(folder, 'theirs.crt')}`);
    const program = startProgram({ DATABASE_URL: url, DATA_DIR: folder, SANDBOX_NETWORKS: '' });
    expect(await program.exited).toBe(1);
    expect(program.said()).toMatch(/^DATABASE_URL: cannot connect to PostgreSQL: /m);
    expect(program.said()).not.toContain('Waiting for PostgreSQL');
  });
});

describe('a certificate that is replaced on the server', () => {
  it('is met by new connections, and those that are open stay', async () => {
    const db = await connect(VERIFIED());
    try {
      await query(db.em, 'select 1');
      await replace('ours', 'localhost');
      // More at once than there are connections, so that new ones are made.
      await Promise.all(Array.from({ length: 3 }, () => query(db.em, 'select pg_sleep(0.2) is null')));
      expect(await isEncrypted(db)).toBe(true);
    } finally {
      await db.close();
    }
  });

  it('may come from a new authority, once that is in the file beside the old one; no restart is needed', async () => {
    const both = join(folder, 'both.crt');
    await writeFile(both, await readFile(join(folder, 'ours.crt')));
    const db = await connect(`sslmode=verify-full&sslrootcert=${both}`);
    try {
      await writeFile(both, `${await readFile(both, 'utf8')}${await readFile(join(folder, 'theirs.crt'), 'utf8')}`);
      await replace('theirs', 'localhost');
      await server.sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'turnpike%' and pid <> pg_backend_pid()`);
      await until(() => isEncrypted(db).catch(() => null));
    } finally {
      await db.close();
      await replace('ours', 'localhost');
    }
  });
});
