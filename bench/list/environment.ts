// Set-up of the list bench: for a thousand and for a million rows, a database of its own on one PostgreSQL, with a
// gateway and the bare handler on it, each in a process. A second merchant has a tenth as many rows.

import { HDKey } from '@scure/bip32';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startAnvil } from '../../src/sandbox/evm/anvil.ts';
import { createMerchant, startGateway, type Server } from '../shared/environment.ts';
import { timeOf, writeHistory } from './rows.ts';

export interface ListEnvironment {
  /** Rows of the merchant who makes the requests. */
  readonly count: number;
  readonly merchantId: string;
  readonly gateway: Served;
  readonly bare: Served;
  /** The time of the row at a position, counted from 1 for the oldest. */
  timeOf(place: number): Date;
}

/** A running server, and the headers for requests to it. */
export interface Served {
  readonly port: number;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Environment variables of a gateway that only serves the API: nothing about the chain is measured. */
export async function apiOnly(server: Server): Promise<Record<string, string>> {
  const node = await startAnvil({ log: pino({ level: 'silent' }) });
  server.stops.push(() => node.stop());
  return {
    ROLES: 'api',
    ETH_RPC_URL: node.url,
    ETH_XPUB: HDKey.fromMasterSeed(new Uint8Array(32).fill(1)).derive("m/44'/60'/0'").publicExtendedKey,
    TURNPIKE_SECRET: 'a secret of the bench, as long as it has to be',
  };
}

/** Creates an environment for each count. They are closed with the server. */
export async function openListEnvironments(
  server: Server,
  counts: readonly number[],
  profile: string | undefined,
  onProgress: (text: string) => void,
): Promise<ListEnvironment[]> {
  const variables = await apiOnly(server);
  const setups: ListEnvironment[] = [];
  for (const count of counts) {
    onProgress(`writing ${count} rows of each list\n`);
    setups.push(await openListSetup(server, count, variables, profile));
  }
  return setups;
}

/** Creates an environment. It is closed with the server. */
export async function openListSetup(
  server: Server,
  count: number,
  variables: Readonly<Record<string, string>>,
  profile: string | undefined,
): Promise<ListEnvironment> {
  const name = `list_${count}`;
  const admin = new pg.Client(server.postgres.url);
  await admin.connect();
  await admin.query(`create database ${name}`).finally(() => admin.end());
  const databaseUrl = server.postgres.url.replace(/\/[^/]*$/, `/${name}`);
  const dir = join(server.dir, name);
  await mkdir(dir);
  const { port, pid } = await startGateway({ dir, databaseUrl, profile, stops: server.stops, variables });
  const asking = await createMerchant(port, 'asking@example.com');
  const beside = await createMerchant(port, 'beside@example.com');

  const end = Date.now() - 86_400_000;
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await writeHistory(client, { merchantId: asking.id, count, end, firstIndex: 1_000_000 });
    await writeHistory(client, { merchantId: beside.id, count: count / 10, end, firstIndex: 100_000_000 });
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
  return {
    count,
    merchantId: asking.id,
    gateway: { port, pid, headers: { Authorization: `Bearer ${asking.token}` } },
    bare: await startBare(server, databaseUrl, asking.id),
    timeOf: (place) => new Date(timeOf(place, count, end)),
  };
}

async function startBare(server: Server, databaseUrl: string, merchantId: string): Promise<Served> {
  const child = fork(new URL('./bare.js', import.meta.url), [databaseUrl, merchantId], {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(child, 'exit');
  server.stops.push(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  const answer = (await Promise.race([once(child, 'message'), ended.then(() => [null])])) as [number | null];
  if (answer[0] === null) throw new Error('The bare handler ended before it listened');
  return { port: answer[0], pid: child.pid ?? 0, headers: {} };
}
