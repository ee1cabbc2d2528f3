// The chart's own pods, played by podman, behind a proxy that terminates TLS: a merchant registers, is paid on a chain,
// hears of it, and withdraws; the signer is replaced in between, and keeps its journal.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { PERMISSIONS } from '../../../src/values/permission.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';
import { closeReceivers } from '../../dispatch/receivers.fixture.ts';
import { openLiveSetup, type LiveSetup } from '../../gateway/live/setup.fixture.ts';
import { graphql, newEmail, rest, send, type Rest } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { until } from '../../support/until.ts';
import { verifyWebhook } from '../../../sdk/typescript/src/webhooks/index.ts';
import { LEAST, ofKind, podsOf, render, type KubernetesObject, type Values } from './chart.fixture.ts';
import { deploymentsOf, firstOf, podOfJob } from './cluster.fixture.ts';
import { buildImages } from '../image/image.fixture.ts';
import { openPlayground, type Playground } from './podman.fixture.ts';
import { startProxy, type Proxy } from './haproxy.fixture.ts';

/** A laden machine takes minutes for what takes seconds elsewhere. */
const LONG = 900_000;
const WITHIN = 300_000;
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const PASSWORD = 'three green lamps, unlit';
const run = randomBytes(4).toString('hex');
const SECRETS = {
  ...{ turnpike: `turnpike-${run}`, nodes: `nodes-${run}` },
  ...{ keystore: `keystore-${run}`, passphrase: `passphrase-${run}` },
};
const PODS = ['pay-turnpike-api-0-pod-0', 'pay-turnpike-api-1-pod-0'];

let setup: LiveSetup;
let playground: Playground;
let objects: KubernetesObject[];
let proxy: Proxy;
let receiver: Awaited<ReturnType<typeof receiveWebhooks>>;

/** The URL with another host. */
const at = (url: string, host: string): string => Object.assign(new URL(url), { host }).href;

beforeAll(async () => {
  const { gateway: image } = await buildImages();
  setup = await openLiveSetup();
  receiver = await receiveWebhooks();
  playground = await openPlayground(image);
  const { variables } = setup;
  const of = (name: string) => variables[name] ?? '';
  objects = await render(LEAST, valuesFor(image, variables, playground.gateway));
  const databaseHost = await playground.expose(new URL(of('DATABASE_URL')));
  const nodeHost = await playground.expose(new URL(of('ETH_RPC_URL')));
  await playground.secret(SECRETS.turnpike, {
    DATABASE_URL: `${at(of('DATABASE_URL'), databaseHost)}\n`,
    TURNPIKE_SECRET: of('TURNPIKE_SECRET'),
    ETH_XPUB: of('ETH_XPUB'),
  });
  await playground.secret(SECRETS.nodes, { eth: at(of('ETH_RPC_URL'), nodeHost) });
  await playground.secret(SECRETS.keystore, { keystore: await readFile(of('KEYSTORE_PATH'), 'utf8') });
  await playground.secret(SECRETS.passphrase, { passphrase: of('KEYSTORE_PASSPHRASE') });
}, LONG);

afterAll(async () => {
  await proxy?.stop();
  await playground?.stop();
  await closeReceivers();
  await setup?.stop();
}, LONG);

/** The values of an operator with a node of their own, and merchants inside the same network. */
function valuesFor(image: string, variables: LiveSetup['variables'], trusted: string): Values {
  const names = ['ETH_CHAIN_ID', 'ETH_CONFIRMATIONS', 'ETH_USDT_CONTRACT', 'ETH_USDC_CONTRACT', 'ETH_USDT_NETWORK_FEE'];
  const [repository = '', tag = ''] = image.split(/:(?=[^/]*$)/);
  return {
    image: { repository, tag, pullPolicy: 'Never' },
    config: {
      ...Object.fromEntries(names.map((name) => [name, variables[name]])),
      ...{ BASE_URL: 'https://receiver.test', REGISTRATION: 'open', TRUST_PROXY: trusted },
      ...{ WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_RETRY_DELAYS: '1,1,1' },
    },
    existingSecret: SECRETS.turnpike,
    secrets: { ETH_RPC_URL: { secret: SECRETS.nodes } },
    signer: { keystore: { secret: SECRETS.keystore }, passphrase: { secret: SECRETS.passphrase } },
  };
}

const find = (kind: string, name: string): KubernetesObject => {
  const object = ofKind(objects, kind).get(name);
  if (!object) throw new Error(`The chart has no ${kind} ${name}`);
  return object;
};

/** What the readiness probe of a role finds in a pod. */
async function readinessOf(role: string, pod: string): Promise<number> {
  const [container] = podsOf(objects).get(role)?.spec.containers as {
    ports: { name: string; containerPort: number }[];
    readinessProbe: { httpGet: { path: string; port: string } };
  }[];
  const { path, port } = container?.readinessProbe.httpGet ?? { path: '', port: '' };
  const number = container?.ports.find(({ name }) => name === port)?.containerPort ?? 0;
  const url = `http://${await playground.addressOf(pod)}:${String(number)}${path}`;
  return send({ method: 'GET', url }).then(
    ({ status }) => status,
    () => 0,
  );
}

const isReady = (role: string, pod: string) => until(async () => (await readinessOf(role, pod)) === 200, WITHIN);

/** Its claim is made once, and found by the pods that follow. */
async function playSigner({ isFirst }: { readonly isFirst: boolean }): Promise<void> {
  const { pod, claims } = firstOf(find('StatefulSet', 'pay-turnpike-signer'));
  await playground.play([...(isFirst ? claims : []), pod]);
  await isReady('signer', pod.metadata.name);
}

const logOf = async (container: string) => {
  const { out, err } = await playground.podman(['logs', container]);
  return out + err;
};

/** A new merchant with a key that may do everything, as its owner makes it. */
async function newOwner(): Promise<Rest> {
  const email = newEmail();
  const registration = { email, companyName: 'Blue Kettle Tea', password: PASSWORD };
  dataOf(await rest(proxy)('POST', '/merchant/register', registration), 201);
  const login = `mutation ($email: String!, $password: String!) {
    login(email: $email, password: $password) { accessToken }
  }`;
  const { body } = await graphql(proxy)(login, { email, password: PASSWORD });
  const owner = rest(proxy, body.data.login.accessToken as string);
  const made = await owner('POST', '/merchant/api-keys', { name: 'All', permissions: PERMISSIONS });
  const { keyId, secret } = dataOf(made, 201) as { keyId: string; secret: string };
  const { accessToken } = dataOf(await rest(proxy)('POST', '/auth/token', { keyId, secret }));
  return rest(proxy, accessToken as string);
}

/** Withdraws, and waits until the chain has it. */
async function withdraw(shop: Rest): Promise<void> {
  const body = { currency: 'USDT', network: 'ETH', amount: '5', address: RECIPIENT };
  const { withdrawalId } = dataOf(await shop('POST', '/wallet/withdraw', body), 201) as { withdrawalId: string };
  await until(async () => {
    await setup.mineWhatWaits();
    return dataOf(await shop('GET', `/wallet/withdrawals/${withdrawalId}`)).status === 'COMPLETED';
  }, WITHIN);
}

describe("the chart's pods", () => {
  it(
    'find a database that the job has brought up to date',
    async () => {
      await playground.play([podOfJob(find('Job', 'pay-turnpike-migrations'))]);
      const container = 'pay-turnpike-migrations-migrations';
      const { out } = await playground.podman(['wait', container]);
      expect({ code: out.trim(), said: await logOf(container) }).toEqual({
        ...{ code: '0', said: expect.stringMatching(/The database has schema \d+/) },
      });
    },
    LONG,
  );

  it(
    'become ready, each by the probe of its role',
    async () => {
      for (const role of ['api', 'observer', 'dispatcher'])
        await playground.play(deploymentsOf(find('Deployment', `pay-turnpike-${role}`)));
      await playSigner({ isFirst: true });
      for (const pod of PODS) await isReady('api', pod);
      await isReady('observer', 'pay-turnpike-observer-0-pod-0');
      await isReady('dispatcher', 'pay-turnpike-dispatcher-1-pod-0');
      proxy = await startProxy(await Promise.all(PODS.map((pod) => playground.addressOf(pod))));
    },
    LONG,
  );

  it(
    'have the rights that the chart gives them, and no secret in their environment',
    async () => {
      const look = `
        const fs = require('node:fs');
        const write = (path) => { try { fs.writeFileSync(path, ''); return 'ok'; } catch (error) { return error.code; } };
        const capabilities = /CapEff:\\s*(\\w+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
        console.log(JSON.stringify({ uid: process.getuid(), capabilities, root: write('/turnpike/x'), tmp: write('/tmp/x'),
          environment: JSON.stringify(process.env) }));`;
      for (const container of ['pay-turnpike-api-0-pod-0-api', 'pay-turnpike-signer-0-signer']) {
        const { out, err } = await playground.podman(['exec', container, 'node', '-e', look]);
        expect(err).toBe('');
        const { environment, ...found } = JSON.parse(out) as { environment: string };
        expect(found).toEqual({ uid: 65_532, capabilities: '0'.repeat(16), root: 'EROFS', tmp: 'ok' });
        for (const name of ['TURNPIKE_SECRET', 'KEYSTORE_PASSPHRASE', 'ETH_XPUB', 'DATABASE_URL'])
          expect(environment).not.toContain(setup.variables[name]);
      }
    },
    LONG,
  );

  it(
    'take a payment to its end, tell of it, and pay out, also after the signer was replaced',
    async () => {
      const shop = await newOwner();
      const url = `http://${await playground.expose(new URL(receiver.url))}/hook`;
      const { secret } = dataOf(await shop('PUT', '/merchant/webhook', { url })) as { secret: string };
      const order = { amount: '25', currency: 'USDT', network: 'ETH' };
      const created = await until(async () => {
        const answer = await shop('POST', '/payments', order);
        return answer.status === 201 ? answer : null;
      }, WITHIN);
      const { orderId, address } = dataOf(created, 201) as { orderId: string; address: string };
      await setup.pay(address, 'USDT', 25_000_000n);
      await until(async () => dataOf(await shop('GET', `/payments/${orderId}`)).status === 'SUCCEEDED', WITHIN);
      const told = await until(() => receiver.received.find(({ body }) => body.includes('SUCCEEDED')), WITHIN);
      const signature = told.headers['x-pgw-signature'];
      await verifyWebhook({ rawBody: told.body, signature, secrets: [secret] });

      await setup.fundGasWallet();
      await withdraw(shop);
      const signer = 'pay-turnpike-signer-0';
      await playground.podman(['pod', 'stop', '--time', '20', signer]);
      await playground.podman(['pod', 'rm', '--force', signer]);
      const volume = await playground.podman(['volume', 'inspect', `journal-${signer}`, '--format', '{{.Mountpoint}}']);
      const journals = (await readdir(volume.out.trim())).filter((name) => name.startsWith('journal-ETH-'));
      expect(journals).toHaveLength(1);
      await playSigner({ isFirst: false });
      await withdraw(shop);
      expect((await readdir(volume.out.trim())).filter((name) => name.startsWith('journal-ETH-'))).toHaveLength(2);
    },
    LONG,
  );

  it(
    'drop no call when one of them is replaced',
    async () => {
      const answers = new Map<number, number>();
      let isOver = false;
      const caller = async () => {
        while (!isOver) {
          const { status } = await send({ method: 'GET', url: `${proxy.url}/api/v1/currencies` }).catch(() => ({
            status: 0,
          }));
          answers.set(status, (answers.get(status) ?? 0) + 1);
          // Two callers of one address, well within its limit.
          await pause(200);
        }
      };
      const callers = [caller(), caller()];
      await until(() => (answers.get(200) ?? 0) > 20, WITHIN);
      const [pod = ''] = PODS;
      const { spec } = podsOf(objects).get('api') as KubernetesObject;
      const { code } = await playground.podman([
        'pod',
        'stop',
        '--time',
        String(spec.terminationGracePeriodSeconds),
        pod,
      ]);
      const before = answers.get(200) ?? 0;
      await until(() => (answers.get(200) ?? 0) > before + 20, WITHIN);
      isOver = true;
      await Promise.all(callers);
      expect({ code, statuses: [...answers.keys()] }).toEqual({ code: 0, statuses: [200] });
      expect(await logOf(`${pod}-api`)).toMatch(/SIGTERM: stopping/);
    },
    LONG,
  );
});
