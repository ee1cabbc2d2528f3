// Holds objects to Kubernetes' own description of them: its validators find what is missing or of a wrong type, and the
// compiler finds names that do not exist, which Kubernetes would ignore.

import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../architecture/sources.fixture.ts';
import type { KubernetesObject } from './chart.fixture.ts';

const CORE = 'kubernetes-models';
const OPERATOR = '@kubernetes-models/prometheus-operator';

/** Every kind that the chart has. */
const KINDS = [
  { model: Deployment, from: CORE },
  { model: StatefulSet, from: CORE },
  { model: HorizontalPodAutoscaler, from: CORE },
  { model: Job, from: CORE },
  { model: Ingress, from: CORE },
  { model: NetworkPolicy, from: CORE },
  { model: PodDisruptionBudget, from: CORE },
  { model: Service, from: CORE },
  { model: ServiceAccount, from: CORE },
  { model: ServiceMonitor, from: OPERATOR },
  { model: PrometheusRule, from: OPERATOR },
] as const;

function kindOf({ apiVersion, kind }: KubernetesObject) {
  const found = KINDS.find(({ model }) => model.kind === kind && model.apiVersion === apiVersion);
  if (!found) throw new Error(`There is no schema for ${apiVersion} ${kind}`);
  return found;
}

/** One line for each fault. */
export async function faultsOf(objects: readonly KubernetesObject[]): Promise<string[]> {
  const invalid = objects.flatMap((object) => {
    const { model } = kindOf(object);
    try {
      // The constructor's type differs by kind, and the object is not known to be of it: that is what is checked.
      new (model as unknown as new (data: unknown) => { validate(): void })(object).validate();
      return [];
    } catch (error) {
      return [`${object.kind} ${object.metadata.name}: ${(error as Error).message}`];
    }
  });
  return [...invalid, ...(await unknownNames(objects))];
}

/** Compiles the objects as literals of their types. */
async function unknownNames(objects: readonly KubernetesObject[]): Promise<string[]> {
  const cache = join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'objects-'));
  try {
    const lines = objects.map((object, place) => {
      const { from, model } = kindOf(object);
      const type = `import('${from}/${model.apiVersion}/${model.kind}').I${model.kind}`;
      return `export const object${String(place)}: ${type} = ${JSON.stringify(object, null, 2)};`;
    });
    const file = join(folder, 'objects.ts');
    await writeFile(file, `${lines.join('\n')}\n`);
    return await compile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const TSC = join(ROOT, 'node_modules/typescript-native/bin/tsc');

function compile(file: string): Promise<string[]> {
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'esnext', '--module', 'nodenext'];
  return new Promise((resolve) => {
    execFile(process.execPath, [TSC, ...options, '--ignoreConfig', file], { cwd: ROOT }, (error, out, err) =>
      resolve(error === null ? [] : `${out}${err}`.trim().split('\n')),
    );
  });
}
