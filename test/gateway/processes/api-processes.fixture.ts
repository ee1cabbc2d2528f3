// Two API processes of one deployment, started as an operator starts them, and a gateway with the other roles in the
// test's own process.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { createTestDatabase, makeTestFolder } from '../../support/database/database.ts';
import { findFreePort, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { startProgram, type Environment, type Program } from '../programs.fixture.ts';

/** What a client needs to know of a process. */
export interface Face {
  readonly url: string;
}

export interface ApiProcess extends Face {
  /** The process as it was started last. */
  program(): Program;
  /** Starts it anew on the same port; the earlier process must be gone. */
  restart(): Promise<void>;
}

export interface ApiProcesses {
  /** Has every role. */
  readonly gateway: TestGateway;
  readonly databaseUrl: string;
  /** Starts a process with the api role alone. */
  launch(variables?: Environment): Promise<ApiProcess>;
  stop(): Promise<void>;
}

/** Starts the database, the chain and the gateway of the test's own process. */
export async function openApiProcesses(variables: Environment = {}): Promise<ApiProcesses> {
  const database = await createTestDatabase();
  const folder = await makeTestFolder('api-processes');
  const anvil = await startAnvil({ log: pino({ level: 'silent' }) }).catch(async (error: unknown) => {
    await database.drop();
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  const common = {
    DATABASE_URL: database.url,
    ETH_RPC_URL: anvil.url,
    TURNPIKE_SECRET: 'a secret of this test, as long as it has to be',
    HOST: '127.0.0.1',
    RATE_LIMIT_PER_SECOND: '0',
    RATE_LIMIT_AUTH_PER_MINUTE: '0',
    RATE_LIMIT_CHECKOUT_PER_MINUTE: '0',
    ...variables,
  };
  const clear = async () => {
    await anvil.stop();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  };
  const gateway = await startTestGateway(common).catch(async (error: unknown) => {
    await clear();
    throw error;
  });
  const launched: ApiProcess[] = [];

  return {
    gateway,
    databaseUrl: database.url,
    async launch(own = {}) {
      const port = String(await findFreePort());
      const url = `http://127.0.0.1:${port}`;
      const dataDir = join(folder, port);
      const start = () =>
        startProgram({ ...common, ROLES: 'api', PORT: port, BASE_URL: url, DATA_DIR: dataDir, ...own });
      let program = start();
      const restart = () => (program = start()).ready;
      const launchedNow = { url, program: () => program, restart };
      launched.push(launchedNow);
      await program.ready;
      return launchedNow;
    },
    async stop() {
      await Promise.all(launched.map(({ program }) => program().stop()));
      await gateway.stop();
      await clear();
    },
  };
}
