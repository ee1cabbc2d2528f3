// Backups as operators make them, restored on Debian's PostgreSQL while the chain has gone on: nothing is paid twice,
// and recovery completes the book.

import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { runRecover } from '../../cli/run-recover.fixture.ts';
import { newMerchant, rest, type TestMerchant } from '../../support/clients.ts';
import { makeTestFolder, runSql } from '../../support/database/database.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { startDebianPostgres, type DebianPostgres } from '../debian-postgres.fixture.ts';

const LONG = 600_000;
/** Orders that make the database as large as a small shop's. */
const ORDERS = 500;
const log = pino({ level: 'silent' });
const fileOf = (path: string) => fileURLToPath(new URL(`../../../../deploy/${path}`, import.meta.url));

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
}, LONG);

/** What is not in the database and so outlives it: the chain, the seed and the signer's journal. */
async function startWorld() {
  const anvil = await startAnvil({ log });
  ends.push(() => anvil.stop());
  const env = {
    ...{ ETH_RPC_URL: anvil.url, SANDBOX_NETWORKS: '', DATA_DIR: await makeTestFolder('backup') },
    TURNPIKE_SECRET: randomBytes(32).toString('hex'),
  };
  const recipient = `0x${randomBytes(20).toString('hex')}`;
  const received = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [recipient, 'latest'] });
    const answer = await fetch(anvil.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    return BigInt(((await answer.json()) as { result: string }).result);
  };
  return { env, recipient, received };
}

type World = Awaited<ReturnType<typeof startWorld>>;

async function startGateway({ env }: World, url: string): Promise<TestGateway> {
  const gateway = await startTestGateway({ ...env, DATABASE_URL: url });
  ends.push(() => gateway.stop());
  return gateway;
}

const api = (gateway: TestGateway, shop: TestMerchant) => rest(gateway, shop.token);

async function fund(gateway: TestGateway, shop: TestMerchant): Promise<string> {
  const call = api(gateway, shop);
  const order = { amount: '1', currency: 'ETH', network: 'ETH' };
  const { orderId } = dataOf(await call('POST', '/payments', order), 201) as { orderId: string };
  await call('POST', `/sandbox/payments/${orderId}/deposit`, { confirmations: 2 });
  await until(async () => dataOf(await call('GET', `/payments/${orderId}`)).status === 'SUCCEEDED', LONG);
  return orderId;
}

async function createOrders(gateway: TestGateway, shop: TestMerchant): Promise<void> {
  const order = { amount: '0.1', currency: 'ETH', network: 'ETH' };
  for (let made = 0; made < ORDERS; made += 50) {
    const some = Array.from({ length: 50 }, () => api(gateway, shop)('POST', '/payments', order));
    for (const answer of await Promise.all(some)) dataOf(answer, 201);
  }
}

/** A withdrawal that is paid; its transaction's hash. */
async function payOut(gateway: TestGateway, shop: TestMerchant, address: string, amount: string) {
  const request = { currency: 'ETH', network: 'ETH', amount, address };
  const { withdrawalId } = dataOf(await api(gateway, shop)('POST', '/wallet/withdraw', request), 201);
  return { id: String(withdrawalId), txHash: await hashOf(gateway, shop, String(withdrawalId)) };
}

const hashOf = (gateway: TestGateway, shop: TestMerchant, id: string) =>
  until(async () => {
    const answer = await api(gateway, shop)('GET', `/wallet/withdrawals/${id}`);
    const payout = answer.body?.data as { status?: string; txHash?: string } | undefined;
    return payout?.status === 'COMPLETED' ? (payout.txHash ?? null) : null;
  }, LONG);

/** What a gateway on the restored database does by itself, and what recovery adds; the book is whole afterwards. */
async function recover(world: World, url: string, shop: TestMerchant, lost: readonly { id: string; txHash: string }[]) {
  const gateway = await startGateway(world, url);
  const before = await world.received();
  await until(async () => {
    const { halted } = (await (await fetch(`${gateway.url}/readyz`)).json()) as { halted?: unknown[] };
    return halted?.length === 1;
  }, LONG);
  const places = { ...world.env, DATABASE_URL: url };
  const { code, err } = await timed('npm run recover', () => runRecover(['--network', 'ETH', '--apply'], places));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  for (const { id, txHash } of lost) expect([id, await hashOf(gateway, shop, id)]).toEqual([id, txHash]);
  expect(await world.received()).toBe(before);
  await payOut(gateway, shop, world.recipient, '0.01');
  expect(await world.received()).toBe(before + 10_000_000_000_000_000n);
  await gateway.stop();
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  process.stdout.write(`${what}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  return result;
}

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;

async function showSize(server: DebianPostgres, database: string): Promise<void> {
  const [row] = await server.sql<{ bytes: string }>(`select pg_database_size('${database}')::text as bytes`);
  process.stdout.write(`the database: ${megabytes(Number(row?.bytes))}\n`);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.map(async (entry) =>
    entry.isFile() ? (await stat(join(entry.parentPath, entry.name))).size : 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** A server that archives by pgBackRest, with the files of deploy/backup; only the places are the test's. */
async function startArchivedServer() {
  const server = await startDebianPostgres();
  ends.push(() => server.remove());
  const configuration = (await readFile(fileOf('backup/pgbackrest.conf'), 'utf8'))
    .replace('/var/lib/pgbackrest', `${server.folder}/repository`)
    .replace('/var/lib/postgresql/15/main', server.dataDir)
    .replace('pg1-port=5432', `pg1-port=${server.port}\npg1-socket-path=${server.folder}\npg1-user=postgres`)
    .replace(
      'log-level-console=info',
      `log-level-console=warn\nlock-path=${server.folder}\nspool-path=${server.folder}`,
    );
  const file = await server.write('pgbackrest.conf', configuration);
  const settings = await readFile(fileOf('backup/postgresql.conf'), 'utf8');
  for (const [, name, value = ''] of settings.matchAll(/^(\w+) = (.+)$/gm))
    await server.sql(
      `alter system set ${String(name)} = ${value.replace('pgbackrest', `pgbackrest --config=${file}`)}`,
    );
  // Archiving begins with a start of the server.
  await server.stop();
  await server.start();
  const backrest = (...args: string[]) => server.run('pgbackrest', [`--config=${file}`, '--stanza=turnpike', ...args]);
  return { server, backrest };
}

/** What `pgbackrest info` says: when each backup ended, in whole seconds. */
type Info = readonly { readonly backup: readonly { readonly timestamp: { readonly stop: number } }[] }[];

/** The server's time, in a later second than that in which the backup ended: pgBackRest counts in seconds. */
async function laterThanBackup(server: DebianPostgres, [stanza]: Info): Promise<string> {
  const stop = stanza?.backup.at(-1)?.timestamp.stop ?? Infinity;
  const { at } = await until(async () => {
    const [now] = await server.sql<{ at: string; second: number }>(
      `select now()::text as at, floor(extract(epoch from now()))::int as second`,
    );
    return now && now.second > stop ? now : null;
  });
  return at;
}

it(
  'pgBackRest restores a moment after the backup; payouts signed since are found, and the book is completed',
  async () => {
    const world = await startWorld();
    const { server, backrest } = await startArchivedServer();
    await backrest('stanza-create');
    await backrest('check');
    await server.sql('create database turnpike');
    const url = server.url('turnpike');
    const gateway = await startGateway(world, url);
    const shop = await newMerchant(gateway);
    await fund(gateway, shop);
    await payOut(gateway, shop, world.recipient, '0.1');
    await createOrders(gateway, shop);
    await showSize(server, 'turnpike');
    await timed('full backup', () => backrest('--type=full', 'backup'));
    process.stdout.write(`the repository: ${megabytes(await sizeOf(join(server.folder, 'repository')))}\n`);

    const late = await fund(gateway, shop);
    const moment = await laterThanBackup(server, JSON.parse(await backrest('--output=json', 'info')) as Info);
    const lost = [
      await payOut(gateway, shop, world.recipient, '0.2'),
      await payOut(gateway, shop, world.recipient, '0.3'),
    ];
    await server.sql('select pg_switch_wal()');
    await gateway.stop();
    await server.stop();

    const target = ['--type=time', `--target=${moment}`, '--target-action=promote'];
    await timed('restore', () => backrest('--delta', ...target, 'restore'));
    await timed('replay and promotion', async () => {
      await server.start();
      await until(async () => (await server.sql<{ is: boolean }>('select pg_is_in_recovery() as is'))[0]?.is === false);
    });
    const ids = (await runSql<{ id: string }>(url, 'select id from payment')).map(({ id }) => id);
    expect(ids).toContain(late);
    const payouts = (await runSql<{ id: string }>(url, 'select id from payout')).map(({ id }) => id);
    expect(payouts).not.toContain(lost[0]?.id);
    await recover(world, url, shop, lost);
  },
  LONG,
);

it(
  'a dump is loaded into a new database with roles; payouts signed since are found, and the book is completed',
  async () => {
    const world = await startWorld();
    const server = await startDebianPostgres();
    ends.push(() => server.remove());
    await server.sql('create database turnpike');
    const gateway = await startGateway(world, server.url('turnpike'));
    const shop = await newMerchant(gateway);
    await fund(gateway, shop);
    await createOrders(gateway, shop);
    await showSize(server, 'turnpike');
    const dump = () => server.run(fileOf('backup/dump.sh'), [server.url('turnpike'), server.folder, '2']);
    await dump();
    const file = (await timed('dump', dump)).trim();
    process.stdout.write(`the dump: ${megabytes((await stat(file)).size)}\n`);
    const lost = [await payOut(gateway, shop, world.recipient, '0.2')];
    await gateway.stop();

    await server.sql('create database restored');
    const url = server.url('restored');
    await runSql(url, await readFile(fileOf('postgres/roles.sql'), 'utf8'));
    await timed('restore', () => server.run(fileOf('backup/restore-dump.sh'), [file, url]));
    const owner = Object.assign(new URL(url), { username: 'restored_owner' }).href;
    const db = await connectDatabase({ url: owner, poolMax: 2, log });
    expect(await migrate(db).finally(() => db.close())).toEqual([]);
    const reader = Object.assign(new URL(url), { username: 'restored_api' }).href;
    const [counted] = await runSql<{ count: number }>(reader, 'select count(*)::int as count from payment');
    expect(counted?.count).toBe(ORDERS + 1);
    await recover(world, url, shop, lost);
  },
  LONG,
);

it('dumps are kept up to a number, and a failed one leaves none', async () => {
  const server = await startDebianPostgres();
  ends.push(() => server.remove());
  const folder = await server.run('mktemp', ['-d', join(server.folder, 'dumps-XXXX')]).then((text) => text.trim());
  const dump = (database: string) => server.run(fileOf('backup/dump.sh'), [server.url(database), folder, '2']);
  for (const day of ['01', '02', '03'])
    await server.run('touch', [join(folder, `turnpike-202601${day}T000000Z.dump`), join(folder, 'another file')]);
  await dump('postgres');
  const kept = async () => (await readdir(folder)).filter((name) => name.endsWith('.dump')).sort();
  expect(await kept()).toEqual([
    'turnpike-20260103T000000Z.dump',
    expect.stringMatching(/^turnpike-\d{8}T\d{6}Z\.dump$/),
  ]);
  const before = await kept();
  await expect(dump('missing')).rejects.toThrow();
  expect(await kept()).toEqual(before);
  expect((await readdir(folder)).filter((name) => !name.endsWith('.dump'))).toEqual(['another file']);
});
