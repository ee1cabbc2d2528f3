// `npm run release -- VERSION [--publish]`: packs what is published of a version into dist-release/. With --publish it
// is published from there: to npm and PyPI, to the repository that Packagist reads, and as the tag that Go reads. What
// is published already is passed over, so a release that broke off is repeated as it was. The command builds first what
// is packed.

import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { releaseNotes } from './release-notes.ts';

const USAGE = `Usage: npm run release -- VERSION [--publish [--without-provenance]]
  PHP_REPOSITORY   with --publish: the git repository that Packagist reads, where sdk/php is the root`;

/** A release: the checkout, its version, and where its packs lie. */
interface Release {
  readonly root: string;
  readonly version: string;
  readonly packs: string;
  readonly isProven: boolean;
}

/** A package: how its pack is made, and how it is published. Both print what they did, and throw if they cannot. */
interface Part {
  readonly name: string;
  pack(release: Release): void;
  publish(release: Release): void;
}

/** Runs a program to its end and returns what it printed; its errors are shown. */
const run = (cwd: string, file: string, ...args: string[]): string =>
  execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

/** The same for questions that may have no answer: null if the program fails. */
function ask(cwd: string, file: string, ...args: string[]): string | null {
  try {
    return execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

const json = (path: string): Record<string, string> => JSON.parse(readFileSync(path, 'utf8'));

function npmPackage(folder: string): Part {
  const packOf = ({ root, packs, version }: Release): string =>
    join(packs, `${nameOf(root).replace('@', '').replace('/', '-')}-${version}.tgz`);
  const nameOf = (root: string): string => json(join(root, folder, 'package.json'))['name'] ?? '';
  return {
    name: folder,
    pack({ root, packs }) {
      run(root, 'npm', 'pack', join(root, folder), '--ignore-scripts', '--pack-destination', packs);
    },
    publish(release) {
      const { root, version, isProven } = release;
      const id = `${nameOf(root)}@${version}`;
      if (ask(root, 'npm', 'view', id, 'version') === version) return console.log(`${id} is on npm already`);
      run(root, 'npm', 'publish', packOf(release), '--access', 'public', `--provenance=${isProven}`);
      console.log(`${id} is on npm`);
    },
  };
}

const python: Part = {
  name: 'sdk/python',
  pack({ root, packs }) {
    const work = mkdtempSync(join(tmpdir(), 'turnpike-release-'));
    try {
      run(root, 'python3', '-m', 'venv', join(work, 'venv'));
      const own = join(work, 'venv/bin/python');
      if (ask(work, own, '-c', 'import setuptools') === null)
        run(work, own, '-m', 'pip', 'install', '-q', 'setuptools==80.9.0');
      run(root, 'cp', '-r', join(root, 'sdk/python'), join(work, 'source'));
      const build = `from setuptools import build_meta; build_meta.build_sdist(${JSON.stringify(packs)})`;
      run(join(work, 'source'), own, '-c', build);
    } finally {
      rmSync(work, { recursive: true });
    }
  },
  publish({ root, packs, version, isProven }) {
    const files = globSync(`turnpike[-_]sdk-${version}.tar.gz`, { cwd: packs }).map((name) => join(packs, name));
    // An attestation (PEP 740) lies beside its file, and says which commit and which job of CI the file is from.
    if (isProven) run(root, 'python3', '-m', 'pypi_attestations', 'sign', ...files);
    const proof = isProven ? ['--attestations'] : [];
    run(root, 'python3', '-m', 'twine', 'upload', '--non-interactive', '--skip-existing', ...proof, ...files);
    console.log(`turnpike-sdk ${version} is on PyPI`);
  },
};

/** Packagist reads a repository whose root is the package: it gets one commit and one tag for each release. */
const php: Part = {
  name: 'sdk/php',
  pack({ root, packs, version }) {
    run(root, 'git', 'archive', '-o', join(packs, `turnpike-sdk-php-${version}.zip`), 'HEAD:sdk/php');
  },
  publish({ root, version }) {
    const remote = process.env['PHP_REPOSITORY'];
    if (!remote) throw new Error(`PHP_REPOSITORY is not set\n${USAGE}`);
    const tag = `refs/tags/v${version}`;
    if (run(root, 'git', 'ls-remote', remote, tag) !== '') return console.log(`v${version} is in ${remote} already`);
    const hasMain = run(root, 'git', 'ls-remote', remote, 'refs/heads/main') !== '';
    if (hasMain) run(root, 'git', 'fetch', '-q', remote, 'refs/heads/main');
    const parent = hasMain ? ['-p', run(root, 'git', 'rev-parse', 'FETCH_HEAD')] : [];
    const commit = run(root, 'git', 'commit-tree', 'HEAD:sdk/php', ...parent, '-m', `Version ${version}`);
    run(root, 'git', 'push', '-q', '--atomic', remote, `${commit}:refs/heads/main`, `${commit}:${tag}`);
    console.log(`turnpike/sdk ${version} is in ${remote}`);
  },
};

/** Go reads a module in a folder by a tag that begins with the folder. */
const go: Part = {
  name: 'sdk/go',
  pack() {},
  publish({ root, version }) {
    const tag = `sdk/go/v${version}`;
    if (run(root, 'git', 'ls-remote', 'origin', `refs/tags/${tag}`) !== '')
      return console.log(`${tag} is in origin already`);
    run(root, 'git', 'push', '-q', 'origin', `HEAD:refs/tags/${tag}`);
    console.log(`${tag} is in origin`);
  },
};

/** Shops install the zip, which belongs on the page of the release. */
const woocommerce: Part = {
  name: 'plugins/woocommerce',
  pack({ root, packs, version }) {
    run(
      root,
      process.execPath,
      'scripts/woocommerce.ts',
      'zip',
      join(packs, `turnpike-for-woocommerce-${version}.zip`),
    );
  },
  publish({ packs }) {
    console.log(
      `For the page of the release: ${globSync('*.zip', { cwd: packs })
        .map((name) => basename(name))
        .join(', ')}`,
    );
  },
};

const PARTS: readonly Part[] = [npmPackage('sdk/typescript'), npmPackage('cli'), python, php, go, woocommerce];

/** Where else the version stands, and how it is found there. */
const VERSIONS: Readonly<Record<string, RegExp>> = {
  'package.json': /"version": "([^"]+)"/,
  'sdk/typescript/package.json': /"version": "([^"]+)"/,
  'sdk/typescript/dist/esm/generated/package.js': /VERSION = '([^']+)'/,
  'cli/package.json': /"version": "([^"]+)"/,
  'sdk/python/turnpike/version.py': /VERSION = "([^"]+)"/,
  'sdk/php/src/Version.php': /VERSION = '([^']+)'/,
  'sdk/go/version.gen.go': /Version = "([^"]+)"/,
  'plugins/woocommerce/readme.txt': /Stable tag: (\S+)/,
  'plugins/woocommerce/turnpike-for-woocommerce.php': /Version: (\S+)/,
};

/** The files that say another version than this one, as a text for each; one that is not there says none. */
export function otherVersions(root: string, version: string): string[] {
  return Object.entries(VERSIONS).flatMap(([path, pattern]) => {
    const [text = ''] = globSync(path, { cwd: root }).map((found) => readFileSync(join(root, found), 'utf8'));
    const said = pattern.exec(text)?.[1] ?? 'no version';
    return said === version ? [] : [`${path} has ${said}, not ${version}`];
  });
}

/** What keeps a checkout from being published: it is not what the tag says, or nobody could prove that it is. */
function checkPublishing(root: string, version: string, isProven: boolean): void {
  if (run(root, 'git', 'status', '--porcelain') !== '')
    throw new Error('The checkout has changes that are not committed');
  if (!run(root, 'git', 'tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`))
    throw new Error(`HEAD is not tagged v${version}`);
  const { ACTIONS_ID_TOKEN_REQUEST_URL: github, SIGSTORE_ID_TOKEN: gitlab, TWINE_PASSWORD: password } = process.env;
  if (isProven && !github && !gitlab)
    throw new Error(
      'npm and PyPI prove where a package was built only in CI that has an identity (GitHub, GitLab): run it there, or --without-provenance',
    );
  if (isProven && password)
    throw new Error(
      'PyPI takes attestations from a trusted publisher alone: publish without TWINE_PASSWORD, or --without-provenance',
    );
}

function main(): void {
  const options = { publish: { type: 'boolean' }, 'without-provenance': { type: 'boolean' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) throw new Error(USAGE);
  const root = process.cwd();
  const isProven = values['without-provenance'] !== true;
  const faults = otherVersions(root, version);
  if (faults.length > 0) throw new Error(`${faults.join('\n')}\nAfter npm version: npm run sdk, npm ci`);
  releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version, version);
  if (values.publish) checkPublishing(root, version, isProven);
  const release = { root, version, packs: join(root, 'dist-release'), isProven };
  rmSync(release.packs, { recursive: true, force: true });
  mkdirSync(release.packs);
  for (const part of PARTS) part.pack(release);
  for (const name of globSync('*', { cwd: release.packs }).sort()) console.log(`packed: dist-release/${name}`);
  if (values.publish) for (const part of PARTS) part.publish(release);
}

if (import.meta.main)
  try {
    main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
