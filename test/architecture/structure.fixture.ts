// The structure of the source tree as rules: folders inside a room and what they may import, sizes of folders, import
// cycles, places of tests.

import { posix } from 'node:path';
import type { Source } from '../support/sources.ts';
import { importsOf } from './sources.fixture.ts';

/** The most files of a folder. One with more has a second topic. */
export const MOST_FILES = 18;
/** This many siblings whose names begin alike should be a folder. */
export const ALIKE = 3;
/** Prefixes that are a framework's convention: React's hooks. */
const CONVENTIONS = new Set(['use']);

/**
 * The folders inside each room of src, and the folders of the same room that they may import. Files directly in the
 * room (`.`) are what its folders share or what puts them together: every folder of the room may import them.
 */
export const FOLDERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  chain: { '.': ['evm', 'pool', 'solana', 'tron', 'utxo'], evm: [], pool: [], solana: ['evm'], tron: [], utxo: [] },
  cli: {
    '.': [],
    doctor: ['doctor/provider'],
    'doctor/provider': [],
    ledger: ['wallet'],
    operator: [],
    wallet: [],
  },
  custody: {
    '.': ['account', 'keys', 'transactions', 'utxo', 'witness'],
    keys: [],
    transactions: ['keys'],
    sweeps: ['transactions'],
    witness: ['keys', 'transactions'],
    account: ['keys', 'sweeps', 'transactions'],
    utxo: ['transactions'],
    recovery: ['keys', 'transactions', 'witness'],
  },
  database: {
    '.': ['migrations', 'roles'],
    migrations: [
      'migrations/cells',
      'migrations/customers',
      'migrations/history',
      'migrations/initial-schema',
      'migrations/people',
    ],
    'migrations/cells': [],
    'migrations/customers': [],
    'migrations/history': [],
    'migrations/initial-schema': [],
    'migrations/people': [],
    queries: [],
    replicas: [],
    roles: [],
    'queries/ledger': ['queries', 'queries/payouts', 'queries/rates'],
    'queries/cells': [],
    'queries/chain': ['queries', 'queries/ledger'],
    'queries/control': ['queries'],
    'queries/customers': ['queries'],
    'queries/events': ['queries'],
    'queries/invoices': ['queries', 'queries/chain', 'queries/events'],
    'queries/links': ['queries'],
    'queries/mail': ['queries'],
    'queries/payments': ['queries', 'queries/chain'],
    'queries/payouts': ['queries'],
    'queries/rates': ['queries'],
    'queries/search': ['queries', 'queries/invoices', 'queries/payments', 'queries/payouts'],
    'queries/server': ['queries'],
    'queries/webhooks': ['queries'],
  },
  dispatch: {
    outbox: [],
    subscriptions: [],
    'webhooks/lanes': [],
    webhooks: ['webhooks/lanes'],
  },
  domain: {
    '.': ['assets', 'payments', 'rates', 'snapshots'],
    snapshots: [],
    ledger: ['mail', 'rates'],
    witness: ['ledger'],
    addresses: ['witness'],
    assets: ['ledger'],
    events: ['snapshots'],
    mail: ['snapshots'],
    customers: ['merchants'],
    merchants: ['mail'],
    factors: ['mail', 'merchants'],
    people: ['factors', 'mail', 'merchants'],
    webhooks: ['events', 'merchants'],
    rates: [],
    payments: ['addresses', 'events', 'ledger', 'merchants', 'rates', 'snapshots', 'witness'],
    invoices: ['addresses', 'events', 'merchants', 'payments', 'rates', 'snapshots'],
    links: ['invoices', 'merchants', 'payments', 'rates', 'snapshots'],
    search: ['invoices', 'payments', 'snapshots'],
    payouts: ['events', 'ledger', 'mail', 'merchants', 'payments', 'people', 'snapshots'],
    operator: ['assets', 'customers', 'factors', 'ledger', 'mail', 'merchants', 'payouts', 'people', 'snapshots'],
  },
  gateway: {
    '.': ['cells', 'mail', 'networks', 'provider', 'rates', 'replicas', 'routes'],
    ...{ cells: [], mail: [], networks: [], provider: [], rates: [], replicas: [], routes: [] },
  },
  resolvers: {
    '.': ['fields', 'invoices', 'operation', 'operator', 'payouts', 'people', 'reports', 'types'],
    ...{ operation: [], fields: ['operation'], types: ['operation'], invoices: ['operation', 'types'] },
    operator: ['operation', 'types'],
    payouts: ['operation', 'types'],
    reports: ['operation', 'types'],
    people: ['operation', 'types'],
  },
  mail: { '.': ['languages'], languages: [] },
  rest: { '.': ['routes'], greenfield: [], openapi: ['routes'], routes: [] },
  sandbox: { '.': ['postgres'], evm: [], 'evm/contracts': [], litecoin: [], postgres: [] },
  server: {
    '.': ['admission', 'graphql'],
    admission: [],
    metrics: [],
    pages: ['admission'],
    graphql: ['admission'],
    'graphql/connections': ['admission'],
    'graphql/sse': ['admission', 'graphql', 'graphql/connections'],
    'graphql/ws': ['admission', 'graphql', 'graphql/connections'],
  },
  values: {
    '.': ['cells', 'formats', 'internet', 'secrets'],
    ...{
      cells: [],
      formats: [],
      internet: ['formats'],
      look: [],
      payouts: [],
      prices: [],
      feeds: ['prices'],
      secrets: ['cells'],
    },
  },
};

/** The room of a path in src and its folder there: `src/chain/evm/rpc.ts` → `chain`, `evm`. Null outside of rooms. */
function placeOf(path: string): { room: string; folder: string } | null {
  const [top, room, ...rest] = path.split('/');
  if (top !== 'src' || room === undefined || rest.length === 0) return null;
  return { room, folder: rest.slice(0, -1).join('/') || '.' };
}

/** Imports between folders of a room that the table does not allow, and folders missing from the table. */
export function folderBreaches(sources: readonly Source[], table = FOLDERS): string[] {
  return sources.flatMap((source) => {
    const from = placeOf(source.path);
    if (!from) return [];
    const rows = table[from.room] ?? { '.': [] };
    const row = rows[from.folder];
    if (!row) return [`${source.path}: the folder "${from.folder}" has no row in the table of ${from.room}`];
    return importsOf(source).flatMap(({ target, isFile }) => {
      const to = isFile ? placeOf(target) : null;
      if (to?.room !== from.room || to.folder === from.folder || to.folder === '.' || row.includes(to.folder))
        return [];
      return [`${source.path} imports ${target}; ${from.folder} may import: ${row.join(', ') || 'no other folder'}`];
    });
  });
}

/** Import cycles, `import type` included, each as its files sorted by name. */
export function circles(sources: readonly Source[]): string[][] {
  const known = new Set(sources.map(({ path }) => path));
  const edges = new Map(
    sources.map((source) => {
      const targets = importsOf(source).map(({ target }) => target.replace(/\.js$/, '.ts'));
      return [source.path, targets.filter((target) => known.has(target))] as const;
    }),
  );
  const reach = (from: string): Set<string> => {
    const reached = new Set<string>();
    const waiting = [...(edges.get(from) ?? [])];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      waiting.push(...(edges.get(next) ?? []));
    }
    return reached;
  };
  // Only files that reach themselves are in a cycle; files that reach each other are in the same one.
  const reached = new Map([...edges.keys()].map((path) => [path, reach(path)] as const));
  const inCircle = [...reached].filter(([path, all]) => all.has(path)).map(([path]) => path);
  const found = new Map<string, string[]>();
  for (const path of inCircle) {
    const circle = inCircle.filter((other) => reached.get(path)?.has(other) && reached.get(other)?.has(path));
    found.set(circle.join(' '), circle);
  }
  return [...found.values()];
}

/** Folders with too many files, or with too many siblings whose names begin alike; a date is no such beginning. */
export function crowdedFolders(paths: readonly string[]): string[] {
  const folders = Map.groupBy(paths, (path) => posix.dirname(path));
  return [...folders].flatMap(([folder, files]) => {
    const large = files.length > MOST_FILES ? [`${folder} has ${files.length} files; ${MOST_FILES} at most`] : [];
    const names = files.map((file) => posix.basename(file).replace(/\.(test|fixture|property).*$/, ''));
    const alike = Map.groupBy(names, (name) => /^([a-z][a-z0-9]*)-/.exec(name)?.[1] ?? '');
    const prefixes = [...alike].filter(
      ([prefix, same]) => prefix !== '' && same.length >= ALIKE && !CONVENTIONS.has(prefix),
    );
    return [...large, ...prefixes.map(([prefix]) => `${folder}: ${prefix}-… are a folder`)];
  });
}

/** Test folders that have no namesake in src or beside it, with their topic. */
export const OTHER_TESTS: Readonly<Record<string, string>> = {
  api: 'every row of the REST table, a folder each',
  architecture: 'the structure of the tree',
  clients: 'clients made of the documents, which have packages of their own',
  tools: 'what contributors run besides the two commands, with packages of their own',
  lighthouse: 'what measures the pages, with a package of its own',
  docs: 'the documents',
  operations: 'what needs containers, proxies, standbys or Prometheus',
  examples: 'the receivers in examples/',
  'sdk/conformance': 'the SDKs of all languages against one table',
  'sdk/packages': 'the SDKs as they are installed',
  'cli-client': 'the command line for merchants, as they install it',
  plugins: 'the plugins for shops in plugins/',
  'chain/contract': 'what the adapter of every kind of chain guarantees',
  'custody/costs': 'what an attacker can cost, on each kind of chain',
  'custody/hostile': 'random histories on hostile chains',
  'custody/kills': 'a signer that is killed',
  'custody/recovery/restored': 'books that were restored',
  'database/queries/plans': 'what the statements of the hot paths read, whatever the statistics say',
  'gateway/database': 'roles with few rights, and servers that do not answer as usual',
  'gateway/live': 'the live environment, on started programs',
  'gateway/processes': 'several processes of the API on one database',
  'observe/histories': 'random histories of chains',
  'web/journeys': 'ways of people through pages of several rooms',
  'support/story': 'the runner of histories',
};

/**
 * Tests that are not in their subject's folder, and helpers that are not named as such. `folders`: those beside test/.
 */
export function misplacedTests(paths: readonly string[], folders: ReadonlySet<string>): string[] {
  return paths.flatMap((path) => {
    const folder = posix.dirname(path).replace(/^test\/?/, '');
    const isSupport = /^(support|doubles|clients)(\/|$)/.test(folder);
    if (!path.endsWith('.test.ts'))
      return isSupport || path.endsWith('.fixture.ts') ? [] : [`${path}: helpers of tests are *.fixture.ts`];
    const isElsewhere = Object.keys(OTHER_TESTS).some((other) => folder === other || folder.startsWith(`${other}/`));
    const isSubject = folder === '' || folders.has(`src/${folder}`) || folders.has(folder);
    return isElsewhere || isSubject ? [] : [`${path}: src/${folder} does not exist`];
  });
}
