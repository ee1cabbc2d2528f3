// Every alert has a page, a unit test and metrics that exist, and every page an alert.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { documentedFamilies } from '../server/metrics/table.fixture.ts';

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const rules = readFileSync(at('deploy/prometheus/alerts.yaml'), 'utf8');
const alerts = [...rules.matchAll(/^ {6}- alert: (\w+)\n([^]*?)(?=^ {6}- alert|^ {2}- name|$(?![^]))/gm)].map(
  ([, name = '', text = '']) => ({ name, text }),
);
const names = alerts.map(({ name }) => name).sort();
/** Families of others: Prometheus's own, and those of its client library for Node. */
const FOREIGN = new Set(['up', 'nodejs_eventloop_lag_p99_seconds']);

describe('alerts', () => {
  it('are found', () => {
    expect(names.length).toBeGreaterThanOrEqual(30);
    expect(rules.match(/alert:/g)).toHaveLength(names.length);
  });

  it('have a page each, and each page has an alert', () => {
    const pages = readdirSync(at('docs/operations/alerts')).map((file) => file.replace(/\.md$/, ''));
    expect(pages.sort()).toEqual(names);
  });

  it.each(alerts)(
    '$name links to its page, says how urgent it is, and its page answers what is asked',
    ({ name, text }) => {
      expect(text).toContain(`runbook_url: '{{ $externalLabels.runbooks }}/${name}.md'`);
      expect(text).toMatch(/severity: (critical|warning) /);
      const page = readFileSync(at(`docs/operations/alerts/${name}.md`), 'utf8');
      const headings = ['What merchants see', 'How to look', 'What to do', 'When it is over'];
      expect([...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual(headings);
      expect(page).toMatch(new RegExp(`^# ${name}\n\n\\S`));
    },
  );

  it('use metrics that exist', () => {
    const known = new Set(
      documentedFamilies(['api', 'observer', 'dispatcher', 'mailer', 'signer']).map((line) => line.split(' ')[0]),
    );
    for (const { name, text } of alerts) {
      const expression = /expr: '(.*)'\n/.exec(text)?.[1] ?? '';
      const used = expression.match(/\b(turnpike_\w+|nodejs_\w+|process_\w+|up(?=\{))/g) ?? [];
      expect([name, used.length > 0]).toEqual([name, true]);
      for (const family of used)
        expect([name, known.has(family) || FOREIGN.has(family) ? '' : family]).toEqual([name, '']);
    }
  });

  it('are listed with their pages in monitoring.md', () => {
    const page = readFileSync(at('docs/operations/monitoring.md'), 'utf8');
    const listed = [...page.matchAll(/^\| \[(\w+)\]\(alerts\/(\w+)\.md\)/gm)].map(([, name, file]) => [name, file]);
    expect(listed.sort()).toEqual(names.map((name) => [name, name]));
  });

  it('are each tested by promtool, before their time and after', () => {
    const tests = readFileSync(at('deploy/prometheus/alerts.test.yaml'), 'utf8');
    for (const name of names) expect([name, tests.split(`alertname: ${name}\n`).length - 1]).toEqual([name, 2]);
    expect(tests.match(/exp_alerts: \[\]/g)).toHaveLength(names.length);
  });
});
