// `npm run bench -- watch`: how quickly a watcher that was away reads the blocks it missed, against a bare loop that
// fetches the same blocks from the same node, and whether that depends on how many addresses are watched.

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { request } from 'undici';
import { createEvmAdapter } from '../src/chain/evm/adapter.ts';
import type { Database } from '../src/database/connection.ts';
import { moveCursor } from '../src/database/queries/chain-cursor.ts';
import type { Deps } from '../src/domain/deps.ts';
import type { Worker } from '../src/loop.ts';
import { createDepositWatcher } from '../src/observe/watch-deposits.ts';
import { NETWORK_CODES, NETWORKS } from '../src/values/assets.ts';
import { describe, openServer, type Server } from './ground.ts';
import { alignColumns, median } from './report.ts';
import { fillPayments, warm } from './settle-addresses.ts';
import { openDatabase } from './settle-world.ts';
import { hashAt, OURS_EVERY, TRANSFERS, type NodeTask } from './watch-node.ts';

const USAGE = `npm run bench -- watch [options]
  --addresses A,B,…   payments whose addresses are watched (10000,1000000)
  --rounds N          rounds, each contestant once in each (3)
  --blocks N          blocks read in a round (300)
  --smoke             one short round with few addresses, for CI: fails on errors and on deposits that are missing
  --dir FOLDER        where the temporary database is kept (the system's folder for temporary files)
`;
const TOKEN = '0x00000000000000000000000000000000000c0ffe';
const log = pino({ level: 'silent' });

interface Run {
  readonly name: string;
  readonly blocksPerSecond: number;
  readonly ownMicros: number;
}

/** Runs the bench; answers the exit code. */
export async function benchWatch(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      addresses: { type: 'string', default: '10000,1000000' },
      rounds: { type: 'string', default: '3' },
      blocks: { type: 'string', default: '300' },
      smoke: { type: 'boolean', default: false },
      dir: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { smoke } = values;
  const sizes = (smoke ? '10000,20000' : values.addresses).split(',').map(Number);
  const server = await openServer(values.dir, '2GB');
  try {
    const shape = smoke ? { rounds: 1, blocks: 100 } : { rounds: Number(values.rounds), blocks: Number(values.blocks) };
    process.stdout.write(await measure(server, sizes, shape));
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  } finally {
    await server.close();
  }
}

async function measure(
  server: Server,
  sizes: readonly number[],
  { rounds, blocks }: { rounds: number; blocks: number },
): Promise<string> {
  // The last blocks of all are near the tip, where nobody reads ahead: they are not measured.
  const url = await startNode(server, { blocks: (rounds + 1) * blocks + 100, token: TOKEN });
  const tables: { readonly name: string; readonly world: Watched }[] = [];
  for (const [index, payments] of sizes.entries()) {
    const world = await openWatched(server, `watched_${String(index)}`, payments, url);
    tables.push({ name: payments.toLocaleString('en'), world });
  }
  const runs: Run[] = [];
  // The first round warms up and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const span = { from: round * blocks, to: (round + 1) * blocks };
    const of = [
      { name: 'bare', read: () => readBare(url, span) },
      ...tables.map(({ name, world }) => ({ name, read: () => world.readTo(span.to) })),
    ];
    for (const { name, read } of of) {
      const cpu = process.cpuUsage();
      const startedMs = performance.now();
      await read();
      const seconds = (performance.now() - startedMs) / 1_000;
      const { user, system } = process.cpuUsage(cpu);
      if (round > 0) runs.push({ name, blocksPerSecond: blocks / seconds, ownMicros: (user + system) / blocks });
      process.stderr.write(
        `${round === 0 ? 'warm-up' : `round ${String(round)}`}: ${name} ${(blocks / seconds).toFixed(0)} blocks/s\n`,
      );
    }
  }
  for (const { world } of tables) await world.check((rounds + 1) * blocks);
  const [first] = tables;
  return render(
    runs,
    tables.map(({ name }) => name),
    first ? await describe(first.world.client) : {},
  );
}

/** Starts the node in a process of its own, which goes with the server. */
async function startNode(server: Server, task: NodeTask): Promise<string> {
  const child: ChildProcess = fork(new URL('watch-node.js', import.meta.url), {
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

/** The two questions that a block takes, one block after the other, parsed and dropped. */
async function readBare(url: string, { from, to }: { from: number; to: number }): Promise<void> {
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await answer.body.json()) as { result: unknown }).result;
  };
  for (let height = from + 1; height <= to; height += 1) {
    const block = (await ask('eth_getBlockByNumber', [`0x${height.toString(16)}`, true])) as { hash: string };
    const receipts = (await ask('eth_getBlockReceipts', [block.hash])) as unknown[];
    if (receipts.length !== TRANSFERS)
      throw new Error(`Block ${String(height)} has ${String(receipts.length)} receipts`);
  }
}

interface Watched {
  readonly client: Awaited<ReturnType<typeof openDatabase>>['client'];
  /** Lets the watcher work until it has applied the block at a height. */
  readTo(height: number): Promise<void>;
  /** Throws unless every deposit of the blocks up to a height is in its rows. */
  check(height: number): Promise<void>;
}

async function openWatched(server: Server, name: string, payments: number, url: string): Promise<Watched> {
  const { db, client } = await openDatabase(server, name);
  process.stderr.write(`${payments.toLocaleString('en')} payments are made…\n`);
  await fillPayments(client, payments);
  await warm(client);
  const start = { hash: hashAt(0), height: 0 };
  await moveCursor(db.em, 'ETH', { ...start, blockTime: new Date(), tipHeight: 0 });
  const watcher = watch(db, url);
  return {
    client,
    readTo: async (height) => {
      while ((await heightOf(client)) < height) for (let step = 0; step < 25; step += 1) await watcher.processNext();
    },
    check: async (height) => {
      const { rows } = await client.query<{ deposits: string }>('select count(*) as deposits from deposit');
      const expected = Math.floor((await heightOf(client)) / OURS_EVERY);
      if (Number(rows[0]?.deposits) !== expected || expected < height / OURS_EVERY)
        throw new Error(`${String(expected)} deposits were in the blocks, ${rows[0]?.deposits ?? ''} are in the rows`);
    },
  };
}

async function heightOf(client: Watched['client']): Promise<number> {
  const { rows } = await client.query<{ height: string }>(`select height from chain_cursor where network = 'ETH'`);
  return Number(rows[0]?.height);
}

function watch(db: Database, rpcUrl: string): Worker {
  const deps: Deps = {
    ...{ db, clock: { now: () => new Date() }, environment: 'sandbox', chains: new Map() },
    ...{ payUrl: 'http://localhost:4000/pay', webhookAllowPrivate: true, log },
    signals: { events: () => undefined, chain: () => undefined, payouts: () => undefined, deliveries: () => undefined },
  };
  const contracts = new Map([['ETH', null] as const, ['USDT', TOKEN] as const]);
  const adapter = createEvmAdapter({
    network: 'ETH',
    rpcUrl,
    chainId: 31_337,
    contracts,
    minesOnDemand: false,
    timeoutMs: 15_000,
    log,
  });
  return createDepositWatcher(deps, { adapter, account: 'evm', requiredConfirmations: 12, networkFees: new Map() });
}

function render(runs: readonly Run[], sizes: readonly string[], ground: object): string {
  const rateOf = (name: string) => median(runs.filter((run) => run.name === name).map((run) => run.blocksPerSecond));
  const cpuOf = (name: string) => median(runs.filter((run) => run.name === name).map((run) => run.ownMicros));
  const [smallest = ''] = sizes;
  const rows = ['bare', ...sizes].map((name) => [
    name === 'bare' ? 'bare loop' : `${name} addresses`,
    rateOf(name).toFixed(0),
    (cpuOf(name) / 1_000).toFixed(2),
    (rateOf(name) / rateOf('bare')).toFixed(2),
    name === 'bare' ? '' : (rateOf(smallest) / rateOf(name)).toFixed(2),
  ]);
  const slowest = Math.min(...sizes.map(rateOf));
  const made = NETWORK_CODES.filter((code) => NETWORKS[code].kind === 'evm').map(
    (code) => `${code} ${((slowest * NETWORKS[code].blockTimeMs) / 1_000).toFixed(0)}`,
  );
  return `
${alignColumns([['', 'blocks/s', 'own CPU ms', '/ bare', 'first /'], ...rows])}

Blocks of ${String(TRANSFERS)} transfers, one in ${String(OURS_EVERY)} with a deposit of ours; median of the rounds. Times as fast as
blocks are made: ${made.join(', ')}. Memory of the reading process: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB.
${Object.entries(ground)
  .map(([name, value]) => `${name} ${String(value)}`)
  .join(', ')}
`;
}
