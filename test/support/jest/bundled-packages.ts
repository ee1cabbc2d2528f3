// The packages that most test files load, as a few dozen ES modules instead of 2,300. jest loads every package anew for
// each test file, and finding, reading and linking its modules one by one costs more than running them. Only the tests
// load them so: what ships, and the programs that tests start, load the packages as they are.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';

const PACKAGES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
const CACHE = join(PACKAGES, '.cache', 'turnpike-test-packages');

/**
 * As they are imported, by us or by packages that are not here. What two of them share is shared in the bundle too, so
 * that there is one `graphql` and one `pg`. Not here are packages that bring native code, WebAssembly or files of other
 * kinds, and those of which a test file or two know.
 */
const BUNDLED = [
  ...['graphql', 'graphql-scalars', 'graphql-sse', 'graphql-ws', 'type-graphql', 'reflect-metadata', 'dataloader'],
  ...['@apollo/server', '@apollo/server/plugin/disabled', '@as-integrations/fastify', '@graphql-yoga/subscription'],
  ...['@mikro-orm/core', '@mikro-orm/migrations', '@mikro-orm/postgresql', 'kysely', 'pg'],
  ...['fastify', '@fastify/proxy-addr', 'helmet', 'negotiator', 'undici'],
  ...['pino', 'prom-client', 'rate-limiter-flexible', 'jose', 'uqr'],
  ...['viem', 'viem/accounts', 'viem/utils', '@noble/curves/ed25519.js', '@scure/base', '@scure/bip32', '@scure/bip39'],
  ...['@scure/bip39/wordlists/english.js', '@scure/btc-signer', '@scure/btc-signer/utils.js'],
  'fast-check',
] as const;

/** `ws` is required by CommonJS packages too, which must not require the bundle while it is loading. */
const NOT_BUNDLED = ['@node-rs/argon2', 'tiny-secp256k1', 'ws'];

/**
 * Makes the bundle, unless there is one of the installed packages, and returns jest's `moduleNameMapper`, by which
 * imports of these packages lead to it.
 */
export async function bundlePackages(): Promise<Record<string, string>> {
  const installed = readFileSync(join(PACKAGES, '.package-lock.json'));
  const how = readFileSync(fileURLToPath(import.meta.url));
  const folder = join(CACHE, createHash('sha256').update(installed).update(how).digest('hex').slice(0, 16));
  if (!existsSync(folder)) await makeBundle(folder);
  const names = BUNDLED.map((name) => name.replaceAll('.', String.raw`\.`));
  return { [`^(${names.join('|')})$`]: `${folder}/$1.mjs` };
}

/**
 * Another run may make the same at the same time: a folder has its name when it is complete, and the first one stays.
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
  const { rolldown } = await import('rolldown'); // Seldom needed, and a third of a second to load.
  const bundle = await rolldown({
    platform: 'node',
    input: Object.fromEntries(BUNDLED.map((name) => [name, ENTRY + name])),
    plugins: [entries()],
    external: NOT_BUNDLED,
    // As Node reads a package: not its edition for bundlers, of which there would be two instances then.
    resolve: { mainFields: ['main'], conditionNames: ['node'] },
    treeshake: false,
    // Optional packages that nobody installed are looked for when the program runs, and not found then.
    logLevel: 'silent',
  });
  await bundle.write({
    dir,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'shared/[hash].mjs',
    keepNames: true,
    // A test loads nothing of packages that it does not import.
    codeSplitting: { groups: [{ name: 'shared', entriesAware: true }] },
  });
  await bundle.close();
}

const ENTRY = 'entry:';

/**
 * A module for each package, which exports what Node lets one import by name: of CommonJS only Node knows the names.
 */
function entries(): Plugin {
  return {
    name: 'entries',
    // The extension says that a CommonJS module's default export is all that it exports, as in Node.
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
