// The settings with which live refuses to start: everything missing, weak, published or taken from the sandbox is named
// at once.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openOrCreateSecret } from '../../../src/sandbox/sandbox-secret.ts';
import { createTestDatabase } from '../../support/database/database.ts';
import { pino } from 'pino';
import { ConfigError, readConfig } from '../../../src/config/config.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import { StartError } from '../../../src/gateway/lifecycle.ts';
import type { Environment } from '../programs.fixture.ts';
import { openLiveSetup, type LiveSetup } from './setup.fixture.ts';

let setup: LiveSetup;

beforeAll(async () => {
  setup = await openLiveSetup();
});
afterAll(() => setup.stop());

describe('live does not start', () => {
  /** What the program prints, started as an operator starts it. */
  async function lastWordsOf(variables: Environment): Promise<string> {
    const program = await setup.launch(variables);
    expect(await program.exited).toBe(1);
    // For the operator to fix: plain lines, without a stack trace.
    expect(program.said()).not.toMatch(/^\s+at /m);
    return program.said();
  }

  /** What the program would print, without the second that its start takes. */
  async function refusalOf(variables: Environment): Promise<string> {
    const start = async () => createGateway(readConfig(variables), { log: pino({ level: 'silent' }) });
    return start().then(
      async (gateway) => {
        await gateway.stop();
        throw new Error('It started');
      },
      (error: unknown) => (error instanceof ConfigError || error instanceof StartError ? error.message : String(error)),
    );
  }
  const named = (said: string) => [...said.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name).sort();

  it('without anything that it needs, and names it all at once', async () => {
    const said = await lastWordsOf({ TURNPIKE_ENV: 'live' });
    expect(named(said)).toEqual([
      ...['BASE_URL', 'DATABASE_URL', 'ETH_RPC_URL', 'REGISTRATION', 'TRUST_PROXY', 'TURNPIKE_SECRET'],
    ]);
  });

  it('with what is weak, an example or published, and names it all at once without repeating it', async () => {
    const junk =
      'xpub6Ce9NcJvTk36xtLSrJLZqE7wtgA5deCeYs7rSQtreh4cj6ByPtrg9sD7V2FNFLPnf8heNP3FGkeV9qwfzvZNSd54JoNXVsXFYSYwHsnJxqP';
    const weak = {
      TURNPIKE_SECRET: 'at-least-32-random-characters-from-openssl',
      TOKEN_SECRETS: 'abababababababababababababababababababab',
      KEYSTORE_PASSPHRASE: 'kept-somewhere-else-than-the-file',
      ETH_XPUB: junk,
      TRUST_PROXY: '0.0.0.0/0',
    };
    const said = await refusalOf({ ...setup.variables, ...weak });
    expect(named(said)).toEqual(Object.keys(weak).sort());
    for (const name of ['TURNPIKE_SECRET', 'TOKEN_SECRETS', 'KEYSTORE_PASSPHRASE'] as const)
      expect(said).not.toContain(weak[name]);
  });

  it('with files that are not there or do not belong together, and names them all at once', async () => {
    const away: Environment = {
      TLS_CERT_PATH: '/nowhere/cert.pem',
      TLS_KEY_PATH: '/nowhere/key.pem',
      KEYSTORE_PATH: '/nowhere/keystore',
    };
    expect(named(await lastWordsOf({ ...setup.variables, ...away }))).toEqual(Object.keys(away).sort());
    const { TLS_CERT_PATH = '' } = setup.certificate;
    const mixed = { TLS_CERT_PATH, TLS_KEY_PATH: TLS_CERT_PATH };
    expect(named(await refusalOf({ ...setup.variables, ...mixed }))).toEqual(['TLS_KEY_PATH']);
  });

  it('with a journal that cannot be written', async () => {
    const variables = { ...setup.variables, ...setup.certificate, JOURNAL_DIR: '/nowhere' };
    expect(named(await refusalOf(variables))).toEqual(['JOURNAL_DIR']);
  });

  it('with an extended public key that is damaged', async () => {
    const { ETH_XPUB = '' } = setup.variables;
    const damaged = `${ETH_XPUB.slice(0, -1)}${ETH_XPUB.endsWith('x') ? 'y' : 'x'}`;
    expect(named(await refusalOf({ ...setup.variables, ...setup.certificate, ETH_XPUB: damaged }))).toEqual([
      'ETH_XPUB',
    ]);
  });

  it('with a passphrase that does not open the keystore', async () => {
    const wrong = { ...setup.variables, ...setup.certificate, KEYSTORE_PASSPHRASE: 'four green lamps, unlit' };
    expect(await refusalOf(wrong)).toMatch(/^KEYSTORE_PASSPHRASE: /m);
  });

  it("with the sandbox's secret, or on its database", async () => {
    const sandbox = join(setup.folder, 'a-sandbox');
    await mkdir(sandbox);
    const secret = await openOrCreateSecret({ dataDir: sandbox });
    const borrowed = { ...setup.variables, ...setup.certificate, TURNPIKE_SECRET: secret, DATA_DIR: sandbox };
    expect(named(await refusalOf(borrowed))).toEqual(['TURNPIKE_SECRET']);
    const { url, sql, drop } = await createTestDatabase();
    await sql(`insert into deployment (environment) values ('sandbox')`);
    const said = await refusalOf({ ...setup.variables, ...setup.certificate, DATABASE_URL: url });
    expect(said).toMatch(/^DATABASE_URL: this database is of a sandbox/m);
    await drop();
  });
});
