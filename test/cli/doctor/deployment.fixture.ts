// A live deployment for the doctor: a PostgreSQL that keeps what it confirms, a role without special rights, a
// development node, a keystore, and a certificate for localhost.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { createRpc } from '../../../src/chain/evm/rpc.ts';
import { accountXpub, COIN_TYPES } from '../../../src/custody/keys/account-keys.ts';
import { createKeystore } from '../../../src/custody/keys/keystore.ts';
import { connectDatabase } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { makeTestFolder, runSql } from '../../support/database/database.ts';
import { createServers, type OwnServer, type Servers } from '../../support/database/replica.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../../support/tls.ts';
import type { Variables } from './run.fixture.ts';

export const log = pino({ level: 'silent' });

/** Each is in the variables, and must be in no report. */
export const SECRETS = {
  turnpike: 'Jx2v0sQm8kTtYb6nRw4eUz1pLf7hCd3gAe5iO9',
  passphrase: 'three green lamps, unlit',
  database: 'mT4wq9XzB2kLr7Vn',
  node: 'aNodesKey83hf7dk2',
} as const;

const ROLE = 'turnpike_app';

export interface Deployment {
  readonly servers: Servers;
  readonly server: OwnServer;
  readonly anvil: Anvil;
  readonly folder: string;
  /** Those of a process with all roles that is well. */
  readonly variables: Variables;
  /** The URL of our role for a server. */
  urlOf(server: OwnServer): string;
  stop(): Promise<void>;
}

export async function openDeployment(): Promise<Deployment> {
  const servers = createServers();
  const server = await servers.primary();
  const anvil = await startAnvil({ log });
  const folder = await makeTestFolder('doctor');
  await createRpc({ network: 'ETH', url: anvil.url, timeoutMs: 60_000 }).call('anvil_mine', ['0x1']);
  await prepareDatabase(server);
  const keys = join(folder, 'keys');
  await mkdir(keys, { mode: 0o700 });
  const keystore = join(keys, 'keystore');
  const { seed } = await createKeystore({ path: keystore, passphrase: SECRETS.passphrase });
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  await writeFile(certificate, LOCALHOST_CERTIFICATE);
  await writeFile(key, LOCALHOST_KEY, { mode: 0o600 });
  const port = String(await findFreePort());
  return {
    ...{ servers, server, anvil, folder, urlOf },
    variables: {
      ...{ TURNPIKE_ENV: 'live', REGISTRATION: 'open', TURNPIKE_SECRET: SECRETS.turnpike, LOG_LEVEL: 'fatal' },
      ...{ DATABASE_URL: urlOf(server), DATA_DIR: folder },
      ...{ HOST: 'localhost', PORT: port, BASE_URL: `https://localhost:${port}` },
      ...{ TLS_CERT_PATH: certificate, TLS_KEY_PATH: key, NODE_EXTRA_CA_CERTS: certificate },
      ...{ ETH_RPC_URL: withKey(anvil.url), ETH_CHAIN_ID: '31337', ETH_ETH_NETWORK_FEE: '0', RATE_FEEDS: 'none' },
      ETH_XPUB: accountXpub(seed, COIN_TYPES.evm).xpub,
      ...{ KEYSTORE_PATH: keystore, KEYSTORE_PASSPHRASE: SECRETS.passphrase },
    },
    stop: async () => {
      await anvil.stop();
      await servers.close();
    },
  };
}

/** With a key, as hosts of nodes have it. */
export const withKey = (url: string): string => Object.assign(new URL(url), { search: `key=${SECRETS.node}` }).href;

/** The server listens on a socket alone, so the password is not asked for; the URL has it all the same. */
function urlOf(server: OwnServer): string {
  return Object.assign(new URL(server.url()), { username: ROLE, password: SECRETS.database }).href;
}

/** Our role owns the schema, and migrates it. */
async function prepareDatabase(server: OwnServer): Promise<void> {
  await server.sql(`create role ${ROLE} login password '${SECRETS.database}'`);
  await server.sql(`alter schema public owner to ${ROLE}`);
  await server.sql(`grant all on database turnpike to ${ROLE}`);
  const db = await connectDatabase({ url: urlOf(server), poolMax: 3, log });
  await migrate(db).finally(() => db.close());
}

/** Runs `test` while a setting of our role differs. */
export async function withRoleSetting(
  { server }: Deployment,
  setting: string,
  value: string,
  test: () => Promise<void>,
): Promise<void> {
  const admin = server.url();
  await runSql(admin, `alter role ${ROLE} set ${setting} = ${value}`);
  try {
    await test();
  } finally {
    await runSql(admin, `alter role ${ROLE} reset ${setting}`);
  }
}

export const ALTER_ROLE = `alter role ${ROLE}`;
