// `npm run merchant` as operators run it: an account where registration is closed, and a new password for an owner who
// lost theirs.

import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, newEmail, newMerchant, rest, type Answer, type Json } from '../support/clients.ts';
import { FAST_START_VARIABLES } from '../support/jest/fast-start-variables.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../support/expectations.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';

const PROGRAM = fileURLToPath(new URL('../../src/cli/merchant.js', import.meta.url));
const OLD = 'three green lamps, unlit';
const NEW = 'four red lamps, lit';

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let database: TestDatabase;
let gateway: TestGateway;
let email: string;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway({ DATABASE_URL: database.url });
  email = newEmail();
  const registration = { email, companyName: 'Shop', password: OLD };
  dataOf(await rest(gateway)('POST', '/merchant/register', registration), 201);
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

/** Runs the program to its end on a gateway's database. */
function merchant(args: readonly string[], input = '', face = gateway): Promise<Run> {
  const { databaseUrl, dataDir } = face.config;
  const env = { ...FAST_START_VARIABLES, DATABASE_URL: databaseUrl ?? '', DATA_DIR: dataDir };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...args], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
    child.stdin?.end(input);
  });
}

/** Runs it at a terminal (util-linux's `script`) and types a line at each question; returns what the screen showed. */
function merchantAtTerminal(args: readonly string[], typed: readonly string[]): Promise<Run> {
  const env = { PATH: process.env['PATH'], DATABASE_URL: database.url, DATA_DIR: gateway.config.dataDir };
  const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
  return new Promise((resolve, reject) => {
    const child = spawn('script', ['-q', '-e', '-c', command, '/dev/null'], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = [...typed];
    let out = '';
    child.once('error', reject);
    child.stdout.on('data', (chunk: Buffer) => {
      out += String(chunk);
      const isAsked = out.split(': ').length - 1 > typed.length - lines.length;
      if (isAsked && lines.length > 0) child.stdin.write(`${String(lines.shift())}\r`);
    });
    child.once('close', (code) => resolve({ code: code ?? -1, out, err: '' }));
  });
}

const LOGIN = 'mutation ($e: String!, $p: String!) { login(email: $e, password: $p) { accessToken } }';
const login = (password: string): Promise<Answer> => graphql(gateway)(LOGIN, { e: email, p: password });
const tokenOf = ({ body }: Answer): string => body.data.login.accessToken;

describe('reset-password', () => {
  it('sets the password that it is given, ends every session within a second, and is in the audit log', async () => {
    const sessions = [tokenOf(await login(OLD)), tokenOf(await login(OLD))];
    const { code, out, err } = await merchant(['reset-password', email.toUpperCase()], `${NEW}\n`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/is changed; sessions ended: 2\n$/);
    expect(out).not.toContain(NEW);

    for (const session of sessions) {
      const refused = () => graphql(gateway, session)('{ sessions { id } }');
      await until(async () => (await refused()).status === 401, 1_000);
      expectGraphQLError(await refused(), 401, 'UNAUTHENTICATED', '1002');
    }
    expectGraphQLError(await login(OLD), 200, 'UNAUTHENTICATED', '1005');
    const owner = graphql(gateway, tokenOf(await login(NEW)));
    const { data } = (await owner('{ auditLog(first: 5) { nodes { action actor target details } } }')).body;
    const resets = (data.auditLog.nodes as Json[]).filter(({ action }) => action === 'PASSWORD_RESET');
    expect(resets).toEqual([
      {
        ...{ action: 'PASSWORD_RESET', actor: 'operator', target: expect.stringMatching(/^usr_/) },
        details: { endedSessions: 2 },
      },
    ]);
    const stored = await gateway.sql('select * from audit_log');
    expect(JSON.stringify(stored)).not.toContain(NEW);
  });

  it('--generate makes one that works, and shows it once', async () => {
    const { code, out } = await merchant(['reset-password', email, '--generate']);
    expect(code).toBe(0);
    const password = /^ {2}(\S{24})$/m.exec(out)?.[1] ?? '';
    expect(tokenOf(await login(password))).toMatch(/^ey/);
  });

  it('gives a password to the merchant of a sandbox, who had none', async () => {
    ({ email } = await newMerchant(gateway));
    expect((await merchant(['reset-password', email], NEW)).code).toBe(0);
    expect(tokenOf(await login(NEW))).toMatch(/^ey/);
  });

  it.each(['short', '', 'password123', 'x'.repeat(129)])('refuses %j, and changes nothing', async (password) => {
    const { code, err } = await merchant(['reset-password', email], password);
    expect(code).toBe(2);
    expect(err).toMatch(/^The password (must have 8 to 128 characters|is one of the most common passwords)\n$/);
    expect(tokenOf(await login(NEW))).toMatch(/^ey/);
  });

  it('at a terminal asks twice, shows nothing of it, and changes nothing where the two differ', async () => {
    const typed = 'six blue lamps, broken';
    const differing = await merchantAtTerminal(['reset-password', email], [typed, `${typed}!`]);
    expect(differing.code).toBe(2);
    expect(differing.out).toMatch(/^New password: \r\nOnce more: \r\nThey are not the same; nothing is changed/);
    expectGraphQLError(await login(typed), 200, 'UNAUTHENTICATED', '1005');
    const same = await merchantAtTerminal(['reset-password', email], [typed, typed]);
    expect(same).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^New password: \r\nOnce more: \r\n.* is changed/),
    });
    expect(tokenOf(await login(typed))).toMatch(/^ey/);
  });

  it('says so where there is nobody', async () => {
    const { code, err } = await merchant(['reset-password', 'nobody@example.com'], NEW);
    expect({ code, err }).toEqual({
      code: 2,
      err: 'There is nobody with the e-mail address nobody@example.com\n',
    });
  });

  it.each([
    [],
    ['add'],
    ['add', 'a@b.co'],
    ['add', '--company', 'A'],
    ['reset-password', 'a@b.co', '--company', 'A'],
    ['reset-password'],
    ['reset-password', 'a@b.co', '--force'],
    ['remove', 'a@b.co'],
  ])('%j: says what there is', async (...args: string[]) => {
    const { code, err } = await merchant(args);
    expect(code).toBe(2);
    expect(err).toMatch(/^npm run merchant -- COMMAND/);
  });
});

describe('add', () => {
  let closed: TestGateway;
  beforeAll(async () => {
    closed = await startTestGateway({ REGISTRATION: 'closed' });
  });
  afterAll(() => closed.stop());

  const add = (args: readonly string[], input = '') => merchant(['add', ...args], input, closed);
  const loginTo = (face: TestGateway, address: string, password: string): Promise<Answer> =>
    graphql(face)(
      'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }',
      { email: address, password },
    );

  it('makes a merchant where registration is closed, who signs in and makes their first key', async () => {
    const address = newEmail();
    const registration = { email: address, companyName: 'Kettle & Co', password: NEW };
    expectRefusal(await rest(closed)('POST', '/merchant/register', registration), 403, '1011');
    const { code, out, err } = await add([address.toUpperCase(), '--company', 'Kettle & Co'], `${NEW}\n`);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/ is added \(mer_[0-9a-z]+\)\n$/);
    expect(out).not.toContain(NEW);
    const token = tokenOf(await loginTo(closed, address, NEW));
    const { body } = await graphql(
      closed,
      token,
    )('{ settings { companyName } apiKeys { keyId } auditLog { nodes { action actor } } }');
    expect(body.data).toMatchObject({ settings: { companyName: 'Kettle & Co' }, apiKeys: [] });
    expect(body.data.auditLog.nodes).toContainEqual({ action: 'MERCHANT_ADDED', actor: 'operator' });
    dataOf(
      await rest(closed, token)('POST', '/merchant/api-keys', { name: 'Till', permissions: ['READ_PAYMENTS'] }),
      201,
    );
  });

  it('--from makes it known where they will sign in from, however many guess meanwhile; what is no address is refused', async () => {
    const address = newEmail();
    const known = async () => (await closed.sql('select from sign_in_address')).length;
    const before = await known();
    const named = await add([address, '--company', 'Shop', '--from', '198.51.100.7'], NEW);
    expect(named).toMatchObject({ code: 0, err: '' });
    expect(await known()).toBe(before + 1);
    const wrong = await add([newEmail(), '--company', 'Shop', '--from', 'home'], NEW);
    expect(wrong).toMatchObject({ code: 2, err: 'home is no IP address\n' });
  });

  it('--generate makes a password that works, and shows it once', async () => {
    const address = newEmail();
    const { code, out } = await add([address, '--company', 'Shop', '--generate']);
    expect(code).toBe(0);
    expect(tokenOf(await loginTo(closed, address, /^ {2}(\S{24})$/m.exec(out)?.[1] ?? ''))).toMatch(/^ey/);
  });

  it('refuses an address that is taken or none, a company without a name and a weak password, and adds nobody', async () => {
    const taken = newEmail();
    await add([taken, '--company', 'Shop', '--generate']);
    const count = async () => (await closed.sql('select from merchant')).length;
    const before = await count();
    const refused: readonly (readonly [args: readonly string[], input: string, said: RegExp])[] = [
      [[taken, '--company', 'Shop'], NEW, /^This e-mail address is already registered\n$/],
      [['nobody', '--company', 'Shop'], NEW, /^The e-mail address must be/],
      [[newEmail(), '--company', ''], NEW, /^The name of the company must/],
      [[newEmail(), '--company', 'Shop'], 'short', /^The password must have 8 to 128 characters\n$/],
      [[newEmail(), '--company', 'Shop'], '', /^The password must have 8 to 128 characters\n$/],
    ];
    for (const [args, input, said] of refused) {
      const { code, err } = await add(args, input);
      expect(code).toBe(2);
      expect(err).toMatch(said);
    }
    expect(await count()).toBe(before);
  });
});
