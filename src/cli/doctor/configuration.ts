// Checks the configuration as a start does, and how strong its secrets are.

import { ConfigError } from '../../config/config.ts';
import { checkColdAddressesAreForeign, checkDeployment } from '../../gateway/check-deployment.ts';
import { isGuessable } from '../../values/secrets/unsafe-secrets.ts';
import type { Examination } from './examination.ts';
import { fault, orOk, warning, type Finding } from './finding.ts';

export const HOW_TO_SET = 'change it in the variables of the process; README.md has them all';

export async function checkConfiguration({ config, db, schema }: Examination): Promise<Finding[]> {
  const faults = await faultsOf(checkDeployment(config));
  if (db && schema && schema.version > 0) faults.push(...(await faultsOf(checkColdAddressesAreForeign(config, db.em))));
  const networks = [...config.networks.keys(), ...config.sandboxNetworks];
  return orOk(
    faults.map((text) => fault(text, HOW_TO_SET)),
    networks.length === 0 ? 'every variable is right; no network' : `every variable is right; ${networks.join(', ')}`,
  );
}

/** The faults of a check that throws them. */
async function faultsOf(check: Promise<void>): Promise<string[]> {
  try {
    await check;
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.faults];
    throw error;
  }
}

interface Secret {
  readonly name: string;
  readonly value: string;
}

/** What `openssl rand -base64 48` makes has more than 300 bits, and 32 hexadecimal digits have 128. */
const LEAST_BITS = 100;
const LEAST_PASSWORD = 12;
const NEW_SECRET = 'make another one, for example with `openssl rand -base64 48`; see docs/operations/secrets.md';

export async function checkSecrets({ config }: Examination): Promise<Finding[]> {
  const { secret, tokenSecrets, keystore, databaseUrl, databaseDirectUrl, redisUrl } = config;
  const keys: Secret[] = [
    ...(secret === null ? [] : [{ name: 'TURNPIKE_SECRET', value: secret }]),
    ...tokenSecrets.map((value, index) => ({ name: `TOKEN_SECRETS, number ${String(index + 1)}`, value })),
  ];
  const passphrase = keystore === null ? [] : [{ name: 'KEYSTORE_PASSPHRASE', value: keystore.passphrase }];
  const passwords = [
    ...passwordIn('DATABASE_URL', databaseUrl),
    ...passwordIn('DATABASE_DIRECT_URL', databaseDirectUrl),
    ...passwordIn('REDIS_URL', redisUrl),
  ];
  const all = [...keys, ...passphrase, ...passwords];
  return orOk(
    [
      ...keys.map(judgeKey),
      ...passwords.map(judgePassword),
      ...findShared(passphrase, [...keys, ...passwords]),
      ...findShared(keys, passwords),
      tokenSecrets.length > 2
        ? warning(
            `TOKEN_SECRETS has ${String(tokenSecrets.length)} entries`,
            'leave out those that have been replaced for longer than a token lives (TOKEN_TTL_SECONDS)',
          )
        : null,
    ],
    all.length === 0 ? 'the sandbox makes its own' : `${String(all.length)} secrets, none of them weak or used twice`,
  );
}

/** The password in a URL, if it has one. */
function passwordIn(name: string, url: string | null): Secret[] {
  if (url === null || !URL.canParse(url)) return [];
  const { password } = new URL(url);
  return password === '' ? [] : [{ name: `the password in ${name}`, value: decodeURIComponent(password) }];
}

function judgeKey({ name, value }: Secret): Finding | null {
  if (isGuessable(value)) return warning(`${name} can be guessed`, NEW_SECRET);
  return bitsOf(value) < LEAST_BITS ? warning(`${name} does not look random`, NEW_SECRET) : null;
}

function judgePassword({ name, value }: Secret): Finding | null {
  if (value.length >= LEAST_PASSWORD && !isGuessable(value)) return null;
  return warning(`${name} is short or can be guessed`, NEW_SECRET);
}

/** Secrets that are one and the same: one that leaks takes the other with it. */
function findShared(some: readonly Secret[], others: readonly Secret[]): Finding[] {
  return some.flatMap(({ name, value }) =>
    others.filter((other) => other.value === value).map((other) => fault(`${name} is also ${other.name}`, NEW_SECRET)),
  );
}

/** By how often each of its characters occurs (Shannon). */
export function bitsOf(text: string): number {
  const counts = Map.groupBy(text, (character) => character);
  const shares = [...counts.values()].map(({ length }) => length / text.length);
  return -text.length * shares.reduce((sum, share) => sum + share * Math.log2(share), 0);
}
