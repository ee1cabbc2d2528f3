// deploy/compose.yaml as an operator starts it, from a copy of the folder: with secrets made by deploy/make-secrets, a
// keystore made by the image, and a node that runs beside it.

import { randomInt } from 'node:crypto';
import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRpc, type Rpc } from '../../../src/chain/evm/rpc.ts';
import { FAUCET, fundFaucet, signDeployments, signDeposit, TEST_TOKENS } from '../../../src/sandbox/evm/test-tokens.ts';
import { startMailServer, type MailServer } from '../../mailer/mail-server.fixture.ts';
import { makeTestFolder } from '../../support/database/database.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { AUTHORITY, RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../../support/tls.ts';
import { until } from '../../support/until.ts';
import { buildImages } from '../image/image.fixture.ts';
import { podman, runContainerTool } from '../containers.fixture.ts';
import { buildServices } from './services.fixture.ts';

const CHAIN_ID = 31_337;
/** Grafana is left out: Debian has none. */
const SERVICES = [
  'proxy',
  'api-1',
  'api-2',
  'observer',
  'dispatcher',
  'mailer',
  'signer',
  'prometheus',
  'alertmanager',
];
const FILES = ['compose.yaml', 'compose.mail.yaml', 'compose.test.yaml'];
/** The name in the certificate of what the test receives by. */
const RECEIVER = 'receiver.test';
const ANVIL = '/turnpike/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil';

export interface Deployment {
  /** The proxy's, with the tests' certificate. */
  readonly url: string;
  readonly prometheus: string;
  readonly rpc: Rpc;
  /** The address of this machine for containers of the dispatcher's network. */
  readonly host: string;
  /** What takes its mails. */
  readonly mails: MailServer;
  /** The full name of a service's container. */
  container(service: string): string;
  /** Sends a customer's token payment, and mines it and the blocks that make it final. */
  pay(address: string, currency: string, units: bigint): Promise<void>;
  /** Replaces the containers of these services, as an operator does: deploy/replace. */
  replace(...services: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Starts everything; resolves when both APIs answer through the proxy. */
export async function startDeployment(): Promise<Deployment> {
  const [images, services] = [await buildImages(), await buildServices()];
  const folder = join(await makeTestFolder('compose'), 'deploy');
  await cp('deploy', folder, { recursive: true });
  const project = `turnpike-test-${process.pid}`;
  const [https, http, prometheus, alertmanager, node] = await Promise.all([1, 2, 3, 4, 5].map(() => findFreePort()));
  const subnet = `172.${randomInt(16, 31)}.${randomInt(256)}.0/28`;
  const variables = {
    ...{ ...services, TURNPIKE_IMAGE: images.gateway, EDGE_SUBNET: subnet },
    ...{ HTTPS_PORT: `127.0.0.1:${https}`, HTTP_PORT: `127.0.0.1:${http}` },
    ...{ PROMETHEUS_PORT: String(prometheus), ALERTMANAGER_PORT: String(alertmanager) },
  };
  await writeFile(join(folder, '.env'), linesOf(variables));
  const compose = (...args: readonly string[]) =>
    runContainerTool('podman-compose', ['-p', project, ...FILES.flatMap((file) => ['-f', file]), ...args], {
      cwd: folder,
    });
  const container = (service: string) => `${project}_${service}_1`;
  const stop = async () => {
    const all = await podman('ps', '--all', '--quiet', `--filter=name=^${project}`);
    if (all !== '') await podman('rm', '--force', '--time=20', '--volumes', ...all.split('\n'));
    for (const what of ['network', 'volume']) {
      const named = await podman(what, 'ls', '--quiet', `--filter=name=${project}`);
      if (named !== '') await podman(what, 'rm', '--force', ...named.split('\n'));
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // Debian's podman-compose makes networks without a range of their own.
    await podman('network', 'create', `--subnet=${subnet}`, `${project}_edge`);
    for (const name of ['inside', 'custody']) await podman('network', 'create', `${project}_${name}`);
    const host = await podman('network', 'inspect', '--format={{(index .Subnets 0).Gateway}}', `${project}_inside`);
    const anvil = ['--host=0.0.0.0', `--chain-id=${CHAIN_ID}`, '--no-mining', '--silent'];
    const networks = `--network=${project}_inside,${project}_custody`;
    const place = [networks, '--network-alias=node', `--publish=127.0.0.1:${node}:8545`, '--entrypoint', ANVIL];
    await podman('run', '--detach', '--name', `${project}_node`, ...place, images.sandbox, ...anvil);
    const rpc = createRpc({ network: 'ETH', url: `http://127.0.0.1:${node}`, timeoutMs: 60_000 });
    await until(() => rpc.call('eth_chainId', []).catch(() => null), MINUTES);
    await fundFaucet(rpc);
    for (const signed of await signDeployments(CHAIN_ID)) await rpc.call('eth_sendRawTransaction', [signed]);
    await rpc.call('anvil_mine', ['0x1']);
    const mails = await startMailServer({ secure: true, cert: RECEIVER_CERTIFICATE, key: RECEIVER_KEY }, host);
    await writeSecrets(folder, images.gateway);
    await writeFile(join(folder, 'secrets/smtp-url'), `smtps://${RECEIVER}:${mails.port}`);
    await writeFile(join(folder, 'turnpike.env'), linesOf(await settings(folder, images.gateway)));
    await writeFile(join(folder, 'compose.test.yaml'), override(host));
    await writeFile(join(folder, 'authority.pem'), AUTHORITY);
    await compose('up', '--detach', ...SERVICES);
    return {
      ...{
        url: `https://localhost:${https}`,
        prometheus: `http://127.0.0.1:${prometheus}`,
        rpc,
        host,
        mails,
        container,
        stop,
      },
      replace: (...names) =>
        runContainerTool(join(folder, 'replace'), names, {
          env: { PROJECT: project, COMPOSE_FILE: FILES.join(':') },
        }),
      async pay(address, currency, units) {
        const nonce = Number(await rpc.call('eth_getTransactionCount', [FAUCET, 'pending']));
        const request = { chainId: CHAIN_ID, nonce, address: address as `0x${string}`, currency, amount: units };
        await rpc.call('eth_sendRawTransaction', [await signDeposit(request)]);
        await rpc.call('anvil_mine', ['0x3']);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export const MINUTES = 10 * 60_000;

const linesOf = (variables: Readonly<Record<string, string>>) =>
  `${Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;

/** As docs/operations/containers.md says: random secrets, the keystore, and the proxy's certificate. */
async function writeSecrets(folder: string, image: string): Promise<void> {
  await runContainerTool(join(folder, 'make-secrets'), []);
  await wallet(folder, image, 'init');
  await chmod(join(folder, 'secrets/keystore'), 0o444);
  await writeFile(join(folder, 'secrets/certificate.pem'), RECEIVER_CERTIFICATE + RECEIVER_KEY);
}

function wallet(folder: string, image: string, command: string): Promise<string> {
  const keystore = ['KEYSTORE_PATH=/secrets/keystore', 'KEYSTORE_PASSPHRASE_FILE=/secrets/keystore-passphrase'];
  const variables = ['TURNPIKE_ENV=sandbox', ...keystore].map((variable) => `--env=${variable}`);
  const where = ['--user=0', `--volume=${folder}/secrets:/secrets`, '--network=none'];
  return podman('run', '--rm', ...where, ...variables, image, 'dist/src/cli/wallet/wallet.js', command);
}

async function settings(folder: string, image: string): Promise<Readonly<Record<string, string>>> {
  const xpub = /xpub\w+/.exec(await wallet(folder, image, 'export-xpub'))?.[0];
  if (xpub === undefined) throw new Error('The wallet shows no extended public key');
  return {
    ...{ BASE_URL: 'https://pay.kettle.test', REGISTRATION: 'open', LOG_LEVEL: 'warn' },
    MAIL_FROM: 'Kettle Pay <no-reply@pay.kettle.test>',
    ...{ ETH_RPC_URL: 'http://node:8545', ETH_CHAIN_ID: String(CHAIN_ID), ETH_CONFIRMATIONS: '2', ETH_XPUB: xpub },
    ...{ ETH_USDT_CONTRACT: TEST_TOKENS.get('USDT') ?? '', ETH_USDC_CONTRACT: TEST_TOKENS.get('USDC') ?? '' },
    ...{ ETH_ETH_NETWORK_FEE: '0', ETH_USDT_NETWORK_FEE: '1.5', ETH_USDC_NETWORK_FEE: '0' },
    WEBHOOK_ALLOW_PRIVATE: 'true', // The test's receiver is on this machine.
    RATE_LIMIT_PER_SECOND: '0', // All callers are one address here, and call as often as the machine can.
  };
}

/** Lets the dispatcher find and trust the test's receiver, and the mailer its mail server. */
const override = (host: string) => `services:
  dispatcher: &outwards
    extra_hosts: ['${RECEIVER}:${host}']
    environment: { NODE_EXTRA_CA_CERTS: /authority.pem }
    volumes: ['./authority.pem:/authority.pem:ro']
  mailer: *outwards
`;

/** The words of the compose file itself, for tests of what it says. */
export const readCompose = (): Promise<string> => readFile('deploy/compose.yaml', 'utf8');
