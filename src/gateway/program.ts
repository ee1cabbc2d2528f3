// The program: reads the configuration, starts the gateway, says where everything is, and stops on a signal.

import { pino } from 'pino';
import { readConfig } from '../config/config.ts';
import { createGateway, type Gateway } from './gateway.ts';
import { banner } from './banner.ts';
import { StartAborted } from './lifecycle.ts';
import { traceFields } from '../tracing.ts';

/** Longer than any part may take to stop, and below the ten seconds allowed for all, after the process has drained. */
const STOP_WITHIN_MS = 9_500;

type OnSignal = (handler: (signal: NodeJS.Signals) => void) => void;

/**
 * Runs the gateway of this process's environment until a signal ends it; a failed start ends the process with 1.
 * `onSignal` sets what handles the signals.
 */
export async function runProgram(onSignal: OnSignal): Promise<void> {
  try {
    await startAndStop(onSignal);
  } catch (error) {
    if (error instanceof StartAborted) process.exit(0);
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

async function startAndStop(onSignal: OnSignal): Promise<void> {
  const config = readConfig();
  const log = pino(
    { level: config.logLevel, redact: REDACTED, mixin: traceFields },
    pino.destination({ fd: 2, sync: true }),
  );
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  say(`Turnpike ${config.environment} is starting`);
  const waiting = new AbortController();
  const onProgress = (text: string) => say(`  ${text} …`);
  const starting = createGateway(config, { log, onProgress, signal: waiting.signal });

  let stopping = false;
  const hurry = new AbortController();
  const stop = (signal: string) => {
    // The second one ends draining.
    if (stopping) return void hurry.abort();
    stopping = true;
    say(`${signal}: stopping`);
    waiting.abort();
    const withinMs = 1_000 * config.shutdownGraceSeconds + STOP_WITHIN_MS;
    setTimeout(() => process.exit(1), withinMs).unref();
    const end = async (gateway: Gateway) => {
      await gateway.drain(hurry.signal);
      await gateway.stop();
    };
    void starting.then(
      (gateway) =>
        end(gateway).then(
          () => process.exit(0),
          () => process.exit(1),
        ),
      () => undefined, // A start that failed is reported below.
    );
  };
  onSignal(stop);
  await starting;
  if (!stopping) say(banner(config));
}

/** Where secrets could appear in a log line. */
const REDACTED = ['*.authorization', '*.password', '*.secret', 'headers.authorization', 'req.headers.authorization'];

/** Errors that the operator can fix are shown as one line; others with a stack trace. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (PLAIN_ERRORS.has(error.name)) return error.message;
  if ((error as { code?: unknown }).code === 'EADDRINUSE')
    return `PORT: the port is taken by another program (${error.message}); set PORT to another one`;
  return error.stack ?? error.message;
}

const PLAIN_ERRORS = new Set(['ConfigError', 'AlreadyRunning', 'AnvilMissing', 'DatabaseUnreachable', 'StartError']);
