// The tests run as tsc emitted them: what is tested is what ships.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { bundlePackages } from './dist/test/support/jest/bundled-packages.js';
import { CLIENTS, LIGHTHOUSE, SLOW, SYSTEM } from './scripts/suites.js';

const folders = (names) => names.map((folder) => `<rootDir>/dist/test/${folder}/`);
const SUITES = { system: SYSTEM, slow: SLOW, clients: CLIENTS, lighthouse: LIGHTHOUSE };
const suite = process.env.TEST_SUITE;
if (suite in SUITES && !existsSync(new URL('test/node_modules', import.meta.url)))
  throw new Error('These tests need packages of their own: npm ci --prefix test');

const isByName = process.argv.slice(2).some((argument) => !argument.startsWith('-'));

function selectTests() {
  if (suite in SUITES)
    return { roots: folders(SUITES[suite]), testPathIgnorePatterns: suite === 'system' ? folders(SLOW) : [] };
  const others = folders(Object.values(SUITES).flat());
  return { roots: ['<rootDir>/dist/test'], testPathIgnorePatterns: isByName ? [] : others };
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
