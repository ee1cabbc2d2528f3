// The tests run as tsc emitted them: what is tested is what ships.
import { availableParallelism } from 'node:os';
import { bundlePackages } from './dist/test/support/jest/bundled-packages.js';

const folders = (names) => names.map((folder) => `<rootDir>/dist/test/${folder}/`);

/**
 * Folders of system tests: those that start gateways, nodes, servers, programs or browsers, and what holds for
 * every row of the API. They take most of the time, so they run with `npm run test:system`; `npm test -- NAME` finds
 * them as well.
 */
const SYSTEM = folders([
  ...['cli', 'custody', 'docs', 'examples', 'gateway', 'observe', 'sandbox', 'server', 'web'],
  ...['cli-client', 'sdk/conformance', 'sdk/packages'],
  ...['api/errors', 'api/every-endpoint', 'database/replicas'],
  ...['chain/contract', 'chain/pool', 'chain/solana', 'chain/tron', 'chain/utxo'],
]);

/**
 * What takes minutes or needs containers, proxies, standbys, Prometheus or WordPress: `npm run test:slow`, which is a
 * part of .ci/slow. Kills and restores on each kind of chain are among them, plans on long histories, and histories on
 * hostile chains, which `npm run property` runs in numbers.
 */
const SLOW = folders([
  ...['operations', 'plugins', 'database/queries/plans'],
  ...['custody/hostile', 'custody/kills', 'custody/recovery/restored'],
]);

/**
 * Clients made of our documents, and what contributors' tools check and generate. Both need packages of their own: npm
 * ci --prefix test/clients, npm ci --prefix tools.
 */
const CLIENTS = folders(['clients', 'tools']);

/** Lighthouse, by itself and with a package of its own: npm ci --prefix test/lighthouse. */
const LIGHTHOUSE = folders(['lighthouse']);

const isByName = process.argv.slice(2).some((argument) => !argument.startsWith('-'));

function selectTests() {
  if (process.env.TEST_SUITE === 'system') return { roots: SYSTEM, testPathIgnorePatterns: SLOW };
  if (process.env.TEST_SUITE === 'slow') return { roots: SLOW };
  if (process.env.TEST_SUITE === 'clients') return { roots: CLIENTS };
  if (process.env.TEST_SUITE === 'lighthouse') return { roots: LIGHTHOUSE };
  return {
    roots: ['<rootDir>/dist/test'],
    testPathIgnorePatterns: isByName ? [] : [...SYSTEM, ...SLOW, ...CLIENTS, ...LIGHTHOUSE],
  };
}

export default {
  ...selectTests(),
  testMatch: ['**/*.test.js'],
  transform: {},
  moduleNameMapper: await bundlePackages(),
  // For what hangs: how long a test takes is the machine's affair.
  testTimeout: 300_000,
  // A promise that is waited for after another may be refused before its turn has come. Without this a test that ends
  // within the same turn of the event loop fails for a refusal that it has met: which of two comes first is the
  // machine's business.
  waitForUnhandledRejections: true,
  // Tests wait for PostgreSQL, nodes and browsers about as long as they compute, so there is one worker more than
  // cores; more than this only crowd the cluster.
  maxWorkers: Math.min(4, availableParallelism() + 1),
  testSequencer: '<rootDir>/dist/test/support/jest/sequencer.js',
  // One PostgreSQL cluster for all; each test file has a database of its own on it.
  globalSetup: '<rootDir>/dist/test/support/jest/global-setup.js',
  globalTeardown: '<rootDir>/dist/test/support/jest/global-teardown.js',
};
