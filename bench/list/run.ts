// `npm run bench -- list`: pages of every list at a thousand and at a million rows of one merchant, over REST and
// GraphQL, beside a bare Fastify + pg handler with the same statement and JSON, in interleaved rounds.

import { isDeepStrictEqual, parseArgs } from 'node:util';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { openServer, readCpuMs, type Server } from '../shared/environment.ts';
import type { HttpTask } from '../shared/http-load.ts';
import { renderList, summarizeList, type ListReport, type PageSamples, type Side } from './report.ts';
import { ask, overGraphQL, overRest, searchOverGraphQL, SHAPES, type PageRequest, type Shape } from './shapes.ts';
import { measureReplica, renderReplica } from './replica.ts';
import { openListEnvironments, type ListEnvironment } from './environment.ts';
import { startRunProcess, type RunProcess } from '../shared/run-process.ts';

const RESULTS = 'bench/results';
const CONNECTIONS = 8;
/** With a replica on the same machine: more would wait for its cores, and not for the database. */
const CONNECTIONS_OF_REPLICA = 2;
/** Warm-up of each candidate before measuring, all pages together: a server that has run for days is not cold. */
const WARM_UP_SECONDS = 15;
const USAGE = `npm run bench -- list [options]
  --rounds N      rounds, each page of each candidate once in each (3)
  --seconds S     how long each is requested in a round (0.5)
  --counts A,B    rows of the short and of the long lists (1000,1000000)
  --only TEXT     pages whose name contains it; may be repeated
  --replica       what each page costs the primary, with and without a replica, at the rows of the long lists
  --smoke         one short round at 1,000 and 20,000 rows, for CI: fails on wrong pages, never on a timing
  --json          the report as JSON on the standard output; without it a table, and JSON in ${RESULTS}/list.json
  --dir FOLDER    where the temporary database is kept (the system's folder for temporary files)
  --profile DIR   writes CPU profiles of the gateways to DIR
`;

/** Runs the bench; returns the exit code. */
export async function benchList(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) return say(process.stdout, USAGE);
  const server = await openServer(options.dir);
  try {
    const { report, text } = options.replica
      ? await compareReplica(server, options)
      : await compareBare(server, options);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (!options.smoke && !options.json) {
      await mkdir(RESULTS, { recursive: true });
      await writeFile(`${RESULTS}/list${options.replica ? '-replica' : ''}.json`, json);
    }
    return say(process.stdout, options.json ? json : text);
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
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      counts: { type: 'string' },
      only: { type: 'string', multiple: true, default: [''] },
      smoke: { type: 'boolean', default: false },
      replica: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      dir: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { smoke } = values;
  const rounds = Number(values.rounds ?? (smoke ? 1 : 3));
  const seconds = Number(values.seconds ?? (smoke ? 0.05 : 0.5));
  const counts = (values.counts ?? (smoke ? '1000,20000' : '1000,1000000')).split(',').map(Number);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number from 1');
  if (!(seconds > 0)) throw new Error('--seconds must be above 0');
  if (counts.length !== 2 || counts.some((count) => !Number.isInteger(count) || count < 1_000))
    throw new Error('--counts must be two whole numbers from 1000');
  return { ...values, rounds, seconds, counts };
}

type Options = ReturnType<typeof readOptions>;

async function compareBare(server: Server, options: Options) {
  const report = await measure(server, options);
  return { report, text: renderList(report) };
}

async function compareReplica(server: Server, options: Options) {
  const load = startRunProcess<HttpTask>(new URL('../shared/http-load.js', import.meta.url));
  server.stops.push(() => load.close());
  const onProgress = (text: string) => void say(process.stderr, text);
  const report = await measureReplica(server, { ...options, connections: CONNECTIONS_OF_REPLICA, load, onProgress });
  return { report, text: renderReplica(report) };
}

async function measure(server: Server, options: Options): Promise<ListReport> {
  const { rounds, seconds, only, counts, profile } = options;
  const [short, long] = await openListEnvironments(server, counts, profile, (text) => say(process.stderr, text));
  if (!short || !long) throw new Error('Expected two environments');
  const load = startRunProcess<HttpTask>(new URL('../shared/http-load.js', import.meta.url));
  server.stops.push(() => load.close());
  const pages: PageSamples[] = [];
  const tasks: { page: PageSamples; side: Side; task: HttpTask; pid: number }[] = [];
  const shapes = SHAPES.filter(({ name }) => only.some((text) => name.includes(text)));
  const warmUp = options.smoke ? seconds : Math.max(2 * seconds, WARM_UP_SECONDS / shapes.length);
  for (const shape of shapes) {
    const page: PageSamples = { name: shape.name, items: 0, samples: {} };
    pages.push(page);
    for (const [size, setup] of [
      ['short', short],
      ['long', long],
    ] as const) {
      const prepared = await prepare(shape, setup);
      page.items = prepared.items;
      for (const [kind, task] of Object.entries(prepared.tasks)) {
        const { pid } = kind === 'bare' ? setup.bare : setup.gateway;
        tasks.push({ page, side: `${kind as 'rest'} ${size}`, task, pid });
      }
    }
  }
  for (let round = 0; round <= rounds; round += 1) {
    // The first round warms up compilers and caches on every side.
    if (round > 0) say(process.stderr, `round ${round} of ${rounds}\n`);
    for (const { page, side, task, pid } of tasks) {
      const sample = await runOnce(load, task, pid, round === 0 ? warmUp : seconds);
      if (round > 0) (page.samples[side] ??= []).push(sample);
    }
  }
  const [processor] = cpus();
  const machine = `${cpus().length} cores of ${processor?.model ?? '?'}, Node ${process.version}`;
  return summarizeList({ machine, counts, rounds, seconds, connections: CONNECTIONS }, pages);
}

/** Builds the requests of a page, after checking that all candidates return the same page. */
async function prepare(shape: Shape, setup: ListEnvironment) {
  const { gateway, bare } = setup;
  const pairs = shape.query(setup);
  const cursors = shape.after ? await cursorsOf(setup, shape.after(setup)) : null;
  const after = (cursor: string | undefined) =>
    cursor === undefined ? pairs : [...pairs, ['cursor', cursor] as const];
  const restAndBare = {
    rest: overRest(shape.path, after(cursors?.sealed)),
    bare: overRest(shape.path, after(cursors?.id)),
  };
  const requests: Partial<Record<'rest' | 'graphql' | 'bare', PageRequest>> = shape.isSearch
    ? { bare: restAndBare.bare, graphql: searchOverGraphQL(pairs) }
    : { ...restAndBare, ...(shape.path === '/payments' ? { graphql: overGraphQL(after(cursors?.sealed)) } : {}) };
  const theirs = await ask(bare, restAndBare.bare);
  if (requests.rest) assertSamePage(`${shape.name}, REST`, (await ask(gateway, requests.rest)).items, theirs.items);
  if (requests.graphql) {
    const { items } = await ask(gateway, requests.graphql);
    assertSamePage(
      `${shape.name}, GraphQL`,
      items.map(({ id, ...item }) => ({ orderId: id, ...item })),
      theirs.items,
    );
  }
  const tasks: Partial<Record<'rest' | 'graphql' | 'bare', HttpTask>> = {};
  for (const [kind, { method, path, body }] of Object.entries(requests)) {
    const { port, headers } = kind === 'bare' ? bare : gateway;
    const json = method === 'POST' ? { 'Content-Type': 'application/json' } : {};
    tasks[kind as 'rest'] = {
      ...{ method, path, body, port, keyed: false, headers: { ...headers, ...json }, connections: CONNECTIONS },
      ...{ expectStatus: 200, expectBody: kind === 'graphql' ? '{"data":{"' : '{"success":true' },
    };
  }
  return { items: theirs.items.length, tasks };
}

/** The cursor of the payment at a position, for the gateway and for the bare handler. */
async function cursorsOf(setup: ListEnvironment, place: number): Promise<{ sealed: string; id: string }> {
  const until = new Date(setup.timeOf(place).getTime() + 1).toISOString();
  const { items, nextCursor } = await ask(setup.gateway, overRest('/payments', [['endDate', until], ['limit', '1']])); // prettier-ignore
  if (nextCursor === null) throw new Error('There is no next page');
  return { sealed: nextCursor, id: String(items[0]?.['orderId']) };
}

/** Throws if the pages differ, apart from the payment page URLs, which contain the address of each server. */
function assertSamePage(what: string, one: readonly object[], other: readonly object[]): void {
  const plain = (items: readonly object[]) => items.map((item) => ({ ...item, paymentUrl: null }));
  if (!isDeepStrictEqual(plain(one), plain(other)))
    throw new Error(`${what}: not the same page: ${JSON.stringify([one[0], other[0], one.length, other.length])}`);
}

async function runOnce(load: RunProcess<HttpTask>, task: HttpTask, pid: number, seconds: number) {
  const before = await readCpuMs(pid);
  const sample = await load.run(task, seconds);
  if (sample.failures > 0 || sample.count === 0)
    throw new Error(`${task.path}: ${sample.failures} calls failed; first failure: ${sample.firstFailure ?? '?'}`);
  const after = await readCpuMs(pid);
  if (before === null || after === null) return sample;
  return { ...sample, gatewayMicros: ((after - before) * 1_000) / sample.count };
}

function say(stream: NodeJS.WriteStream, text: string): 0 {
  stream.write(text);
  return 0;
}
