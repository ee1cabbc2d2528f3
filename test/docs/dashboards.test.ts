// The dashboards in deploy/grafana are what their source says, and show metrics that exist.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { dashboards, textOf } from '../../scripts/grafana-dashboards.ts';
import { documentedFamilies } from '../server/metrics/table.fixture.ts';

const FOLDER = fileURLToPath(new URL('../../../deploy/grafana/', import.meta.url));
const all = [...dashboards()];

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

it('there is one for each role, written by npm run dashboards', () => {
  expect(all.map(([name]) => name).sort()).toEqual([
    ...['api.json', 'dispatcher.json', 'mailer.json', 'observer.json', 'signer.json'],
  ]);
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
  expect(files.sort()).toEqual(all.map(([name]) => name).sort());
  for (const [name, dashboard] of all)
    expect([name, readFileSync(FOLDER + name, 'utf8') === textOf(dashboard)]).toEqual([name, true]);
});

it.each(all)('%s shows only metrics that a process with its role has, by labels that they have', (name, dashboard) => {
  const role = name.replace('.json', '');
  const families = documentedFamilies([role]).map((line) => line.split(' '));
  const { panels } = dashboard as Dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, targets = [] } of panels)
    for (const { expr } of targets) {
      const [used = ''] = /\bturnpike_\w+/.exec(expr) ?? [];
      if (used === '') expect([title, expr]).toEqual([title, expect.stringMatching(/\b(up\{|process_|nodejs_)/)]);
      else {
        const [, kind = '', ...labels] =
          families.find(([family, kind]) => family === used || (kind === 'histogram' && `${family}_bucket` === used)) ??
          [];
        expect([title, used, kind === '' ? 'unknown' : 'known']).toEqual([title, used, 'known']);
        expect([title, /\brate\(/.test(expr)]).toEqual([title, kind !== 'gauge']);
        const grouped = [...expr.matchAll(/by \(([\w, ]+)\)/g)].flatMap(([, list = '']) => list.split(', '));
        const own = [...labels, 'le', 'instance', 'job'];
        for (const label of grouped) expect([title, own.includes(label) ? '' : label]).toEqual([title, '']);
      }
    }
});
