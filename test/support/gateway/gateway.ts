// Starts a whole gateway in a test file's process: its own database, a real development chain (ETH's, unless more are
// requested) and a free port; stopping it removes everything.

import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { readConfig, type Config } from '../../../src/config/config.ts';
import { query } from '../../../src/database/connection.ts';
import { createGateway, type Gateway } from '../../../src/gateway/gateway.ts';
import { freePort } from '../../../scripts/free-port.ts';
import type { GatewayPatience } from '../../../src/gateway/lifecycle.ts';
import { PATIENT_GATEWAY } from '../patience.ts';
import { claimInRun, createTestDatabase, makeTestFolder } from '../database/database.ts';

/** One log entry as it would be written. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

export interface TestGateway {
  /** Without a trailing slash. */
  readonly url: string;
  readonly config: Config;
  readonly deps: Gateway['deps'];
  /** What was logged so far, from `warn` up. */
  readonly logged: readonly LogLine[];
  /** Runs a statement in the gateway's database. */
  sql<Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Ends it and removes its database and folder. */
  stop(): Promise<void>;
}

/**
 * Starts a gateway as the program would, from environment variables: `overrides` replace the test's own, and an empty
 * string removes a variable. With `DATABASE_URL` the caller's database is used, and kept. It waits longer than the
 * program does; tests of time limits take the program's own, with `patience` null.
 */
export async function startTestGateway(
  overrides: Readonly<Record<string, string>> = {},
  { patience = PATIENT_GATEWAY }: { readonly patience?: GatewayPatience | null } = {},
): Promise<TestGateway> {
  const database = overrides['DATABASE_URL'] === undefined ? await createTestDatabase() : null;
  const folder = await makeTestFolder('gateway');
  const logged: LogLine[] = [];
  const clear = async (): Promise<void> => {
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = overrides['PORT'] ?? String(await findFreePort());
    const config = readConfig({
      HOST: '127.0.0.1',
      PORT: port,
      BASE_URL: `http://127.0.0.1:${port}`,
      DATA_DIR: folder,
      DATABASE_URL: database?.url,
      DATABASE_POOL_MAX: '10',
      SANDBOX_NETWORKS: 'ETH',
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
      RATE_LIMIT_AUTH_PER_MINUTE: '0',
      RATE_LIMIT_CHECKOUT_PER_MINUTE: '0',
      ...overrides,
    });
    const write = (line: string) => void logged.push(JSON.parse(line) as LogLine);
    const log = pino({ level: 'warn' }, { write });
    const gateway = await createGateway(config, { log, ...(patience && { patience }) });
    return {
      url: config.baseUrl,
      config,
      deps: gateway.deps,
      logged,
      sql: <Row>(text: string, parameters: readonly unknown[] = []) => query<Row>(gateway.deps.db.em, text, parameters),
      stop: async () => {
        await gateway.stop();
        await clear();
      },
    };
  } catch (error) {
    await clear();
    throw error;
  }
}

/** A free port, given to one caller in this run only, because it may be seconds until it is listened on. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (await claimInRun(`port-${port}`)) return port;
  }
}
