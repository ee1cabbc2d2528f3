// Bundles the packages that most test files load: a few dozen ES modules instead of 2,300. jest loads every package
// anew for each test file, and finding, reading and linking single modules costs more than running them. The programs
// that tests start load it too, by preload-packages.ts; the product loads the packages as they are.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';

const PACKAGES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
const CACHE = join(PACKAGES, '.cache', 'turnpike-test-packages');

/**
 * As they are imported, by us or by packages outside the bundle. Code that two of them share is shared in the bundle
 * too, so that there is one `graphql` and one `pg`. Left out are packages with native code, WebAssembly or other files,
 * and those that only a test file or two need.
 */
export const BUNDLED = [
  ...['graphql', 'graphql-scalars', 'graphql-sse', 'graphql-ws', 'type-graphql', 'reflect-metadata', 'dataloader'],
  ...['@apollo/server', '@apollo/server/plugin/disabled', '@as-integrations/fastify', '@graphql-yoga/subscription'],
  ...['@mikro-orm/core', '@mikro-orm/migrations', '@mikro-orm/postgresql', 'kysely', 'pg'],
  ...['fastify', '@fastify/proxy-addr', 'helmet', 'negotiator', 'undici'],
  ...['pino', 'prom-client', 'rate-limiter-flexible', 'jose', 'uqr'],
  ...['viem', 'viem/accounts', 'viem/utils', '@noble/curves/ed25519.js', '@scure/base', '@scure/bip32', '@scure/bip39'],
  ...['@scure/bip39/wordlists/english.js', '@scure/btc-signer', '@scure/btc-signer/utils.js'],
  'fast-check',
] as const;

/** `ws` is also required by CommonJS packages, which must not require the bundle while it is loading. */
const NOT_BUNDLED = ['@node-rs/argon2', 'tiny-secp256k1', 'ws'];

/** The folder of the bundle, whether or not it has been made. */
export function findBundle(): string {
  const installed = readFileSync(join(PACKAGES, '.package-lock.json'));
  const how = readFileSync(fileURLToPath(import.meta.url));
  return join(CACHE, createHash('sha256').update(installed).update(how).digest('hex').slice(0, 16));
}

/**
 * Makes the bundle, unless there is one of the installed packages, and returns jest's `moduleNameMapper`, by which
 * imports of these packages lead to it.
 */
export async function bundlePackages(): Promise<Record<string, string>> {
  const folder = findBundle();
  if (!existsSync(folder)) await makeBundle(folder);
  const names = BUNDLED.map((name) => name.replaceAll('.', String.raw`\.`));
  return { [`^(${names.join('|')})$`]: `${folder}/$1.mjs` };
}

/**
 * Another run may make the same bundle at the same time: a folder gets its name once it is complete, and the first one
 * stays.
 */
async function makeBundle(folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
  try {
    await writeBundle(unfinished);
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function writeBundle(dir: string): Promise<void> {
  const { rolldown } = await import('rolldown'); // Rarely needed, and takes a third of a second to load.
  const bundle = await rolldown({
    platform: 'node',
    input: Object.fromEntries(BUNDLED.map((name) => [name, ENTRY + name])),
    plugins: [entries()],
    external: NOT_BUNDLED,
    // Resolved as Node does, not as bundlers do: otherwise there would be two instances.
    resolve: { mainFields: ['main'], conditionNames: ['node'] },
    treeshake: false,
    // Optional packages that are not installed are looked up at run time, and not found then.
    logLevel: 'silent',
  });
  await bundle.write({
    dir,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'shared/[hash].mjs',
    keepNames: true,
    // Side effects of packages that are not imported are dropped.
    codeSplitting: { groups: [{ name: 'shared', entriesAware: true }] },
  });
  await bundle.close();
}

const ENTRY = 'entry:';

/** An entry module for each package, with the names that Node can import; for CommonJS only Node knows the names. */
function entries(): Plugin {
  return {
    name: 'entries',
    // With this extension, the default export is everything that a CommonJS module exports, as in Node.
    resolveId: (id) => (id.startsWith(ENTRY) ? `${id}.mjs` : null),
    async load(id) {
      if (!id.startsWith(ENTRY)) return null;
      const name = id.slice(ENTRY.length, -'.mjs'.length);
      const resolved = await this.resolve(name, join(PACKAGES, 'entry.mjs'));
      if (!resolved) throw new Error(`${name} is not installed`);
      const names = Object.keys((await import(name)) as object);
      const exported = names.map((each) => (each === 'module.exports' ? `default as 'module.exports'` : each));
      return `export { ${exported.join(', ')} } from ${JSON.stringify(resolved.id)};`;
    },
  };
}
