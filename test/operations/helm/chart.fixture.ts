// Renders the chart as Helm does, with the values of an operator.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { ROOT } from '../../support/sources.ts';

export const CHART = join(ROOT, 'deploy/helm/turnpike');
/** Where `install_helm` of .ci/steps puts it. */
const HELM = join(ROOT, 'node_modules/.cache/helm/helm');

export type Values = Readonly<Record<string, unknown>>;

/** What must be set, for Ethereum. */
export const LEAST: Values = {
  image: { repository: 'registry.kettle.example/turnpike' },
  existingSecret: 'turnpike',
  config: {
    ...{ BASE_URL: 'https://pay.kettle.example', REGISTRATION: 'closed', TRUST_PROXY: '10.0.0.0/8' },
    ...{ ETH_ETH_NETWORK_FEE: '0.001', ETH_USDT_NETWORK_FEE: '1.5', ETH_USDC_NETWORK_FEE: '1.5' },
  },
  secrets: { DATABASE_URL: {}, TURNPIKE_SECRET: {}, ETH_RPC_URL: { secret: 'nodes', key: 'eth' }, ETH_XPUB: {} },
  signer: { keystore: { secret: 'turnpike-keystore' }, passphrase: { secret: 'turnpike-passphrase' } },
  networkPolicy: {
    callers: { from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }] },
    database: { to: [{ podSelector: { matchLabels: { app: 'postgres' } } }] },
    nodes: { to: [{ ipBlock: { cidr: '203.0.113.10/32' } }] },
  },
};

/** Everything that can be switched on. */
export const MOST: Values = {
  image: { digest: `sha256:${'a'.repeat(64)}`, pullSecrets: ['registry'] },
  config: { EVENT_RETENTION_DAYS: '30', CORS_ORIGINS: 'https://shop.example' },
  secrets: { TOKEN_SECRETS: {} },
  api: {
    secrets: { REDIS_URL: { secret: 'redis', key: 'url' } },
    tls: { existingSecret: 'turnpike-tls' },
    service: { type: 'LoadBalancer', port: 443, annotations: { 'kettle.example/pool': 'public' } },
    ingress: { enabled: true, className: 'nginx', annotations: { 'kettle.example/a': 'b' }, tlsSecret: 'pay-tls' },
    autoscaling: { enabled: true, customMetrics: true },
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    tolerations: [{ key: 'payments', operator: 'Exists' }],
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    priorityClassName: 'payments',
    podAnnotations: { 'kettle.example/owner': 'payments' },
  },
  dispatcher: { autoscaling: { enabled: true, customMetrics: true } },
  signer: {
    secrets: { DATABASE_URL: { secret: 'turnpike-signer' } },
    journal: { storageClassName: 'fast', accessMode: 'ReadWriteOncePod' },
  },
  migrations: { secrets: { DATABASE_DIRECT_URL: { secret: 'turnpike-owner', key: 'url' } } },
  networkPolicy: {
    monitoring: { from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }] },
    redis: { to: [{ podSelector: { matchLabels: { app: 'redis' } } }] },
  },
  monitoring: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true },
  },
  serviceAccount: { annotations: { 'kettle.example/role': 'turnpike' } },
};

/** As little as can be: no signer, no policies, no migrations. */
export const BARE: Values = {
  ...{ signer: { enabled: false, keystore: { secret: '' }, passphrase: { secret: '' } } },
  ...{ migrations: { enabled: false }, networkPolicy: { enabled: false }, serviceAccount: { name: 'payments' } },
};

/** A rendered object; tests look at the parts that they know. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each kind has another shape
  readonly spec?: any;
}

interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Later values over earlier ones, as Helm merges files; null takes one away. */
function merge(values: readonly Values[]): Values {
  const merged: Record<string, unknown> = {};
  for (const [name, value] of values.flatMap((each) => Object.entries(each))) {
    const before = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isValues(value) ? merge([...(isValues(before) ? [before] : []), value]) : value;
  }
  return merged;
}

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Runs a command of Helm with values, the later ones over the earlier. */
export async function helm(command: readonly string[], values: readonly Values[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-'));
  try {
    const file = join(folder, 'values.json');
    await writeFile(file, JSON.stringify(merge(values)));
    const args = [...command, '--values', file];
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    return await new Promise((resolve) => {
      execFile(HELM, args, { env, maxBuffer: 16 * 1024 * 1024 }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err: err || (error?.message ?? '') }),
      );
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** All objects of a release `pay`, hooks included. Throws what Helm says against the values. */
export async function render(...values: readonly Values[]): Promise<KubernetesObject[]> {
  const { code, out, err } = await helm(['template', 'pay', CHART], values);
  if (code !== 0) throw new Error(err);
  return parseAllDocuments(out)
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

/** Those of a kind, by their names. */
export const ofKind = (objects: readonly KubernetesObject[], kind: string): Map<string, KubernetesObject> =>
  new Map(objects.filter((object) => object.kind === kind).map((object) => [object.metadata.name, object]));

/** The pod templates, by role. */
export function podsOf(objects: readonly KubernetesObject[]): Map<string, KubernetesObject> {
  const withPods = objects.filter(({ kind }) => ['Deployment', 'StatefulSet', 'Job'].includes(kind));
  return new Map(
    withPods.map(({ metadata, spec }) => [
      metadata.labels?.['app.kubernetes.io/component'] ?? '',
      spec.template as KubernetesObject,
    ]),
  );
}
