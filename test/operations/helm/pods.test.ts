// What every pod of the chart has: its rights, its secrets, its policy, and a configuration that the program accepts.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/config/config.ts';
import { LEAST, MOST, ofKind, podsOf, render, type KubernetesObject, type Values } from './chart.fixture.ts';

const ROLES = ['api', 'observer', 'dispatcher', 'mailer', 'signer', 'migrations'];
const SETS: readonly (readonly [string, readonly Values[]])[] = [
  ['the least', [LEAST]],
  ['the most', [LEAST, MOST]],
];

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: object;
}
interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName: string; readonly items?: readonly { key: string; path: string }[] };
}

const containerOf = (pod: KubernetesObject): Container => {
  const [container] = pod.spec.containers as Container[];
  if (!container) throw new Error('A pod has no container');
  return container;
};
const envOf = (pod: KubernetesObject): Record<string, string> =>
  Object.fromEntries(containerOf(pod).env.map(({ name, value }) => [name, value]));

/** The files that a pod's Secrets are mounted as, with where each comes from. */
function secretFilesOf(pod: KubernetesObject): Map<string, string> {
  const volumes = new Map((pod.spec.volumes as Volume[]).map((volume) => [volume.name, volume]));
  return new Map(
    containerOf(pod).volumeMounts.flatMap(({ name, mountPath }) => {
      const secret = volumes.get(name)?.secret;
      return (secret?.items ?? []).map(
        ({ key, path }) => [`${mountPath}/${path}`, `${secret?.secretName ?? ''}/${key}`] as const,
      );
    }),
  );
}

const labelsOf = (object: KubernetesObject) => object.metadata.labels ?? {};
const selects = (selector: Readonly<Record<string, string>>, pod: KubernetesObject): boolean =>
  Object.entries(selector).every(([name, value]) => labelsOf(pod)[name] === value);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pods-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(SETS)('with %s that can be set, each pod', (_, values) => {
  let objects: KubernetesObject[];
  let pods: Map<string, KubernetesObject>;
  beforeAll(async () => {
    objects = await render(...values);
    pods = podsOf(objects);
    expect([...pods.keys()].sort()).toEqual([...ROLES].sort());
  });

  it('has no rights that it does not need', () => {
    for (const pod of pods.values()) {
      expect(pod.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          ...{ runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 },
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      expect(containerOf(pod).securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      });
    }
  });

  it('gets its secrets as files, of which each is mounted, and no others', () => {
    for (const [role, pod] of pods) {
      const env = envOf(pod);
      const named = Object.entries(env).filter(([name]) => name.endsWith('_FILE') || name === 'KEYSTORE_PATH');
      const mounted = secretFilesOf(pod);
      expect(named.map(([, path]) => path).sort()).toEqual([...mounted.keys()].sort());
      expect(JSON.stringify(pod)).not.toMatch(/secretKeyRef|envFrom/);
      expect('KEYSTORE_PATH' in env).toBe(role === 'signer');
      expect('KEYSTORE_PASSPHRASE_FILE' in env).toBe(role === 'signer');
    }
  });

  it('has a configuration that the program accepts', async () => {
    const contents: Record<string, string> = {
      TURNPIKE_SECRET: 'Jx2v0sQm8kTtYb6nRw4eUz1pLf7hCd3g',
      TOKEN_SECRETS: 'hCd3gJx2v0sQm8kTtYb6nRw4eUz1pLf7',
      KEYSTORE_PASSPHRASE: 'three green lamps, unlit',
      DATABASE_URL: 'postgresql://turnpike:pw@postgres/turnpike',
      DATABASE_DIRECT_URL: 'postgresql://owner:pw@postgres/turnpike',
      REDIS_URL: 'redis://redis',
      ETH_RPC_URL: 'https://node.example/key',
      ETH_XPUB: `xpub${'A'.repeat(107)}`,
    };
    for (const [role, pod] of pods) {
      const env = envOf(pod);
      for (const name of Object.keys(env).filter((variable) => variable.endsWith('_FILE'))) {
        const secret = name.replace(/_FILE$/, '');
        env[name] = join(folder, secret);
        await writeFile(env[name], contents[secret] ?? '');
      }
      const config = readConfig(env);
      expect([config.environment, [...config.roles], config.migrateAtStart]).toEqual([
        ...['live', [role === 'migrations' ? 'api' : role], false],
      ]);
      expect(config.metricsPort ?? config.port).toBe(8080);
    }
  });

  it('is selected by its workload, and by one policy', () => {
    for (const [role, pod] of pods) {
      const policies = [...ofKind(objects, 'NetworkPolicy').values()];
      const ofPod = policies.filter(({ spec }) => selects(spec.podSelector.matchLabels, pod));
      expect(ofPod.map(({ metadata }) => metadata.name)).toEqual([`pay-turnpike-${role}`]);
    }
    for (const { metadata, spec } of [
      ...ofKind(objects, 'Deployment').values(),
      ...ofKind(objects, 'StatefulSet').values(),
    ]) {
      const role = metadata.labels?.['app.kubernetes.io/component'];
      const selected = [...pods].filter(([, pod]) => selects(spec.selector.matchLabels, pod));
      expect(selected.map(([name]) => name)).toEqual([role]);
    }
    const [api, workers] = ofKind(objects, 'Service').values();
    const selectedBy = (service?: KubernetesObject) =>
      [...pods].filter(([, pod]) => selects(service?.spec.selector, pod)).map(([role]) => role);
    expect([selectedBy(api), selectedBy(workers)]).toEqual([['api'], ['observer', 'dispatcher', 'mailer', 'signer']]);
  });

  it('has the time to drain and to stop', () => {
    for (const pod of pods.values()) {
      const drain = Number(envOf(pod)['SHUTDOWN_GRACE_SECONDS'] ?? 0);
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain + 10);
    }
  });
});

describe('the signer', () => {
  it('is reached by nobody but monitoring, and reaches names, the database and the nodes alone', async () => {
    const policyOf = async (...values: readonly Values[]) =>
      ofKind(await render(...values), 'NetworkPolicy').get('pay-turnpike-signer')?.spec;
    const tcp = (port: number) => [{ protocol: 'TCP', port }];
    const egress = [
      {
        to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
        ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)],
      },
      { to: [{ podSelector: { matchLabels: { app: 'postgres' } } }], ports: tcp(5432) },
      { to: [{ ipBlock: { cidr: '203.0.113.10/32' } }], ports: tcp(8545) },
    ];
    const least = await policyOf(LEAST);
    expect(least).toMatchObject({ policyTypes: ['Ingress', 'Egress'], egress });
    expect(least).not.toHaveProperty('ingress');
    const most = await policyOf(LEAST, MOST);
    expect(most.egress).toEqual(egress);
    expect(most.ingress).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        ports: [{ protocol: 'TCP', port: 'http' }],
      },
    ]);
  });

  it('is one, with its journal on a volume that stays', async () => {
    const { spec } = ofKind(await render(LEAST), 'StatefulSet').get('pay-turnpike-signer') ?? {};
    expect(spec).toMatchObject({
      replicas: 1,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [{ metadata: { name: 'journal' }, spec: { resources: { requests: { storage: '1Gi' } } } }],
    });
    const mounts = containerOf(spec.template as KubernetesObject).volumeMounts;
    expect(mounts).toContainEqual({ name: 'journal', mountPath: '/var/lib/turnpike' });
    expect(envOf(spec.template as KubernetesObject)['JOURNAL_DIR']).toBe('/var/lib/turnpike');
  });

  it('takes a database role of its own, and the migrations another', async () => {
    const pods = podsOf(await render(LEAST, MOST));
    const sourceOf = (role: string, variable: string) => {
      const pod = pods.get(role) as KubernetesObject;
      return secretFilesOf(pod).get(envOf(pod)[`${variable}_FILE`] ?? '');
    };
    expect(sourceOf('api', 'DATABASE_URL')).toBe('turnpike/DATABASE_URL');
    expect(sourceOf('signer', 'DATABASE_URL')).toBe('turnpike-signer/DATABASE_URL');
    expect(sourceOf('migrations', 'DATABASE_DIRECT_URL')).toBe('turnpike-owner/url');
    expect(sourceOf('api', 'DATABASE_DIRECT_URL')).toBeUndefined();
  });
});

it('migrations run before anything is replaced, and nothing else changes the schema', async () => {
  const job = ofKind(await render(LEAST), 'Job').get('pay-turnpike-migrations');
  expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
  expect(job?.spec.template.spec.containers[0].args).toEqual(['dist/src/cli/migrate.js']);
});
