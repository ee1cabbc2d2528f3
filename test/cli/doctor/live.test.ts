// `npm run doctor` on a live deployment: all is well for each role, running or not, and each planted fault is found.

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createRpc } from '../../../src/chain/evm/rpc.ts';
import { startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { startProgram, type Program } from '../../gateway/programs.fixture.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { EXPIRED_CERTIFICATE, RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../../support/tls.ts';
import { until } from '../../support/until.ts';
import { log, openDeployment, SECRETS, withKey, type Deployment } from './deployment.fixture.ts';
import { findingsOf, reportOf, runDoctor, type Variables } from './run.fixture.ts';

jest.setTimeout(300_000);

let deployment: Deployment;
let well: Variables;
let program: Program;

beforeAll(async () => {
  deployment = await openDeployment();
  well = deployment.variables;
  program = startProgram(well);
  await program.ready;
});
afterAll(async () => {
  await program.kill();
  await deployment.stop();
});

/** Variables without some of them. */
function without(variables: Variables, ...names: string[]): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !names.includes(name)));
}

const WITHOUT_KEYS = ['KEYSTORE_PATH', 'KEYSTORE_PASSPHRASE'];
/** What a small deployment is warned of: it has no archive, and one process for everything. */
const WARNED = ['backup', 'keystore'];

describe('a deployment that is well', () => {
  it('has no fault, and the table says so on one screen, without a secret', async () => {
    const { code, out, err } = await runDoctor(well);
    expect({ code, err, out }).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(/^0 faults, 2 warnings, \d+ ok$/m),
    });
    expect(out).toMatch(/^process +ok +0\.\d+\.\d+ runs at https:\/\/localhost:\d+$/m);
    expect(out.split('\n').length).toBeLessThan(40);
    for (const secret of Object.values(SECRETS)) expect(out).not.toContain(secret);
  });

  it.each(['api', 'observer', 'dispatcher', 'signer'])('has none as the process of the role %s', async (role) => {
    const own = role === 'signer' ? well : without(well, ...WITHOUT_KEYS);
    const report = await reportOf({ ...own, ROLES: role });
    const wrong = report.rows.filter(({ state }) => state !== 'ok');
    expect(wrong.filter(({ state }) => state === 'fault')).toEqual([]);
    const expected = role === 'api' ? WARNED : [...WARNED, 'process'];
    expect(wrong.map(({ check }) => check).filter((check) => !expected.includes(check))).toEqual([]);
    expect(report.rows.some(({ check }) => check === 'base-url')).toBe(role === 'api');
    expect(report.rows.some(({ check }) => check === 'journal')).toBe(role === 'signer');
    expect(report.rows.some(({ check }) => check === 'nodes')).toBe(role !== 'dispatcher');
  });

  it('that is not running has no fault either, and says that it is not', async () => {
    const port = String(await findFreePort());
    const report = await reportOf({ ...well, PORT: port, BASE_URL: `https://localhost:${port}` });
    expect(report.faults).toBe(0);
    const states = new Map(report.rows.map(({ check, found }) => [check, found]));
    expect(states.get('process')).toMatch(/^it does not run here: /);
    expect(states.get('base-url')).toMatch(/does not answer from here/);
  });

  it('is asked wrongly: the usage is shown', async () => {
    for (const args of [['--all'], ['--processes', 'many'], ['now']])
      expect(await runDoctor(well, ...args)).toEqual({
        code: 2,
        out: '',
        err: expect.stringContaining('npm run doctor'),
      });
  });
});

describe('a planted fault is found in', () => {
  it('the configuration: each in the words of a start', async () => {
    const bad = { ...well, PORT: 'seven', ETH_RPC_URL: 'nowhere', TURNPIKE_SECRET: 'short' };
    const report = await reportOf(bad);
    expect(report.rows.map(({ found }) => found)).toEqual(
      expect.arrayContaining([
        'PORT: must be a whole number from 0 to 65535, not "seven"',
        'ETH_RPC_URL: must be absolute http or https URLs, comma-separated',
        'TURNPIKE_SECRET: must have at least 32 characters',
      ]),
    );
    expect(report.notMade).toContain('database');
  });

  it('the configuration: a key of another certificate, and a cold address of nobody', async () => {
    const key = join(deployment.folder, 'other-key.pem');
    await writeFile(key, RECEIVER_KEY, { mode: 0o600 });
    expect(await findingsOf('configuration', { ...well, TLS_KEY_PATH: key, ETH_COLD_ADDRESS: '0x12' })).toEqual([
      expect.stringMatching(/^fault: TLS_KEY_PATH: .* is not the PEM private key of the certificate in/),
      'fault: ETH_COLD_ADDRESS: 0x12 is no address on that network',
    ]);
  });

  it.each<[string, Variables, string]>([
    [
      'one for two uses',
      { KEYSTORE_PASSPHRASE: SECRETS.turnpike },
      'fault: KEYSTORE_PASSPHRASE is also TURNPIKE_SECRET',
    ],
    [
      'one that is not random',
      { TURNPIKE_SECRET: 'abcdefgh'.repeat(4) },
      'warning: TURNPIKE_SECRET does not look random',
    ],
    [
      'a short password',
      { REDIS_URL: 'redis://:short@127.0.0.1:1' },
      'warning: the password in REDIS_URL is short or can be guessed',
    ],
    [
      'old ones',
      { TOKEN_SECRETS: ['aB3', 'cD4', 'eF5'].map((start) => start + SECRETS.turnpike).join(',') },
      'warning: TOKEN_SECRETS has 3 entries',
    ],
  ])('the secrets: %s', async (_, variables, finding) => {
    expect(await findingsOf('secrets', { ...well, ...variables })).toContain(finding);
  });

  it('the process: it is about to stop, and something else has its port', async () => {
    const [port, other] = [String(await findFreePort()), createServer((_, response) => void response.end('hello'))];
    const own = { ...well, PORT: port, BASE_URL: `https://localhost:${port}`, SHUTDOWN_GRACE_SECONDS: '3600' };
    const leaving = startProgram(own);
    await leaving.ready;
    process.kill(leaving.pid, 'SIGTERM');
    await until(async () =>
      (await findingsOf('process', own)).includes('fault: it is not ready: shutdown: this process is about to stop'),
    );
    await leaving.kill();
    other.listen(0, 'localhost');
    await once(other, 'listening');
    const metricsPort = String((other.address() as AddressInfo).port);
    const found = await findingsOf('process', { ...well, ROLES: 'observer', METRICS_PORT: metricsPort });
    expect(found).toEqual([expect.stringMatching(/^fault: something else than Turnpike answers at /)]);
    other.close();
  });

  it("the clock: this machine's is an hour ahead", async () => {
    const shift = 'data:text/javascript,const%20now=Date.now;Date.now=()=>now()+3600000';
    const found = await findingsOf('clock', { ...well, NODE_OPTIONS: `--import=${shift}` });
    expect(found).toEqual(["fault: this machine's is 60 min ahead of the database's"]);
  });

  it('the nodes: one of two is away, all are, one is on another chain, and one is behind or ahead of its time', async () => {
    const away = 'http://127.0.0.1:1';
    const good = well['ETH_RPC_URL'] ?? '';
    expect(await findingsOf('nodes', { ...well, ETH_RPC_URL: `${good},${away}` })).toEqual([
      expect.stringMatching(/^warning: ETH: 1 of 2 nodes: block 1 of .* ago; number 2: .*ECONNREFUSED/),
    ]);
    expect(await findingsOf('nodes', { ...well, ETH_RPC_URL: away })).toEqual([
      expect.stringMatching(/^fault: ETH: .*ECONNREFUSED/),
    ]);
    expect(await findingsOf('nodes', { ...well, ETH_CHAIN_ID: '5' })).toEqual([
      expect.stringMatching(/^fault: ETH: .*31337/),
    ]);
    const hour = 3_600;
    for (const [offset, check, finding] of [
      [-hour, 'nodes', /^fault: ETH: its newest block, 0, is 60 min old: it is not synchronised$/],
      [hour, 'clock', /^fault: the newest block of ETH is of .*, which the database takes for the future$/],
    ] as const) {
      const timestamp = Math.round(Date.now() / 1_000) + offset;
      const anvil = await startAnvil({ log, extraArgs: ['--timestamp', String(timestamp)] });
      try {
        expect(await findingsOf(check, { ...well, ETH_RPC_URL: withKey(anvil.url) })).toEqual([
          expect.stringMatching(finding),
        ]);
      } finally {
        await anvil.stop();
      }
    }
  });

  it('signing: a network is halted', async () => {
    await deployment.server.sql(`insert into signing_halt (network, findings, halted_at) values ('ETH', '[]', now())`);
    const [found] = (await reportOf(well)).rows.filter(({ check }) => check === 'signing');
    await deployment.server.sql('delete from signing_halt');
    expect(found).toMatchObject({
      state: 'fault',
      remedy: expect.stringContaining('npm run recover -- --network ETH'),
    });
  });

  it('the keystore: others can read or replace it, its passphrase is another, it is damaged, or it is not needed', async () => {
    const path = well['KEYSTORE_PATH'] ?? '';
    const keys = join(path, '..');
    await chmod(path, 0o640);
    await chmod(keys, 0o777);
    expect(await findingsOf('keystore', well)).toEqual(
      expect.arrayContaining([
        `fault: ${path} can be read by others (mode 640)`,
        `fault: others can replace the keystore: they may write to ${keys}`,
      ]),
    );
    await chmod(path, 0o600);
    await chmod(keys, 0o700);
    const other = { ...well, KEYSTORE_PASSPHRASE: 'another one, quite as long' };
    expect(await findingsOf('keystore', other)).toContain(`fault: The passphrase does not open the keystore ${path}`);
    const whole = await readFile(path, 'utf8');
    await writeFile(path, whole.slice(0, -20));
    expect(await findingsOf('keystore', well)).toContainEqual(
      expect.stringMatching(/^fault: The keystore .* is damaged/),
    );
    await writeFile(path, whole);
    expect(await findingsOf('keystore', { ...well, ROLES: 'api' })).toEqual([
      'fault: this process does not sign, and has the keystore and its passphrase',
    ]);
    expect(await findingsOf('keystore', { ...without(well, ...WITHOUT_KEYS), ROLES: 'signer' })).toEqual([
      'fault: KEYSTORE_PATH is not set: payouts wait',
    ]);
  });

  it('the journal: a line is damaged, or it is missing though the book has transactions', async () => {
    const path = join(well['KEYSTORE_PATH'] ?? '', '..', 'journal-ETH-20260101T000000Z-0123456789ab.jsonl');
    await writeFile(path, 'not a line of it\n', { mode: 0o600 });
    expect(await findingsOf('journal', well)).toEqual([`fault: The signer's journal ${path} is damaged in line 1`]);
    await deployment.server.sql(`insert into transfer (id, network, purpose, sender_key, sender_path, recipient_key,
      currency, amount, nonce, gas, max_per_gas, max_cost, raw, tx_hash, status, created_at)
      values ('trf_x', 'POLYGON', 'SWEEP', 'a', 'HOT', 'b', 'POL', 1, 0, 1, 1, 1, '0x', '0x', 'CONFIRMED', now())`);
    const polygon = { POLYGON_RPC_URL: deployment.anvil.url, POLYGON_CHAIN_ID: '31338', POLYGON_POL_NETWORK_FEE: '0' };
    expect(await findingsOf('journal', { ...well, ...polygon })).toContainEqual(
      expect.stringMatching(/^fault: that of POLYGON is not in .*, and its book has transactions/),
    );
    await deployment.server.sql(`delete from transfer where id = 'trf_x'`);
  });

  it('the public address: nobody answers, no one trusts its certificate, or it is of somebody else', async () => {
    const closed = await findFreePort();
    expect(await findingsOf('base-url', { ...well, BASE_URL: `https://localhost:${closed}` })).toEqual([
      expect.stringMatching(/^fault: .* does not answer from here: .*ECONNREFUSED/),
    ]);
    expect(await findingsOf('base-url', without(well, 'NODE_EXTRA_CA_CERTS'))).toEqual([
      expect.stringMatching(/^fault: the certificate of .* is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT$/),
    ]);
    const behind = { ...without(well, 'TLS_CERT_PATH', 'TLS_KEY_PATH'), TRUST_PROXY: '127.0.0.1' };
    expect(await findingsOf('base-url', { ...behind, BASE_URL: well['BASE_URL'] + '/elsewhere' })).toEqual([
      expect.stringMatching(/^fault: .* answers HTTP 404 to /),
    ]);
  });

  it('the certificate: it has ended, or is for another name', async () => {
    const key = join(deployment.folder, 'receiver-key.pem');
    const certificate = join(deployment.folder, 'receiver.pem');
    await writeFile(key, RECEIVER_KEY, { mode: 0o644 });
    const env = { ...well, TLS_KEY_PATH: key, TLS_CERT_PATH: certificate };
    await writeFile(certificate, EXPIRED_CERTIFICATE);
    expect(await findingsOf('certificate', env)).toEqual([
      'fault: TLS_CERT_PATH ended on 2021-01-01',
      'fault: TLS_CERT_PATH is not for localhost',
      'warning: TLS_KEY_PATH can be read by everyone here',
    ]);
    await writeFile(certificate, RECEIVER_CERTIFICATE);
    await chmod(key, 0o600);
    expect(await findingsOf('certificate', env)).toEqual(['fault: TLS_CERT_PATH is not for localhost']);
  });

  it('Redis: it is away', async () => {
    expect(await findingsOf('redis', { ...well, REDIS_URL: 'redis://127.0.0.1:1' })).toEqual([
      expect.stringMatching(/^fault: cannot be reached: .*ECONNREFUSED/),
    ]);
  });
});

it('what it reads changes nothing: the database and the chain are as they were', async () => {
  await program.kill();
  const state = async () => {
    const counted = await deployment.server.sql<{ writes: string }>(
      'select sum(n_tup_ins + n_tup_upd + n_tup_del)::text as writes from pg_stat_user_tables',
    );
    const rpc = createRpc({ network: 'ETH', url: deployment.anvil.url, timeoutMs: 60_000 });
    return { counted, block: await rpc.call('eth_blockNumber', []) };
  };
  // Statistics arrive a moment after the sessions that made them have ended.
  const settled = async () => {
    let before = await state();
    return until(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const now = await state();
      const isSame = JSON.stringify(now) === JSON.stringify(before);
      before = now;
      return isSame ? now : null;
    });
  };
  const before = await settled();
  await reportOf(well);
  expect(await settled()).toEqual(before);
});
