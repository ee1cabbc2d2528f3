// The chart renders with the values that operators set, to objects that Kubernetes knows.

import { describe, expect, it } from '@jest/globals';
import { BARE, CHART, helm, LEAST, MOST, ofKind, render, type KubernetesObject } from './chart.fixture.ts';
import { faultsOf } from './schemas.fixture.ts';

const SETS = [
  ['the least', [LEAST]],
  ['the most', [LEAST, MOST]],
  ['the barest', [LEAST, BARE]],
] as const;

describe.each(SETS)('with %s that can be set', (_, values) => {
  it('the chart has no fault that Helm knows of', async () => {
    const { code, out, err } = await helm(['lint', '--strict', CHART], values);
    expect({ code, text: code === 0 ? '' : out + err }).toEqual({ code: 0, text: '' });
  });

  it('every object is as Kubernetes describes its kind', async () => {
    const objects = await render(...values);
    expect(objects.length).toBeGreaterThan(7);
    expect(await faultsOf(objects)).toEqual([]);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('a planted fault is found', () => {
  const planted = async (change: (deployment: KubernetesObject) => void) => {
    const deployment = ofKind(await render(LEAST), 'Deployment').get('pay-turnpike-api');
    if (!deployment) throw new Error('There is no API');
    change(deployment);
    return faultsOf([deployment]);
  };

  it('in a name that does not exist', async () => {
    const faults = await planted(({ spec }) => (spec.template.spec.terminationGraceSeconds = 30));
    expect(faults.join('\n')).toMatch(/terminationGraceSeconds/);
  });

  it('in a value of another type, and where one is missing', async () => {
    expect((await planted(({ spec }) => (spec.replicas = '2'))).join('\n')).toMatch(/replicas/);
    expect((await planted(({ spec }) => delete spec.selector)).join('\n')).toMatch(/selector/);
  });
});

describe('what is switched on', () => {
  it('is all of it, and nothing more', async () => {
    const kindsOf = (objects: readonly KubernetesObject[]) => {
      const count = new Map<string, number>();
      for (const { kind } of objects) count.set(kind, (count.get(kind) ?? 0) + 1);
      return Object.fromEntries(count);
    };
    const always = { Deployment: 4, PodDisruptionBudget: 4, Service: 2 };
    const least = { ...always, ServiceAccount: 1, StatefulSet: 1, Job: 1, NetworkPolicy: 6 };
    const monitoring = { ServiceMonitor: 1, PrometheusRule: 1 };
    expect(kindsOf(await render(LEAST))).toEqual(least);
    expect(kindsOf(await render(LEAST, MOST))).toEqual({
      ...{ ...least, HorizontalPodAutoscaler: 2, Ingress: 1 },
      ...monitoring,
    });
    expect(kindsOf(await render(LEAST, BARE))).toEqual(always);
  });

  it('scales by what a role measures, with its CPU besides', async () => {
    const scalers = ofKind(await render(LEAST, MOST), 'HorizontalPodAutoscaler');
    const metricsOf = (role: string) => {
      const metrics = scalers.get(`pay-turnpike-${role}`)?.spec.metrics as { pods?: object; resource?: object }[];
      return metrics.map(({ pods, resource }) => pods ?? resource);
    };
    const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } };
    expect(metricsOf('api')).toEqual([
      cpu,
      {
        metric: { name: 'turnpike_http_calls', selector: { matchLabels: { state: 'waiting' } } },
        target: { type: 'AverageValue', averageValue: '20' },
      },
    ]);
    expect(metricsOf('dispatcher')).toEqual([
      cpu,
      {
        metric: { name: 'turnpike_webhook_oldest_due_seconds' },
        target: { type: 'AverageValue', averageValue: '30' },
      },
    ]);
    const [api] = ofKind(await render(LEAST, MOST), 'Deployment').values();
    expect(api?.spec).not.toHaveProperty('replicas');
  });

  it('routes to callers what is theirs', async () => {
    const ingress = ofKind(await render(LEAST, MOST), 'Ingress').get('pay-turnpike-api');
    const [rule] = ingress?.spec.rules as { host: string; http: { paths: { path: string }[] } }[];
    expect(rule?.host).toBe('pay.kettle.example');
    expect(rule?.http.paths.map(({ path }) => path)).toEqual([
      ...['/api', '/graphql', '/pay', '/console', '/docs', '/openapi.json'],
    ]);
  });

  it('has the alerts of deploy/prometheus, word for word', async () => {
    const rule = ofKind(await render(LEAST, MOST), 'PrometheusRule').get('pay-turnpike');
    const groups = rule?.spec.groups as { rules: { alert?: string }[] }[];
    expect(groups.flatMap(({ rules }) => rules).length).toBeGreaterThan(5);
    expect(JSON.stringify(groups)).toMatch(/\{\{ \$labels/);
  });
});
