// Holds objects to Kubernetes' own description of them: its validators find what is missing or of a wrong type, and the
// compiler finds names that do not exist, which Kubernetes would ignore.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../support/sources.ts';
import type { KubernetesObject } from './chart.fixture.ts';

/** The packages of the descriptions are among those of tools/. */
const TOOLS = join(ROOT, 'tools');
const CORE = 'kubernetes-models';
const OPERATOR = '@kubernetes-models/prometheus-operator';

/** Every kind that the chart has: the package that describes it, and its path there. */
const KINDS = [
  [CORE, 'apps/v1/Deployment'],
  [CORE, 'apps/v1/StatefulSet'],
  [CORE, 'autoscaling/v2/HorizontalPodAutoscaler'],
  [CORE, 'batch/v1/Job'],
  [CORE, 'networking.k8s.io/v1/Ingress'],
  [CORE, 'networking.k8s.io/v1/NetworkPolicy'],
  [CORE, 'policy/v1/PodDisruptionBudget'],
  [CORE, 'v1/Service'],
  [CORE, 'v1/ServiceAccount'],
  [OPERATOR, 'monitoring.coreos.com/v1/ServiceMonitor'],
  [OPERATOR, 'monitoring.coreos.com/v1/PrometheusRule'],
] as const;

type Model = new (data: KubernetesObject) => { validate(): void };

/** The module that describes an object's kind. Throws for a kind that is not in the table. */
function moduleOf({ apiVersion, kind }: KubernetesObject): string {
  const found = KINDS.find(([, path]) => path === `${apiVersion}/${kind}`);
  if (!found) throw new Error(`There is no schema for ${apiVersion} ${kind}`);
  return found.join('/');
}

/** What is wrong with an object by itself, or null. */
async function faultOf(object: KubernetesObject): Promise<string | null> {
  const { href } = pathToFileURL(join(TOOLS, 'node_modules', `${moduleOf(object)}.js`));
  const { [object.kind]: Model } = (await import(href)) as Record<string, Model>;
  if (!Model) throw new Error(`${href} has no ${object.kind}`);
  try {
    new Model(object).validate();
    return null;
  } catch (error) {
    return `${object.kind} ${object.metadata.name}: ${(error as Error).message}`;
  }
}

/** One line for each fault. */
export async function faultsOf(objects: readonly KubernetesObject[]): Promise<string[]> {
  const invalid = await Promise.all(objects.map(faultOf));
  return [...invalid.filter((fault) => fault !== null), ...(await unknownNames(objects))];
}

/** Compiles the objects as literals of their types. */
async function unknownNames(objects: readonly KubernetesObject[]): Promise<string[]> {
  const cache = join(TOOLS, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'objects-'));
  try {
    const lines = objects.map((object, place) => {
      const type = `import('${moduleOf(object)}').I${object.kind}`;
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
