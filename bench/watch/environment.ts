// Set-up of the watch bench: a watcher on a database of its own, and its node in another process.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type pg from 'pg';
import { pino } from 'pino';
import type { ChainAdapter } from '../../src/chain/adapter.ts';
import type { BlockRef } from '../../src/chain/blocks.ts';
import { startCursor } from '../../src/database/queries/chain/chain-cursor.ts';
import type { Deps } from '../../src/domain/deps.ts';
import { createDepositWatcher } from '../../src/observe/watch-deposits.ts';
import type { Server } from '../shared/environment.ts';
import { fillPayments, warm } from '../settle/table-size.ts';
import { openDatabase } from '../settle/environment.ts';

const log = pino({ level: 'silent' });

/** Starts a node in a process of its own, which stops with the server; returns its URL. */
export async function startNode(server: Server, program: string, task: object): Promise<string> {
  const child: ChildProcess = fork(new URL(program, import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  server.stops.push(async () => {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  });
  child.send(task);
  const [port] = (await once(child, 'message')) as [number];
  return `http://127.0.0.1:${String(port)}`;
}

export interface Watched {
  readonly client: pg.Client;
  /** Runs the watcher until it has applied the block at a height. */
  readTo(height: number): Promise<void>;
  /** Throws unless every deposit in the blocks up to a height has a row. */
  check(height: number): Promise<void>;
}

interface Watching {
  readonly name: string;
  readonly payments: number;
  readonly adapter: ChainAdapter;
  /** The last block that the watcher applied before it stopped. */
  readonly start: BlockRef;
  /** One block in this many has a deposit of ours. */
  readonly oursEvery: number;
  /** Converts payments, which are created for an EVM network, into those of another network. */
  readonly convert?: (client: pg.Client) => Promise<void>;
}

export async function openWatched(server: Server, watching: Watching): Promise<Watched> {
  const { name, payments, adapter, start, oursEvery, convert } = watching;
  const { network } = adapter;
  const { db, client } = await openDatabase(server, name);
  process.stderr.write(`Creating ${payments.toLocaleString('en')} payments…\n`);
  await fillPayments(client, payments);
  await convert?.(client);
  await warm(client);
  await startCursor(db.em, network, { ...start, blockTime: new Date(), tipHeight: start.height });
  const deps: Deps = {
    ...{ db, clock: { now: () => new Date() }, environment: 'sandbox', chains: new Map() },
    ...{ payUrl: 'http://localhost:4000/pay', webhookAllowPrivate: true, log },
    signals: { events: () => undefined, chain: () => undefined, payouts: () => undefined, deliveries: () => undefined },
  };
  const chain = {
    adapter,
    account: adapter.account,
    requiredConfirmations: 12,
    networkFees: new Map<string, bigint>(),
  };
  const watcher = createDepositWatcher(deps, chain);
  const heightOf = async () => {
    const { rows } = await client.query<{ height: string }>('select height from chain_cursor where network = $1', [
      network,
    ]);
    return Number(rows[0]?.height);
  };
  return {
    client,
    readTo: async (height) => {
      while ((await heightOf()) < height) for (let step = 0; step < 25; step += 1) await watcher.processNext();
    },
    check: async (height) => {
      const { rows } = await client.query<{ deposits: string }>('select count(*) as deposits from deposit');
      const expected = Math.floor((await heightOf()) / oursEvery);
      if (Number(rows[0]?.deposits) !== expected || expected < height / oursEvery)
        throw new Error(`${String(expected)} deposits were in the blocks, ${rows[0]?.deposits ?? ''} are in the rows`);
    },
  };
}
