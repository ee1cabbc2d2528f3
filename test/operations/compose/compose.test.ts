// deploy/compose.yaml: the whole story through the proxy, and what the containers may do.

import { createServer } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyWebhook } from '../../../sdk/typescript/src/webhooks/index.ts';
import { PERMISSIONS } from '../../../src/values/permission.ts';
import { closeMailServers } from '../../mailer/mail-server.fixture.ts';
import { graphql, newEmail, rest, send, type Json, type Rest } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../../support/tls.ts';
import { until } from '../../support/until.ts';
import { logsOf, podman } from '../containers.fixture.ts';
import { MINUTES, startDeployment, type Deployment } from './deployment.fixture.ts';

const LONG = 40 * 60_000;
const PASSWORD = 'three green lamps, unlit';
const LOGIN =
  'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }';
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const ROLES = ['api-1', 'api-2', 'observer', 'dispatcher', 'mailer', 'signer'] as const;

let deployment: Deployment;
const deliveries: { readonly rawBody: Buffer; readonly signature: string }[] = [];
const receiver = createServer({ cert: RECEIVER_CERTIFICATE, key: RECEIVER_KEY }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    deliveries.push({ rawBody: Buffer.concat(chunks), signature: String(request.headers['x-pgw-signature']) });
    response.end();
  });
});

beforeAll(async () => {
  deployment = await startDeployment();
  await new Promise<void>((resolve) => receiver.listen(0, deployment.host, resolve));
  await until(() => answers().catch(() => false), MINUTES);
}, LONG);
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await closeMailServers();
  await deployment.stop();
}, LONG);

const answers = async () => (await send({ method: 'GET', url: `${deployment.url}/api/v1/currencies` })).status === 200;

/** Registers through the proxy and makes a key with every permission; the client for it. */
async function openShop(): Promise<Rest> {
  const anybody = rest(deployment);
  const email = newEmail();
  dataOf(
    await anybody('POST', '/merchant/register', { email, companyName: 'Blue Kettle Tea', password: PASSWORD }),
    201,
  );
  const { body } = await graphql(deployment)(LOGIN, { email, password: PASSWORD });
  const asOwner = rest(deployment, body.data.login.accessToken as string);
  const key = dataOf(await asOwner('POST', '/merchant/api-keys', { name: 'All', permissions: PERMISSIONS }), 201);
  const { keyId, secret } = key as { keyId: string; secret: string };
  return rest(deployment, dataOf(await anybody('POST', '/auth/token', { keyId, secret })).accessToken as string);
}

describe('a deployment by compose', () => {
  it(
    'mails, takes an order, is paid, tells the shop, and pays out, all through the proxy',
    async () => {
      const shop = await openShop();
      await until(() => (deployment.mails.received.length > 0 ? true : null), MINUTES);
      const { port } = receiver.address() as { port: number };
      const url = `https://receiver.test:${port}/hooks`;
      const { secret } = dataOf(await shop('PUT', '/merchant/webhook', { url, enabled: true })) as { secret: string };
      const created = await until(async () => {
        const answer = await shop('POST', '/payments', { amount: '25', currency: 'USDT', network: 'ETH' });
        return answer.status === 201 ? answer : null;
      }, MINUTES);
      const { orderId, address } = dataOf(created, 201) as { orderId: string; address: string };
      await deployment.pay(address, 'USDT', 25_000_000n);
      const paid = await until(async () => {
        const payment = dataOf(await shop('GET', `/payments/${orderId}`));
        return payment.status === 'SUCCEEDED' ? payment : null;
      }, MINUTES);
      expect(paid).toMatchObject({ amountConfirmed: '25', feeAmount: '0.25', exception: null });
      const [delivery] = await until(() => (deliveries.length > 0 ? deliveries : null), MINUTES);
      const event = await verifyWebhook({
        ...(delivery ?? { rawBody: Buffer.of(), signature: '' }),
        secrets: [secret],
      });
      expect(event).toMatchObject({ type: 'payment.succeeded', data: { payment: { orderId } } });

      await fundGasWallet();
      const order = { currency: 'USDT', network: 'ETH', amount: 'max', address: RECIPIENT };
      const { withdrawalId } = dataOf(await shop('POST', '/wallet/withdraw', order), 201) as { withdrawalId: string };
      const withdrawn = await until(async () => {
        const { pending } = (await deployment.rpc.call('txpool_status', [])) as { pending: string };
        if (BigInt(pending) > 0n) await deployment.rpc.call('anvil_mine', ['0x3']);
        const record = dataOf(await shop('GET', `/wallet/withdrawals/${withdrawalId}`));
        return record.status === 'COMPLETED' ? record : null;
      }, MINUTES);
      expect(withdrawn).toMatchObject({ amount: '23.25', networkFee: '1.5' });
      expect(await journalFiles()).toHaveLength(1);
    },
    LONG,
  );

  it(
    'shows monitoring to Prometheus alone',
    async () => {
      for (const path of ['/metrics', '/readyz', '/healthz'])
        expect((await send({ method: 'GET', url: deployment.url + path })).status).toBe(404);
      await until(async () => {
        const { data } = (await (await fetch(`${deployment.prometheus}/api/v1/targets?state=active`)).json()) as Json;
        const targets = data.activeTargets as { health: string; labels: { role?: string } }[];
        const up = targets.filter(({ health, labels }) => health === 'up' && labels.role !== undefined);
        return up.length === ROLES.length;
      }, MINUTES);
    },
    LONG,
  );

  it(
    'runs each role without rights, on a root that cannot be written, with its health check',
    async () => {
      for (const role of ROLES) {
        const [inspected] = JSON.parse(await podman('inspect', deployment.container(role))) as Json[];
        expect([role, inspected.EffectiveCaps ?? [], inspected.HostConfig.ReadonlyRootfs]).toEqual([role, [], true]);
        expect([role, inspected.HostConfig.Memory, inspected.Config.User]).toEqual([
          role,
          512 * 2 ** 20,
          '65532:65532',
        ]);
        await podman('healthcheck', 'run', deployment.container(role));
      }
    },
    LONG,
  );

  it(
    'gives the seed to the signer alone, which shares no network with the APIs',
    async () => {
      for (const role of ROLES) {
        const look = ['--eval', `console.log(require('fs').readdirSync('/run/secrets').sort().join())`];
        const secrets = (await podman('exec', deployment.container(role), 'node', ...look)).split(',');
        expect([role, secrets.includes('keystore')]).toEqual([role, role === 'signer']);
      }
      const knock = `fetch('http://signer:9100/healthz').then(() => 'reached', () => 'away').then(console.log)`;
      expect(await podman('exec', deployment.container('api-1'), 'node', '--eval', knock)).toBe('away');
    },
    LONG,
  );

  it(
    'answers while one API drains, and while both are replaced; the database stays',
    async () => {
      const first = deployment.container('api-1');
      const databaseBefore = await startedAt('postgres');
      expect([...(await statusesDuring(podman('stop', '--time=60', first)))]).toEqual([200]);
      expect(await podman('inspect', '--format={{.State.ExitCode}}', first)).toBe('0');
      expect(await logsOf(first)).toContain('SIGTERM: stopping');

      expect([...(await statusesDuring(deployment.replace('api-1', 'api-2')))]).toEqual([200]);
      for (const role of ['api-1', 'api-2'])
        expect(await logsOf(deployment.container(role))).not.toContain('SIGTERM: stopping');
      expect(await startedAt('postgres')).toBe(databaseBefore);
    },
    LONG,
  );
});

const startedAt = (service: string) =>
  podman('inspect', '--format={{.Id}} {{.State.StartedAt}}', deployment.container(service));

/** What callers are answered until the work is done, and a little longer. */
async function statusesDuring(work: Promise<unknown>): Promise<Set<number>> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => undefined); // Met below.
  const seen = new Set<number>();
  const call = async () => seen.add((await send({ method: 'GET', url: `${deployment.url}/api/v1/currencies` })).status);
  while (!isDone) await call();
  await done;
  for (let nth = 0; nth < 20; nth += 1) await call();
  return seen;
}

async function fundGasWallet(): Promise<void> {
  const shown = await podman('exec', deployment.container('signer'), 'node', 'dist/src/cli/wallet/wallet.js', 'show');
  const gas = /gas.*(0x[0-9a-fA-F]{40})/i.exec(shown)?.[1];
  if (gas === undefined) throw new Error(`No gas wallet is shown: ${shown}`);
  await deployment.rpc.call('anvil_setBalance', [gas, `0x${(10n ** 18n).toString(16)}`]);
  await deployment.rpc.call('anvil_mine', ['0x1']);
}

async function journalFiles(): Promise<string[]> {
  const look = `console.log(require('fs').readdirSync('/var/lib/turnpike').filter((name) => /^journal-ETH/.test(name)).join())`;
  return (await podman('exec', deployment.container('signer'), 'node', '--eval', look)).split(',').filter(Boolean);
}
