// npm run merchant: adds a merchant when registration is closed, and resets a person's password.

import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { hashPassword } from '../access/passwords.ts';
import { readConfig, type Config } from '../config/config.ts';
import { createDatabaseClock } from '../database/clock.ts';
import type { Deps } from '../domain/deps.ts';
import { addMerchant } from '../domain/people/register.ts';
import { findByEmail, resetPassword } from '../domain/people/passwords.ts';
import { startDirectory } from '../gateway/cells/open-directory.ts';
import type { Stops } from '../gateway/lifecycle.ts';
import { createSignInAttempts } from '../domain/merchants/sign-in-attempts.ts';
import { ownCell } from '../values/cells/own-cell.ts';
import * as checks from '../values/checks.ts';
import { GatewayError } from '../values/errors.ts';
import { canonicalIp } from '../values/internet/ip-range.ts';
import { deriveSecrets } from '../values/secrets/keys.ts';
import { askPassword } from './ask-password.ts';
import { findSecret } from './database-url.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `npm run merchant -- COMMAND

  add EMAIL --company NAME  adds a merchant, whether or not registration is open; they sign in with the password and
                            create their API keys in the console
  reset-password EMAIL      sets a new password for the person with this e-mail address, and ends all their sessions

--from ADDRESS is the IP address they will sign in from: they can sign in there even while others guess passwords.
The password is read from the terminal or from the first line of standard input. --generate creates one and shows it once.
API keys are not changed. First make sure that the request comes from the owner: this program cannot tell.
`;

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Runs `work` on the gateway's database, and with the directory of cells, if there is one. */
async function onBook(
  work: (deps: Pick<Deps, 'db' | 'clock' | 'directory'>, config: Config) => Promise<void>,
): Promise<void> {
  const config = readConfig();
  await withDatabase(config, async (db) => {
    const stops: Stops = [];
    const directory = await startDirectory({ ...config, cell: ownCell()?.cell ?? null }, { log: quiet, stops });
    try {
      await work({ db, clock: await createDatabaseClock(db.em), ...(directory && { directory }) }, config);
    } finally {
      for (const stop of stops) await stop();
    }
  });
}

const quiet = pino({ level: 'error' }, pino.destination(2));

/** Chooses a password and hashes it. Throws if it is too weak. */
async function choosePassword(generate: boolean): Promise<{ readonly password: string; readonly hash: string }> {
  const password = generate ? randomBytes(18).toString('base64url') : await askPassword();
  const fault = checks.strongPassword(password);
  if (fault !== null || !checks.isStorable(password)) throw new Error(`The password ${fault ?? 'is not valid text'}`);
  return { password, hash: await hashPassword(password) };
}

const showPassword = (password: string) =>
  say(`The password is shown only once; change it after signing in:\n\n  ${password}\n`);

interface Options {
  /** Whether to generate the password. */
  readonly generate: boolean;
  /** The address that the owner will sign in from. */
  readonly from: string | undefined;
}

/** Registers an address that the owner has not signed in from yet. */
async function registerAddress(
  deps: Pick<Deps, 'db' | 'clock'>,
  config: Config,
  email: string,
  from: string,
): Promise<void> {
  const secrets = deriveSecrets(await findSecret(config));
  await createSignInAttempts({ ...deps, secrets }, { byAddress: true, asksMail: false }).rememberAddress({
    email,
    ip: from,
  });
}

function requireAddress(from: string | undefined): void {
  if (from !== undefined && canonicalIp(from) === null) throw new Error(`${from} is no IP address`);
}

async function add(email: string, companyName: string, { generate, from }: Options): Promise<void> {
  const faults = [
    ['e-mail address', checks.email(email)] as const,
    ['name of the company', checks.text(200)(companyName)] as const,
  ].filter(([, fault]) => fault !== null);
  for (const [what, fault] of faults) throw new Error(`The ${what} ${fault ?? ''}`);
  requireAddress(from);
  await onBook(async (deps, config) => {
    if (await findByEmail(deps, email)) throw new GatewayError('EMAIL_TAKEN');
    const { password, hash } = await choosePassword(generate);
    const id = await addMerchant(deps, { email, companyName, passwordHash: hash });
    if (from !== undefined) await registerAddress(deps, config, email, from);
    say(`${email} is added (${id})`);
    if (generate) showPassword(password);
  });
}

async function reset(email: string, { generate, from }: Options): Promise<void> {
  requireAddress(from);
  await onBook(async (deps, config) => {
    const person = await findByEmail(deps, email);
    if (!person) throw new Error(`There is nobody with the e-mail address ${email}`);
    const { password, hash } = await choosePassword(generate);
    const ended = await resetPassword(deps, person.personId, hash);
    if (from !== undefined) await registerAddress(deps, config, email, from);
    say(`The password of ${email} (${person.personId}) is changed; sessions ended: ${ended}`);
    if (generate) showPassword(password);
  });
}

/** The command that the arguments name; null if they name none. */
function commandOf(args: readonly string[]): (() => Promise<void>) | null {
  try {
    const text = { type: 'string' } as const;
    const options = { generate: { type: 'boolean', default: false }, company: text, from: text } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [command, email, ...more] = positionals;
    const { generate, company, from } = values;
    const given = { generate, from };
    if (email === undefined || more.length > 0) return null;
    if (command === 'add' && company !== undefined) return () => add(email, company, given);
    return command === 'reset-password' && company === undefined ? () => reset(email, given) : null;
  } catch {
    return null;
  }
}

const run = commandOf(process.argv.slice(2));
if (run === null) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  await run().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  });
}
