// Runs a story: finds or starts the gateway, tells the story, cleans up, and reports the result.

import { parseArgs } from 'node:util';
import { findOrStartGateway, type GatewayUnderTest } from './support/gateway.ts';
import { createHttpClient, type HttpClient } from './support/http-client.ts';
import { openLiveSocket, type LiveSocket } from './support/live-socket.ts';
import { createPrinter, type Printer } from './support/printer.ts';
import { readWallet } from './support/read-wallet.ts';
import { verifyLedger } from './support/verify-ledger.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';

/** Everything that a step needs. */
export interface Stage {
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly printer: Printer;
  readonly receiver: Receiver;
  /** Verifies the gateway's ledger with `npm run ledger:verify`. Throws `Difference` at a fault. */
  readonly verifyBook: () => Promise<void>;
  /** The output of `npm run wallet -- show` for the gateway's wallet. */
  readonly readWallet: () => Promise<string>;
  /** Opens a web socket, with null without a token; it is closed when the story ends. */
  readonly openSocket: (token: string | null, path?: string) => Promise<LiveSocket>;
}

export type Story = (stage: Stage) => Promise<void>;

/** A story, with what has to exist before the gateway starts. */
export interface PreparedStory {
  /** Environment variables for a gateway of our own. */
  readonly env: Readonly<Record<string, string>>;
  readonly tell: Story;
  /** What the story is told to, where it is more than one gateway; it is stopped with the story. */
  readonly gateway?: GatewayUnderTest;
  stop(): Promise<void>;
}

/** Prepares a story; what it prepares for long is given up when there is an interruption. */
export type Prepare = (printer: Printer, interruption: AbortSignal) => Promise<PreparedStory>;

/** A story that needs no preparation. */
export const plain = (tell: Story) => (): Promise<PreparedStory> =>
  Promise.resolve({ env: {}, tell, stop: () => Promise.resolve() });

/** Tells the requested story, the first by default; returns the exit code: 0 if every step was as expected. */
export async function runStory(stories: Readonly<Record<string, Prepare>>): Promise<number> {
  const printer = createPrinter(process.stdout);
  const startedAt = performance.now();
  const interruption = listenForSignals();
  let gateway: GatewayUnderTest | undefined;
  let prepared: PreparedStory | undefined;
  try {
    const { baseUrl, port, story } = readOptions();
    const prepare = stories[story ?? Object.keys(stories)[0] ?? ''];
    if (!prepare) throw new Error(`There are these stories: ${Object.keys(stories).join(', ')}`);
    prepared = await prepare(printer, interruption);
    const { tell, env } = prepared;
    gateway = prepared.gateway ?? (await findGateway({ baseUrl, port, env }, printer, interruption));
    await withCleanUp(gateway, printer, (stage) => untilInterrupted(() => tell(stage), interruption));
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stdout.write(`\nAll ${printer.steps()} steps were as expected, in ${seconds} s.\n`);
    return 0;
  } catch (error) {
    const text = explain(error);
    printer.failed(printer.steps() > 0 ? `Step ${printer.steps()} is not as expected. ${text}` : text);
    const output = gateway?.output();
    if (output) process.stdout.write(`\nThe gateway printed:\n${output}\n`);
    return 1;
  } finally {
    await prepared?.stop();
  }
}

async function findGateway(
  wanted: Parameters<typeof findOrStartGateway>[0],
  printer: Printer,
  interruption: AbortSignal,
): Promise<GatewayUnderTest> {
  printer.say(`Looking for a gateway at ${wanted.baseUrl}`);
  const gateway = await findOrStartGateway(wanted, interruption);
  printer.say(gateway.own ? `None is ready there: started one of our own at ${gateway.baseUrl}` : 'It is ready');
  return gateway;
}

/** The base URL is `--base-url`, else BASE_URL, else the port that a gateway with this environment would use. */
function readOptions(): { baseUrl: string; port: number | null; story: string | undefined } {
  const options = { 'base-url': { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [story] = positionals;
  const { BASE_URL, PORT } = process.env;
  const given = values['base-url'] || BASE_URL;
  if (given && !URL.canParse(given)) throw new Error(`The base URL is not a URL: ${given}`);
  if (given) return { baseUrl: given.replace(/\/+$/, ''), port: null, story };
  return { baseUrl: `http://localhost:${PORT || 3000}`, port: PORT ? Number(PORT) : null, story };
}

/** Runs the story with everything it needs, and always tears it down afterwards, in reverse order. */
async function withCleanUp(gateway: GatewayUnderTest, printer: Printer, tell: Story): Promise<void> {
  const stops = [() => gateway.stop()];
  try {
    const receiver = await startReceiver();
    stops.unshift(() => receiver.stop());
    const openSocket = async (token: string | null, path?: string) => {
      const socket = await openLiveSocket(gateway.baseUrl, token, path);
      stops.unshift(() => socket.close());
      return socket;
    };
    const verifyBook = () => verifyLedger(printer, gateway.dataDir);
    const http = createHttpClient(gateway.baseUrl, printer);
    const readOwn = () => readWallet(gateway.dataDir);
    await tell({ baseUrl: gateway.baseUrl, http, printer, receiver, openSocket, verifyBook, readWallet: readOwn });
  } catch (error) {
    // The first error is the one that matters; an error of the cleanup is printed before it.
    await stopAll(stops).catch((fault: unknown) => printer.failed(`The cleanup failed too. ${explain(fault)}`));
    throw error;
  }
  await stopAll(stops);
}

async function stopAll([stop, ...others]: readonly (() => Promise<void>)[]): Promise<void> {
  try {
    await stop?.();
  } finally {
    if (others.length > 0) await stopAll(others);
  }
}

/** Signals end the story rather than the process, so that everything started is stopped. */
function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => controller.abort(new Error(`Interrupted by ${name}`)));
  return controller.signal;
}

async function untilInterrupted(work: () => Promise<void>, interruption: AbortSignal): Promise<void> {
  interruption.throwIfAborted();
  const interrupted = new Promise<never>((_resolve, reject) => {
    interruption.addEventListener('abort', () => reject(interruption.reason as Error), { once: true });
  });
  await Promise.race([work(), interrupted]);
}

/** An error with its causes: the message of fetch itself is only "fetch failed". */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\n  because: ${explain(error.cause)}`;
}
