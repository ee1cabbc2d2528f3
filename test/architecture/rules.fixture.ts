// The import rule of the design as a table, and the functions that check sources against it.

import ts from 'typescript';
import type { Source } from '../support/sources.ts';
import { importsOf, parse, walk, type Import } from './sources.fixture.ts';

/** What a room may import besides itself. `packages`, where given, is the whole list of packages it may import. */
interface Room {
  readonly sees: readonly string[];
  readonly packages?: RegExp;
}

/** No I/O and no framework: what the innermost rooms may import from packages. */
const PURE = /^node:(crypto|net|url|util)$/;

/** Every room that the parts of the composition root put together. */
const PARTS = [
  ...['values', 'entities', 'database', 'chain', 'domain', 'access', 'resolvers', 'observe', 'dispatch', 'custody'],
  ...['rest', 'graphql', 'server', 'sandbox', 'egress', 'mail', 'mailer', 'config', 'loop.ts', 'tracing.ts'],
];

/**
 * A room (a folder of src, a file directly in src, web/pay, web/console or web/operator) and the rooms it may import.
 * Data flows one way, so a room names what lies below it and nothing above. The actors (resolvers, observe, dispatch,
 * mailer, custody) never name each other: they meet in rows of the database. What is not in the table may not be
 * imported, and a room without a row may not exist.
 */
export const ROOMS: Readonly<Record<string, Room>> = {
  // The layers, each on those before it.
  values: { sees: [], packages: PURE },
  entities: { sees: ['values'] },
  database: { sees: ['values', 'entities', 'mail', 'loop.ts', 'tracing.ts'] },
  chain: { sees: ['values', 'loop.ts', 'tracing.ts'] },
  // The words of mails, and how they are rendered.
  mail: { sees: ['values'], packages: PURE },
  domain: { sees: ['values', 'entities', 'database', 'chain', 'mail', 'tracing.ts'] },
  access: { sees: ['values', 'entities', 'database', 'loop.ts'] },
  // The only way out to strangers; it knows nothing of what is sent or asked.
  egress: { sees: ['values'] },

  // The actors.
  resolvers: { sees: ['values', 'entities', 'database', 'domain', 'access', 'mail', 'loop.ts'] },
  observe: { sees: ['values', 'entities', 'database', 'domain', 'chain', 'egress', 'loop.ts', 'tracing.ts'] },
  dispatch: { sees: ['values', 'entities', 'database', 'domain', 'egress', 'loop.ts', 'tracing.ts'] },
  custody: { sees: ['values', 'entities', 'database', 'domain', 'chain', 'loop.ts', 'tracing.ts'] },
  mailer: { sees: ['values', 'database', 'domain', 'mail', 'loop.ts'] },

  // The edges. The engine and REST receive a schema and do not know the resolvers behind it.
  graphql: { sees: ['values', 'access', 'tracing.ts'], packages: /^(graphql|graphql-[\w-]+)(\/|$)|^node:/ },
  rest: { sees: ['values', 'access', 'graphql'], packages: /^(graphql|graphql-[\w-]+)(\/|$)|^node:/ },
  // The sandbox's webhook receiver verifies webhooks as merchants do.
  server: { sees: ['values', 'access', 'graphql', 'rest', 'web/pay', 'loop.ts', 'sdk/typescript', 'tracing.ts'] },
  // The sandbox acts on the test chain and never on our tables.
  sandbox: { sees: ['values', 'chain', 'loop.ts'] },
  'web/pay': { sees: ['values'] },
  'web/console': { sees: ['values'] },
  // It is built from the parts of the console.
  'web/operator': { sees: ['values', 'web/console'] },

  // The files that stand alone. Only the composition root imports everything.
  'loop.ts': { sees: [] },
  'tracing.ts': { sees: [] },
  config: { sees: ['values'] },
  // What merchants install: it knows nothing of ours, and needs no package and nothing of Node.
  'sdk/typescript': { sees: [], packages: /^(?!)/ },
  // The command line that merchants install: the SDK is inside it, and Node has the rest.
  'cli/src': { sees: [], packages: /^(node:|#sdk$)/ },
  // The composition root and its parts.
  gateway: { sees: PARTS },
  // Programs beside the gateway, for its operator. The doctor makes the checks of a start, and tries out the guard of
  // webhooks.
  cli: {
    sees: [
      ...['values', 'entities', 'database', 'domain', 'access', 'chain', 'custody', 'sandbox', 'config'],
      ...['egress', 'gateway'],
    ],
  },
  'main.ts': { sees: ['config', 'gateway', 'values'] },
};

/**
 * Rooms that hold secrets or simulate a chain: the composition root loads them when a role needs them, not at start.
 */
const LOADED_ON_DEMAND = ['custody', 'sandbox'];

/** The api role's own code; no chain of imports may lead from here to custody. */
const API_ROOMS = ['resolvers', 'graphql', 'rest', 'server', 'access', 'domain'];

/**
 * The room of a path: `src/domain/ledger/ledger.ts` → `domain`, `src/loop.ts` → `loop.ts`, `web/pay/page.ts` →
 * `web/pay`.
 */
export function roomOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return top === 'src' ? second : `${top}/${second}`;
}

/** Every import that the table does not allow, each as one readable line. */
export function breaches(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const name = roomOf(source.path);
    const room = Object.hasOwn(ROOMS, name) ? ROOMS[name] : undefined;
    if (!room) return [`${source.path}: the room "${name}" has no row in the table; give it one, with its reason`];
    return importsOf(source)
      .map((found) => breach(name, room, found))
      .filter((reason) => reason !== null)
      .map((reason) => `${source.path} ${reason}`);
  });
}

function breach(name: string, room: Room, found: Import): string | null {
  if (!found.isFile) {
    if (!room.packages || room.packages.test(found.target)) return null;
    return `imports the package ${found.target}; ${name} may import only packages like ${String(room.packages)}`;
  }
  const target = roomOf(found.target);
  if (name.startsWith('gateway') && LOADED_ON_DEMAND.includes(target) && found.kind === 'static') {
    return `imports ${found.target} at start; ${target} is loaded by import(), or named for its types only`;
  }
  if (target === name || room.sees.includes('*') || room.sees.includes(target)) return null;
  const allowed = room.sees.length > 0 ? room.sees.join(', ') : 'no other room';
  return `imports ${found.target}; ${name} may import: ${allowed}`;
}

/** The shortest chain of imports from each file of the api role to custody, as `a → b → c`; empty if there is none. */
export function waysToCustody(sources: readonly Source[]): string[] {
  const edges = new Map(
    sources.map((source) => [
      source.path,
      importsOf(source)
        .filter((found) => found.isFile)
        .map((found) => found.target),
    ]),
  );
  return [...edges.keys()]
    .filter((path) => API_ROOMS.includes(roomOf(path)))
    .map((path) => wayToCustody(path, edges))
    .filter((way) => way !== null);
}

function wayToCustody(from: string, edges: ReadonlyMap<string, readonly string[]>): string | null {
  const seen = new Set([from]);
  const queue = [[from]];
  for (let way = queue.shift(); way; way = queue.shift()) {
    for (const next of edges.get(way.at(-1) ?? '') ?? []) {
      if (roomOf(next) === 'custody') return [...way, next].join(' → ');
      if (!seen.has(next)) queue.push([...way, next]);
      seen.add(next);
    }
  }
  return null;
}

/** Where a source reads the process's environment, by any spelling, as `path:line`. */
export function environmentReads(source: Source): string[] {
  const file = parse(source);
  const found: string[] = [];
  walk(file, (node) => {
    if (readsEnvironment(node)) {
      found.push(`${source.path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
    }
  });
  return found;
}

const isProcess = (node: ts.Node | undefined): boolean => /^(globalThis\.)?process$/.test(node?.getText() ?? '');

function readsEnvironment(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) return isProcess(node.expression) && node.name.text === 'env';
  if (ts.isElementAccessExpression(node)) {
    const key = node.argumentExpression;
    return isProcess(node.expression) && ts.isStringLiteralLike(key) && key.text === 'env';
  }
  if (ts.isBindingElement(node)) {
    const declaration = node.parent.parent;
    const from = ts.isVariableDeclaration(declaration) ? declaration.initializer : undefined;
    return isProcess(from) && (node.propertyName ?? node.name).getText() === 'env';
  }
  if (ts.isImportSpecifier(node)) {
    const from = node.parent.parent.parent.moduleSpecifier;
    return /^['"](node:)?process['"]$/.test(from.getText()) && (node.propertyName ?? node.name).text === 'env';
  }
  return false;
}
