// Reads the configuration from environment variables, here only. Every bad or missing variable is reported at once, by
// name.

import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { readCells, type CellsConfig } from './cells.ts';
import { readDatabase, type DatabaseConfig } from './database.ts';
import { readMail, type MailConfig } from './mail.ts';
import { readNetworks, readSandboxNetworks, type NetworkConfig } from './networks.ts';
import { readOidc, type OidcConfig } from './oidc.ts';
import { readOperators, readRanges, type OperatorsConfig } from './operators.ts';
import { readPages, type PagesConfig } from './pages.ts';
import { readPayouts, type PayoutConfig } from './payouts.ts';
import { readRateLimit, type RateLimitConfig } from './rate-limit.ts';
import { readRates, type RatesConfig } from './rates.ts';
import { readPeople, type PeopleConfig } from './registration.ts';
import { createReader, type Reader, type Source } from './reader.ts';
import { readRetention, type RetentionConfig } from './retention.ts';
import { readTracing, type TracingConfig } from './tracing.ts';
import { NETWORK_CODES, type Network } from '../values/assets.ts';
import { isAddressRange } from '../values/internet/address-list.ts';
import { isGuessable, PUBLISHED_XPUBS } from '../values/secrets/unsafe-secrets.ts';

export type { NetworkConfig };

export type Environment = 'sandbox' | 'live';
export const ROLES = ['api', 'observer', 'dispatcher', 'mailer', 'signer'] as const;
export type Role = (typeof ROLES)[number];

/** What the files beside this one read. */
type Parts = CellsConfig &
  DatabaseConfig &
  MailConfig &
  OidcConfig &
  OperatorsConfig &
  PagesConfig &
  PayoutConfig &
  PeopleConfig &
  RetentionConfig;

export interface Config extends Parts {
  readonly environment: Environment;
  readonly roles: ReadonlySet<Role>;
  readonly host: string;
  readonly port: number;
  /** Port for health and metrics in a process without the api role; null: not served. */
  readonly metricsPort: number | null;
  readonly baseUrl: string;
  readonly payUrl: string;
  /** Absolute path of the embedded database, the development chains and the sandbox's secrets. */
  readonly dataDir: string;
  /** At least 32 characters; null: the sandbox creates one and keeps it in `dataDir`. */
  readonly secret: string | null;
  /** Keys for access tokens instead of `secret`, the current one first; tokens signed with the others stay valid. */
  readonly tokenSecrets: readonly string[];
  readonly tls: { readonly certPath: string; readonly keyPath: string } | null;
  /** Addresses and CIDR ranges of proxies whose X-Forwarded-* headers are trusted. */
  readonly trustProxy: readonly string[];
  readonly networks: ReadonlyMap<Network, NetworkConfig>;
  /** Networks that the sandbox runs its own chain for. */
  readonly sandboxNetworks: readonly Network[];
  /** Required confirmations that differ from the network's default. */
  readonly confirmations: ReadonlyMap<Network, number>;
  /** The encrypted keystore of the signer role, in live. */
  readonly keystore: { readonly path: string; readonly passphrase: string } | null;
  /** The folder of the signer's journal: that of its keystore, in the sandbox the data folder, or another one. */
  readonly journalDir: string;
  readonly anvilPath: string | null;
  readonly tokenTtlSeconds: number;
  /** Limit on a merchant's keys, not counting revoked ones. */
  readonly apiKeysMax: number;
  readonly rates: RatesConfig;
  /** Unpaid quotes of a merchant that were made without a token. */
  readonly checkoutOpenLimit: number;
  readonly webhookRetryDelaysSeconds: readonly number[];
  readonly webhookAllowPrivate: boolean;
  /** An endpoint that has failed for this many days is disabled. */
  readonly webhookDisableAfterDays: number;
  /** Redis for rate limits shared by all processes; null: each process counts for itself. */
  readonly redisUrl: string | null;
  /** How long a call waits for Redis, in milliseconds. */
  readonly redisTimeoutMs: number;
  readonly rateLimit: RateLimitConfig;
  /** Open connections per address, IPv6 by /64; 0: no limit. */
  readonly connectionsPerAddress: number;
  /** Web sockets and event streams without a token per address; 0: no limit. */
  readonly socketsPerAddress: number;
  /** How long the process drains before it stops: it says that it goes, and still answers; 0: not at all. */
  readonly shutdownGraceSeconds: number;
  readonly logLevel: string;
  /** Where traces are sent to; null: there are none. */
  readonly tracing: TracingConfig | null;
  /** Whether /docs and GraphiQL are served. */
  readonly apiDocs: boolean;
  readonly graphqlIntrospection: boolean;
  /** Addresses and CIDR ranges that webhooks come from, shown on /docs. */
  readonly webhookSourceIps: readonly string[];
}

/** Thrown with one line per faulty variable. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const DEFAULT_RETRY_DELAYS = '60,300,900,3600,10800,21600,43200,86400,86400';

/** Reads the whole configuration. Throws `ConfigError` with every fault. */
export function readConfig(source: Source = process.env): Config {
  const read = createReader(source);
  const environment = read.oneOf('TURNPIKE_ENV', ['sandbox', 'live'] as const, 'sandbox');
  const live = environment === 'live';
  const roles = readRoles(read);
  const port = read.integer('PORT', 3000, 0, 65_535);
  const tls = readTls(read);
  const baseUrl = read.url('BASE_URL', `${tls ? 'https' : 'http'}://localhost:${port}`);
  const networks = readNetworks(read, live);
  const sandboxNetworks = live ? [] : readSandboxNetworks(read, networks);
  const apiDocs = read.boolean('API_DOCS', !live);
  const dataDir = resolve(read.text('DATA_DIR', './.turnpike').replace(/^~(?=\/|$)/, homedir()));
  const keystore = readKeystore(read);
  const config: Config = {
    ...{ environment, roles },
    host: read.text('HOST', 'localhost'),
    port,
    metricsPort: read.optional('METRICS_PORT') === null ? null : read.integer('METRICS_PORT', 0, 1, 65_535),
    baseUrl,
    payUrl: read.url('PAY_URL', `${baseUrl}/pay`),
    dataDir,
    ...readDatabase(read, live),
    secret: read.secret('TURNPIKE_SECRET', live),
    tokenSecrets: readTokenSecrets(read),
    tls,
    trustProxy: readTrustProxy(read, live),
    ...{ ...readPages(read, live), ...readMail(read), ...readOidc(read, live) },
    networks,
    ...readCells(read),
    sandboxNetworks,
    confirmations: readConfirmations(read),
    ...readPayouts(read, networks, live),
    keystore,
    journalDir: read.text('JOURNAL_DIR', keystore === null ? dataDir : dirname(keystore.path)),
    anvilPath: read.optional('ANVIL_PATH'),
    tokenTtlSeconds: read.integer('TOKEN_TTL_SECONDS', 86_400, 60, 31 * 86_400),
    ...{ ...readPeople(read, { live, isRequired: live && roles.has('api') }), ...readOperators(read, live) },
    apiKeysMax: read.integer('API_KEYS_MAX', 100, 1, 100_000),
    rates: readRates(read, live),
    checkoutOpenLimit: read.integer('CHECKOUT_OPEN_LIMIT', 5_000, 1, 10_000_000),
    webhookRetryDelaysSeconds: readDelays(read),
    webhookAllowPrivate: read.boolean('WEBHOOK_ALLOW_PRIVATE', !live),
    webhookDisableAfterDays: read.integer('WEBHOOK_DISABLE_AFTER_DAYS', 5, 1, 365),
    ...readRetention(read),
    redisUrl: read.redisUrl('REDIS_URL'),
    redisTimeoutMs: read.integer('REDIS_TIMEOUT_MS', 250, 10, 60_000),
    rateLimit: readRateLimit(read),
    connectionsPerAddress: read.integer('CONNECTIONS_PER_ADDRESS', 1_000, 0, 1_000_000),
    socketsPerAddress: read.integer('SOCKETS_PER_ADDRESS', 200, 0, 1_000_000),
    shutdownGraceSeconds: read.integer('SHUTDOWN_GRACE_SECONDS', 0, 0, 3_600),
    logLevel: read.oneOf('LOG_LEVEL', LOG_LEVELS, live ? 'info' : 'warn'),
    tracing: readTracing(read),
    apiDocs,
    graphqlIntrospection: read.boolean('GRAPHQL_INTROSPECTION', apiDocs || !live),
    webhookSourceIps: readRanges(read, 'WEBHOOK_SOURCE_IPS'),
  };
  if (live) refuseUnsafeLive(read, config, source);
  if (read.faults.length > 0) throw new ConfigError(read.faults);
  return config;
}

function readRoles(read: Reader): Set<Role> {
  const names = read.list('ROLES');
  for (const name of names) {
    if (!ROLES.some((role) => role === name)) read.fault('ROLES', `must be some of ${ROLES.join(', ')}, not "${name}"`);
  }
  return new Set(names.length > 0 ? ROLES.filter((role) => names.includes(role)) : ROLES);
}

function readTls(read: Reader): Config['tls'] {
  const certPath = read.optional('TLS_CERT_PATH');
  const keyPath = read.optional('TLS_KEY_PATH');
  if (certPath && keyPath) return { certPath, keyPath };
  if (certPath) read.fault('TLS_KEY_PATH', 'is missing: TLS_CERT_PATH is set, and both are needed');
  if (keyPath) read.fault('TLS_CERT_PATH', 'is missing: TLS_KEY_PATH is set, and both are needed');
  return null;
}

function readConfirmations(read: Reader): Map<Network, number> {
  const configured = NETWORK_CODES.filter((network) => read.optional(`${network}_CONFIRMATIONS`) !== null);
  return new Map(configured.map((network) => [network, read.integer(`${network}_CONFIRMATIONS`, 1, 1, 10_000)]));
}

function readKeystore(read: Reader): Config['keystore'] {
  const path = read.optional('KEYSTORE_PATH');
  const passphrase = read.optional('KEYSTORE_PASSPHRASE');
  if (path && passphrase) return { path, passphrase };
  if (path) read.fault('KEYSTORE_PASSPHRASE', 'is missing: KEYSTORE_PATH is set, and both are needed');
  if (passphrase) read.fault('KEYSTORE_PATH', 'is missing: KEYSTORE_PASSPHRASE is set, and both are needed');
  return null;
}

function readDelays(read: Reader): number[] {
  const text = read.text('WEBHOOK_RETRY_DELAYS', DEFAULT_RETRY_DELAYS);
  const delays = text.split(',').map((item) => item.trim());
  const good = delays.every((item) => /^\d{1,7}(\.\d{1,3})?$/.test(item)) && delays.length <= 10;
  if (!good)
    read.fault('WEBHOOK_RETRY_DELAYS', `must be at most ten numbers of seconds, comma-separated, not "${text}"`);
  return good ? delays.map(Number) : [];
}

/**
 * `TOKEN_SECRETS`, comma-separated. To change the key, put the new one first and keep the old for a token's lifetime.
 */
function readTokenSecrets(read: Reader): string[] {
  const secrets = read.list('TOKEN_SECRETS');
  if (secrets.some((secret) => secret.length < 32))
    read.fault('TOKEN_SECRETS', 'must have at least 32 characters each');
  return secrets;
}

/** Named ranges of the library that parses X-Forwarded-For. */
const NAMED_RANGES: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * `TRUST_PROXY`: addresses and CIDR ranges of proxies. Live refuses to trust everyone, because IP allow-lists guard
 * money.
 */
function readTrustProxy(read: Reader, live: boolean): string[] {
  const proxies = read.list('TRUST_PROXY');
  for (const proxy of proxies) {
    if (!isAddressRange(proxy) && !NAMED_RANGES.includes(proxy))
      read.fault('TRUST_PROXY', `must be addresses or CIDR ranges, comma-separated, not "${proxy}"`);
    else if (live && /\/0+$/.test(proxy))
      read.fault(
        'TRUST_PROXY',
        `must name your proxies; ${proxy} trusts everyone, so any caller could forge their address`,
      );
  }
  return proxies;
}

/** Faults for settings that would be unsafe with real money. */
function refuseUnsafeLive(read: Reader, config: Config, source: Source): void {
  if (config.tls === null && config.trustProxy.length === 0)
    read.fault('TRUST_PROXY', 'or TLS_CERT_PATH and TLS_KEY_PATH are required: live serves HTTPS only');
  if (!source['BASE_URL']) read.fault('BASE_URL', 'is required in live: the public https URL of this service');
  else if (!config.baseUrl.startsWith('https://')) read.fault('BASE_URL', 'must be an https URL in live');
  if (!config.payUrl.startsWith('https://') && source['PAY_URL']) read.fault('PAY_URL', 'must be an https URL in live');
  if (config.networks.size === 0) read.fault('ETH_RPC_URL', "or another network's _RPC_URL is required in live");
  if (config.secret !== null) refuseWeakSecret(read, 'TURNPIKE_SECRET', config.secret);
  for (const secret of config.tokenSecrets) refuseWeakSecret(read, 'TOKEN_SECRETS', secret);
  refuseWeakPassphrase(read, config);
  for (const [network, { xpub }] of config.networks) {
    if (xpub !== null && PUBLISHED_XPUBS.has(xpub))
      read.fault(`${network}_XPUB`, 'comes from published recovery words: anyone could take what is paid to it');
  }
}

function refuseWeakSecret(read: Reader, name: string, secret: string): void {
  if (isGuessable(secret))
    read.fault(name, 'can be guessed: use at least 32 random characters, for example from `openssl rand -base64 48`');
}

function refuseWeakPassphrase(read: Reader, { keystore }: Config): void {
  if (keystore === null) return;
  const { passphrase } = keystore;
  if (passphrase.length < 12) read.fault('KEYSTORE_PASSPHRASE', 'must have at least 12 characters');
  else if (isGuessable(passphrase)) read.fault('KEYSTORE_PASSPHRASE', 'can be guessed');
}
