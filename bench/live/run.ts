// `npm run bench -- live`: what a subscribed socket costs in memory beside bare servers of the same sockets, and how
// long after its commit a change is seen, at 1,000 changes a second, each of a payment that one socket follows.

import { HDKey } from '@scure/bip32';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startAnvil } from '../../src/sandbox/evm/anvil.ts';
import { freePort } from '../../scripts/free-port.ts';
import { openServer, type Server } from '../shared/environment.ts';
import type { ClientCommands, Holding, Seen } from './client.ts';
import { startProcess, type Process } from './process.ts';
import { renderLive, type Cost, type LiveReport, type Pace } from './report.ts';
import type { ServerCommands, ServerKind } from './server.ts';
import { openMerchants } from './merchants.ts';
import type { WriterCommands, Written } from './writer.ts';
import { percentile } from '../shared/run-process.ts';

const RESULTS = 'bench/results';
const USAGE = `npm run bench -- live [options]
  --sockets LIST   how many, comma-separated (2000,10000)
  --seconds S      how long changes are made (10)
  --rate N         changes a second (1000)
  --smoke          200 sockets, 2 seconds, 200 changes a second, for CI: fails on lost changes, never on a figure
  --json           the report as JSON on the standard output; without it a table, and JSON in ${RESULTS}/live.json
  --dir FOLDER     where the temporary database is kept (the system's folder for temporary files)
`;
/** Sockets that are opened and closed before the first measurement, to warm up code and buffers. */
const WARM_UP = 200;
const SEEN_WITHIN_MS = 60_000;

/** Runs the bench; returns the exit code. */
export async function benchLive(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) return say(process.stdout, USAGE);
  const server = await openServer(options.dir);
  try {
    const report = await measure(server, options);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (!options.smoke && !options.json) {
      await mkdir(RESULTS, { recursive: true });
      await writeFile(`${RESULTS}/live.json`, json);
    }
    say(process.stdout, options.json ? json : renderLive(report));
    return report.paces.every(({ lost, repeated }) => lost === 0 && repeated === 0) ? 0 : 1;
  } catch (error) {
    say(process.stderr, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  } finally {
    await server.close();
  }
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sockets: { type: 'string' },
      seconds: { type: 'string' },
      rate: { type: 'string' },
      smoke: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      dir: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { smoke } = values;
  const sockets = (values.sockets ?? (smoke ? '200' : '2000,10000')).split(',').map(Number);
  const seconds = Number(values.seconds ?? (smoke ? 2 : 10));
  const rate = Number(values.rate ?? (smoke ? 200 : 1_000));
  for (const value of [...sockets, seconds, rate])
    if (!Number.isInteger(value) || value < 1)
      throw new Error('--sockets, --seconds and --rate take whole numbers from 1');
  return { ...values, sockets, seconds, rate };
}

type Options = ReturnType<typeof readOptions>;

async function measure(server: Server, { sockets, seconds, rate }: Options): Promise<LiveReport> {
  const costs: Cost[] = [];
  const paces: Pace[] = [];
  const node = await startAnvil({ log: pino({ level: 'silent' }) });
  server.stops.push(() => node.stop());
  const writer = startProcess<WriterCommands>(new URL('./writer.js', import.meta.url));
  server.stops.push(() => writer.close());
  for (const count of sockets) {
    for (const kind of ['ws', 'graphql-ws', 'gateway'] as const) {
      say(process.stderr, `${count} sockets, ${kind}\n`);
      const held = await hold(server, node.url, kind, count);
      try {
        costs.push(held.cost);
        if (kind === 'gateway') paces.push(await pace(server, { ...held, writer, seconds, rate }));
      } finally {
        await held.close();
      }
    }
  }
  return { bench: 'live', seconds, rate, node: process.version, costs, paces };
}

interface Held {
  readonly cost: Cost;
  readonly host: Process<ServerCommands>;
  readonly client: Process<ClientCommands>;
  readonly holdings: readonly Holding[];
  close(): Promise<void>;
}

/** Starts a server of a kind, opens its sockets, and measures the memory that they cost. */
async function hold(server: Server, nodeUrl: string, kind: ServerKind, count: number): Promise<Held> {
  const host = startProcess<ServerCommands>(new URL('./server.js', import.meta.url), ['--expose-gc']);
  const client = startProcess<ClientCommands>(new URL('./client.js', import.meta.url));
  const close = async () => {
    await client.close();
    await host.close();
  };
  try {
    const port = await host.call('open', { kind, env: await environment(server, nodeUrl) });
    const holdings =
      kind === 'gateway'
        ? await openMerchants({ port, databaseUrl: server.postgres.url, count })
        : Array.from({ length: count }, () => ({ token: '', id: '' }));
    await client.call('open', { kind, port, holdings: holdings.slice(0, WARM_UP) });
    await client.call('close', null as never);
    const before = await host.call('measure', null as never);
    await client.call('open', { kind, port, holdings });
    const after = await host.call('measure', null as never);
    const kib = (bytes: number) => bytes / count / 1_024;
    const cost = { kind, sockets: count, rssKib: kib(after.rss - before.rss), heapKib: kib(after.heap - before.heap) };
    return { cost, host, client, holdings, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function environment({ postgres, dir }: Server, nodeUrl: string): Promise<Record<string, string>> {
  const port = await freePort();
  const { PATH = '', HOME = '', ANVIL_PATH = '' } = process.env;
  return {
    ...{ PATH, HOME, ANVIL_PATH },
    DATABASE_URL: postgres.url,
    DATA_DIR: join(dir, 'gateway'),
    HOST: '127.0.0.1',
    PORT: String(port),
    // Nothing about the chain is measured.
    ROLES: 'api,dispatcher',
    ETH_RPC_URL: nodeUrl,
    ETH_XPUB: HDKey.fromMasterSeed(new Uint8Array(32).fill(1)).derive("m/44'/60'/0'").publicExtendedKey,
    TURNPIKE_SECRET: 'a secret of the bench, as long as it has to be',
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_BURST: '10000000',
    RATE_LIMIT_AUTH_PER_MINUTE: '0',
    RATE_LIMIT_CHECKOUT_PER_MINUTE: '0',
  };
}

interface Pacing extends Held {
  readonly writer: Process<WriterCommands>;
  readonly seconds: number;
  readonly rate: number;
}

/** Writes changes and waits for the sockets to see them. */
async function pace({ postgres }: Server, { host, client, writer, holdings, seconds, rate }: Pacing): Promise<Pace> {
  await writer.call('open', { url: postgres.url });
  const ids = holdings.map(({ id }) => id);
  // A first run warms up the JIT compilers.
  const warm = await writer.call('write', { ids, seconds: 1, perSecond: rate, from: 1 });
  await seenOf(client, warm.length);
  const cpuBeforeMs = await host.call('cpuMs', null as never);
  const written = await writer.call('write', { ids, seconds, perSecond: rate, from: warm.length + 1 });
  const seen = await seenOf(client, written.length);
  const cpuMicros = (((await host.call('cpuMs', null as never)) - cpuBeforeMs) * 1_000) / written.length;
  return { sockets: holdings.length, cpuMicros, ...compare(written, seen) };
}

/** Collects what the sockets see until the expected number of changes has arrived or the time is over. */
async function seenOf(client: Process<ClientCommands>, expected: number): Promise<Seen[]> {
  const seen: Seen[] = [];
  const deadlineMs = performance.now() + SEEN_WITHIN_MS;
  do {
    await new Promise((resolve) => setTimeout(resolve, 100));
    seen.push(...(await client.call('report', null as never)));
  } while (seen.length < expected && performance.now() < deadlineMs);
  return seen;
}

function compare(written: readonly Written[], seen: readonly Seen[]): Omit<Pace, 'sockets' | 'cpuMicros'> {
  const seenAt = new Map(seen.map(({ id, change, atMs }) => [`${id} ${change}`, atMs]));
  const latenciesMs = written.flatMap(({ id, change, atMs }) => {
    const at = seenAt.get(`${id} ${change}`);
    return at === undefined ? [] : [at - atMs];
  });
  const [first, last] = [written[0]?.atMs ?? 0, written.at(-1)?.atMs ?? 0];
  return {
    changes: written.length,
    perSecond: written.length / ((last - first) / 1_000),
    lost: written.length - latenciesMs.length,
    repeated: seen.length - seenAt.size,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    maxMs: percentile(latenciesMs, 1),
  };
}

function say(stream: NodeJS.WriteStream, text: string): 0 {
  stream.write(text);
  return 0;
}
