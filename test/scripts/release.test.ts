// `npm run release` from a checkout with a remote, against registries that hold what they are sent.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/sources.ts';

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const execute = promisify(execFile);

const folder = mkdtempSync(join(tmpdir(), 'turnpike-release-test-'));
const checkout = join(folder, 'checkout');
const [origin, packagist] = [join(folder, 'origin.git'), join(folder, 'php.git')];

/** What npm was sent, by the package's name. */
const published = new Map<
  string,
  { versions: Record<string, object>; _attachments: Record<string, { length: number }> }
>();
let registry: Server;

const env = (): NodeJS.ProcessEnv => ({
  ...{ PATH: process.env['PATH'], HOME: folder, PHP_REPOSITORY: packagist, PYTHONPATH: join(folder, 'modules') },
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@turnpike.example' },
  ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@turnpike.example' },
});
/** What is set where CI has an identity, as GitHub sets it. */
const IDENTITY = { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://identity.example/token' };
const git = async (...args: string[]): Promise<string> =>
  (await execute('git', args, { cwd: checkout, env: env() })).stdout.trim();

/** Runs the script; returns what it printed, or throws with what it said. */
async function releaseWith(more: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
  const ended = execute(process.execPath, ['scripts/release.ts', ...args], {
    cwd: checkout,
    env: { ...env(), ...more },
  });
  return (await ended.catch((error: unknown) => Promise.reject(new Error((error as { stderr: string }).stderr))))
    .stdout;
}
const release = (...args: string[]) => releaseWith({}, ...args);
const publish = () => release(version, '--publish', '--without-provenance');

/** npm's registry, as far as `npm view` and `npm publish` ask it. */
function createRegistry(): Server {
  return createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '').split('?')[0]?.slice(1) ?? '');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.method === 'PUT') published.set(name, JSON.parse(Buffer.concat(chunks).toString()));
      const known = published.get(name);
      response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(known ? { ...known, 'dist-tags': { latest: version } } : { error: 'not found' }));
    });
  });
}

/**
 * Takes the place of twine, which PyPI alone could answer: keeps the names of what it is to upload. With --attestations
 * it uploads what lies beside each file, as twine does.
 */
const TWINE = `import sys, pathlib
beside = pathlib.Path(sys.argv[-1] + '.publish.attestation')
more = [beside.read_text()] if '--attestations' in sys.argv else []
with open(pathlib.Path.home() / 'uploads', 'a') as file: print(*sys.argv[1:], *more, file=file)`;
/** Takes the place of pypi_attestations, which asks Sigstore for a certificate. */
const ATTESTATIONS = `import sys, pathlib
_, what, *files = sys.argv
for file in files: pathlib.Path(file + '.publish.attestation').write_text(what)`;

beforeAll(async () => {
  registry = createRegistry().listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const { port } = registry.address() as AddressInfo;
  const address = `//127.0.0.1:${port}/`;
  writeFileSync(join(folder, '.npmrc'), `registry=http:${address}\n${address}:_authToken=secret\n`);
  mkdirSync(join(folder, 'modules'));
  writeFileSync(join(folder, 'modules/twine.py'), TWINE);
  writeFileSync(join(folder, 'modules/pypi_attestations.py'), ATTESTATIONS);
  for (const path of ['package.json', 'CHANGELOG.md', '.gitignore', 'scripts', 'sdk', 'cli', 'plugins'])
    cpSync(join(ROOT, path), join(checkout, path), { recursive: true });
  for (const bare of [origin, packagist]) await execute('git', ['init', '-q', '--bare', '-b', 'main', bare]);
  await git('init', '-q', '-b', 'main');
  await git('remote', 'add', 'origin', origin);
  await git('add', '-A');
  await git('commit', '-qm', 'A release');
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true });
});

describe('npm run release', () => {
  it('packs without a tag, and publishes nothing', async () => {
    await release(version);
    const packs = readdirSync(join(checkout, 'dist-release')).map((name) =>
      name.replace('turnpike_sdk', 'turnpike-sdk'),
    );
    expect(packs.sort()).toEqual([
      `turnpike-cli-${version}.tgz`,
      `turnpike-for-woocommerce-${version}.zip`,
      `turnpike-sdk-${version}.tar.gz`,
      `turnpike-sdk-${version}.tgz`,
      `turnpike-sdk-php-${version}.zip`,
    ]);
    expect([...published.keys()]).toEqual([]);
  });

  it('refuses another version, and names each file that has to change', async () => {
    const refusal = await release('9.9.9').catch(String);
    for (const path of ['package.json', 'cli/package.json', 'sdk/go/version.gen.go', 'plugins/woocommerce/readme.txt'])
      expect(refusal).toContain(`${path} has ${version}, not 9.9.9`);
  });

  it('does not publish what is not tagged, what is changed, or what nobody can prove', async () => {
    await expect(publish()).rejects.toThrow(`HEAD is not tagged v${version}`);
    await git('tag', `v${version}`);
    await expect(release(version, '--publish')).rejects.toThrow('--without-provenance');
    await expect(releaseWith({ ...IDENTITY, TWINE_PASSWORD: 'x' }, version, '--publish')).rejects.toThrow(
      'TWINE_PASSWORD',
    );
    writeFileSync(join(checkout, 'sdk/php/src/New.php'), '<?php\n');
    await expect(publish()).rejects.toThrow('changes that are not committed');
    rmSync(join(checkout, 'sdk/php/src/New.php'));
    expect([...published.keys()]).toEqual([]);
  });

  it('publishes each package once, however often it runs', async () => {
    const said = await publish();
    expect([...published.keys()].sort()).toEqual(['@turnpike/sdk', 'turnpike-cli']);
    for (const { versions, _attachments } of published.values()) {
      expect(Object.keys(versions)).toEqual([version]);
      expect(Object.values(_attachments)[0]?.length).toBeGreaterThan(10_000);
    }
    expect(readFileSync(join(folder, 'uploads'), 'utf8')).toMatch(
      /^upload --non-interactive --skip-existing \S+\.tar\.gz\n$/,
    );
    expect(said).toContain(`turnpike-for-woocommerce-${version}.zip`);
    const tags = await git('ls-remote', '--tags', origin);
    expect(tags).toMatch(new RegExp(`refs/tags/sdk/go/v${version}$`));
    const files = await execute('git', ['ls-tree', '--name-only', `v${version}`], { cwd: packagist });
    expect(files.stdout.split('\n')).toEqual(expect.arrayContaining(['composer.json', 'src']));

    published.forEach(({ _attachments }) => Object.keys(_attachments).forEach((name) => delete _attachments[name]));
    const again = await publish();
    expect(again).toContain(`@turnpike/sdk@${version} is on npm already`);
    expect([...published.values()].map(({ _attachments }) => _attachments)).toEqual([{}, {}]);
    expect((await execute('git', ['rev-list', '--count', 'main'], { cwd: packagist })).stdout).toBe('1\n');
  });

  it('sends PyPI an attestation of where the package was built', async () => {
    await releaseWith(IDENTITY, version, '--publish');
    expect(readFileSync(join(folder, 'uploads'), 'utf8')).toMatch(
      /\nupload --non-interactive --skip-existing --attestations \S+\.tar\.gz sign\n$/,
    );
  });

  it('gives Packagist one commit for each release', async () => {
    await execute('git', ['tag', '-d', `v${version}`], { cwd: packagist });
    await publish();
    expect((await execute('git', ['rev-list', '--count', 'main'], { cwd: packagist })).stdout).toBe('2\n');
  });
});
