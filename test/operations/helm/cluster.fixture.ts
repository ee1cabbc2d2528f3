// Does with the chart's objects what a cluster's controllers do, as far as podman does not: a job's pod, a stateful
// set's pod and its claim, the replicas of a deployment.

import type { KubernetesObject } from './chart.fixture.ts';

/**
 * What podman has nothing for: it schedules nothing, would ask the probes with a shell, which the image lacks, and
 * would publish every pod's port as the same port of this machine.
 */
const NOT_PLAYED = new Set(['topologySpreadConstraints', 'startupProbe', 'livenessProbe', 'readinessProbe', 'ports']);

/** A pod without the parts that podman has nothing for, and with a default of Kubernetes that podman 4.3 lacks. */
export function playable(pod: KubernetesObject): KubernetesObject {
  const played = (part: object) => Object.fromEntries(Object.entries(part).filter(([name]) => !NOT_PLAYED.has(name)));
  const spec = pod.spec as { readonly containers: readonly object[]; readonly volumes: readonly { secret?: object }[] };
  const volumes = spec.volumes.map(({ secret, ...volume }) =>
    secret ? { ...volume, secret: { ...secret, optional: false } } : volume,
  );
  return { ...pod, spec: { ...played(spec), volumes, containers: spec.containers.map(played) } };
}

const podOf = (name: string, template: KubernetesObject): KubernetesObject => ({
  ...playable(template),
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { ...template.metadata, name },
});

/** A deployment with each of its replicas as one of its own, because podman makes one pod of each. */
export function deploymentsOf(object: KubernetesObject): KubernetesObject[] {
  const { replicas, template } = object.spec as { replicas: number; template: KubernetesObject };
  return Array.from({ length: replicas }, (_, nth) => ({
    ...object,
    metadata: { ...object.metadata, name: `${object.metadata.name}-${String(nth)}` },
    spec: { ...object.spec, replicas: 1, template: playable(template) },
  }));
}

/** The pod of a job. */
export const podOfJob = ({ metadata, spec }: KubernetesObject): KubernetesObject =>
  podOf(metadata.name, spec.template as KubernetesObject);

/** The first pod of a stateful set, and the claims of its volumes. */
export function firstOf({ metadata, spec }: KubernetesObject): { pod: KubernetesObject; claims: KubernetesObject[] } {
  const pod = podOf(`${metadata.name}-0`, spec.template as KubernetesObject);
  const templates = spec.volumeClaimTemplates as KubernetesObject[];
  const claims = templates.map((claim) => ({
    ...claim,
    metadata: { ...claim.metadata, name: `${claim.metadata.name}-${metadata.name}-0` },
  }));
  const mounted = claims.map((claim, place) => ({
    name: templates[place]?.metadata.name,
    persistentVolumeClaim: { claimName: claim.metadata.name },
  }));
  return { claims, pod: { ...pod, spec: { ...pod.spec, volumes: [...pod.spec.volumes, ...mounted] } } };
}
