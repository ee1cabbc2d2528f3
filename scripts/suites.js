// The suites of tests, by folders or files below test/: for jest, and for the build, which leaves out what needs
// packages of its own where they are not installed.

/**
 * System tests: those that start gateways, nodes, servers, programs or browsers, what holds for every row of the API,
 * and what reads the sources as a compiler does. They take most of the time, so they run with `npm run test:system`;
 * `npm test -- NAME` finds them as well. Their packages are apart: npm ci --prefix test.
 */
export const SYSTEM = [
  ...['architecture', 'support/story', 'sdk/typescript'],
  ...['cli', 'custody', 'docs', 'examples', 'gateway', 'observe', 'sandbox', 'server', 'web'],
  ...['cli-client', 'sdk/conformance', 'sdk/packages'],
  ...['api/errors', 'api/every-endpoint', 'database/replicas'],
  ...['chain/contract', 'chain/pool', 'chain/solana', 'chain/tron', 'chain/utxo'],
];

/**
 * What takes minutes or needs containers, proxies, standbys, Prometheus or WordPress: `npm run test:slow`, which is a
 * part of .ci/slow. Kills and restores on each kind of chain are among them, plans on long histories, and histories on
 * hostile chains, which `npm run property` runs in numbers.
 */
export const SLOW = [
  ...['operations', 'plugins', 'database/queries/plans'],
  ...['custody/hostile', 'custody/kills', 'custody/recovery/restored'],
];

/**
 * Clients made of our documents, and what contributors' tools check and generate. Both need packages of their own: npm
 * ci --prefix test/clients, npm ci --prefix tools.
 */
export const CLIENTS = ['clients', 'tools'];

/** Lighthouse, by itself and with a package of its own: npm ci --prefix test/lighthouse. */
export const LIGHTHOUSE = ['lighthouse'];
