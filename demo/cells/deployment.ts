// What the story of the cells is told to: two cells, each with a database, secrets and a chain of its own and with the
// seed of the other, a directory of people for both, a standby that one of them reads from, and HAProxy in front.

import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { endLeftoverProcesses } from '../../src/sandbox/leftover-processes.ts';
import { makeDataDir, startOnFolder, type GatewayUnderTest, type OwnGateway } from '../support/gateway.ts';
import type { Printer } from '../support/printer.ts';
import { waitUntil } from '../support/wait.ts';
import { startServer, startServerWithStandby, type Stops } from './databases.ts';
import { hostOf, startProxy } from './proxy.ts';

export interface Cell {
  readonly number: number;
  /** Where the proxy serves this cell alone. */
  readonly ownUrl: string;
  /** The process itself, past the proxy. */
  readonly url: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  kill(): Promise<void>;
  /** Starts it again, on the same folder and database. */
  startAgain(): Promise<void>;
}

export interface Cells {
  readonly cells: readonly [Cell, Cell];
  /** The address that both share, and its end: everything is stopped and removed. */
  readonly gateway: GatewayUnderTest;
}

interface Place {
  readonly number: number;
  readonly port: number;
  readonly proxyPort: number;
  readonly databaseUrl: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** The seed that both have, in the sandbox's data folder. */
const SEED = 'sandbox-mnemonic';

export async function startCells(printer: Printer, interruption: AbortSignal): Promise<Cells> {
  const stops: Stops = [];
  const stop = () => stopAll(stops);
  try {
    return await startAll(printer, interruption, { stops, stop });
  } catch (error) {
    // The first error is the one that matters.
    await stop().catch(() => undefined);
    throw error;
  }
}

/** The last first. Throws the first error, once everything was tried. */
async function stopAll(stops: Stops): Promise<void> {
  const next = stops.pop();
  if (next === undefined) return;
  try {
    await next();
  } finally {
    await stopAll(stops);
  }
}

async function startAll(
  printer: Printer,
  interruption: AbortSignal,
  { stops, stop }: { stops: Stops; stop: () => Promise<void> },
): Promise<Cells> {
  printer.say('Starting a database server for each cell, and a standby of that of cell 1');
  const database = await startServer(stops);
  interruption.throwIfAborted();
  const { primary, standby } = await startServerWithStandby(stops);
  const [port, ports] = [await freePort(), [await freePort(), await freePort()] as const];
  const output: (() => string)[] = [];
  // The first cell's database has the directory of both.
  const directory = {
    CELL_DIRECTORY_URL: database.url,
    CELL_DIRECTORY_SECRET: 'only-for-the-directory-of-the-demo-0000000000000',
  };
  const start = async (place: Omit<Place, 'proxyPort'>, seedOf?: Cell) => {
    printer.say(`Starting cell ${place.number}, with the chain of its sandbox`);
    const started = await startCell({ ...place, proxyPort: port }, { stops, interruption, seedOf });
    output.push(started.output);
    return started.cell;
  };
  const first = await start({ number: 0, port: ports[0], databaseUrl: database.url, variables: directory });
  const reads = { ...directory, DATABASE_READ_URLS: standby.url };
  const second = await start({ number: 1, port: ports[1], databaseUrl: primary.url, variables: reads }, first);

  const proxy = await startProxy(port, ports);
  stops.push(() => proxy.stop());
  const verify = () => {
    interruption.throwIfAborted();
    proxy.verify();
  };
  for (const { ownUrl } of [first, second]) await waitForProxy(ownUrl, verify);
  const baseUrl = `http://127.0.0.1:${port}`;
  printer.say(`HAProxy is in front of both at ${baseUrl}, with deploy/cells/haproxy.cfg`);
  const gateway = {
    ...{ baseUrl, own: true, dataDir: null, stop },
    output: () => output.map((said, cell) => `Cell ${cell}:\n${said()}`).join('\n'),
  };
  return { cells: [first, second], gateway };
}

/** Waits until the proxy has an answer of the cell at this address, while `verify` does not throw. */
export async function waitForProxy(url: string, verify: () => void = () => undefined): Promise<void> {
  const look = async () => {
    verify();
    const answer = await fetch(`${url}/api/v1/currencies`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.status === 200 ? true : null;
  };
  await waitUntil(`${url} to reach its cell`, look);
}

interface Around {
  readonly stops: Stops;
  readonly interruption: AbortSignal;
  readonly seedOf: Cell | undefined;
}

async function startCell(place: Place, { stops, interruption, seedOf }: Around) {
  interruption.throwIfAborted();
  const dataDir = await makeDataDir(`demo-cell-${place.number}`);
  stops.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  if (seedOf) await copyFile(join(seedOf.dataDir, SEED), join(dataDir, SEED));
  // Of a cell that was killed, and is not started again because the story has ended.
  stops.push(() => endLeftoverProcesses(join(dataDir, 'chain', 'anvil'), pino({ level: 'silent' })));
  const start = () => startOnFolder({ port: place.port, env: environmentOf(place), dataDir }, interruption);
  let last = await start();
  /** What runs, or is about to; null while it is killed. */
  let running: Promise<OwnGateway> | null = Promise.resolve(last);
  // A start that is interrupted stops what it started itself.
  stops.push(async () => (await running?.catch(() => null))?.stop());
  const cell: Cell = {
    ...{ number: place.number, dataDir, databaseUrl: place.databaseUrl, url: last.baseUrl },
    ownUrl: `http://${hostOf(place.number)}:${place.proxyPort}`,
    kill: async () => {
      running = null;
      await last.kill();
    },
    startAgain: async () => {
      running = start();
      last = await running;
    },
  };
  return { cell, output: () => last.output() };
}

function environmentOf({ number, databaseUrl, proxyPort, variables }: Place): Readonly<Record<string, string>> {
  return {
    ...{ CELL: String(number), DATABASE_URL: databaseUrl, TRUST_PROXY: '127.0.0.1', SANDBOX_NETWORKS: 'ETH' },
    TURNPIKE_SECRET: `only-for-the-demo-of-cell-${number}-000000000000000`,
    BASE_URL: `http://${hostOf(number)}:${proxyPort}`,
    PAY_URL: `http://127.0.0.1:${proxyPort}/pay`,
    ...variables,
  };
}
