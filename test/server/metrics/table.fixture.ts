// The metrics table of docs/metrics.md and the metric families of a scrape, in one form for comparison.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PAGE = fileURLToPath(new URL('../../../../docs/metrics.md', import.meta.url));

/** `name kind labels`, sorted, of every family that the page lists for a process with these roles. */
export function documentedFamilies(roles: readonly string[]): string[] {
  const rows = [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(turnpike_\w+)` +\| (\w+) +\| ([^|]*)\| (\w+) +\|/gm)];
  return rows
    .filter(([, , , , role = '']) => role === 'every' || roles.includes(role))
    .map(([, name = '', kind = '', labels = '']) => lineOf(name, kind, labels.match(/\w+/g) ?? []))
    .sort();
}

/** The families of a scrape: name and kind; labels only of those that have samples. */
export function toldFamilies(
  text: string,
): { readonly name: string; readonly kind: string; readonly labels: string[] | null }[] {
  return [...text.matchAll(/^# TYPE (turnpike_\w+) (\w+)$/gm)].map(([, name = '', kind = '']) => {
    const sample = new RegExp(`^${name}(?:_bucket|_count)?(?:\\{(.*)\\})? \\S+$`, 'm').exec(text);
    const labels = [...(sample?.[1] ?? '').matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    return { name, kind, labels: sample ? labels.filter((label) => label !== 'le') : null };
  });
}

/** The families that are reported but not documented, and the reverse; labels are compared where there are samples. */
export function differences(text: string, roles: readonly string[]): string[] {
  const told = toldFamilies(text);
  const documented = new Map(documentedFamilies(roles).map((line) => [line.split(' ')[0] ?? '', line]));
  const found = told.map(({ name, kind, labels }) => {
    const expected = documented.get(name)?.split(' ') ?? [];
    return lineOf(name, kind, labels ?? expected.slice(2));
  });
  const lines = [...documented.values()];
  return [
    ...found.filter((line) => !lines.includes(line)).map((line) => `told, not documented: ${line}`),
    ...lines.filter((line) => !found.includes(line)).map((line) => `documented, not told: ${line}`),
  ];
}

const lineOf = (name: string, kind: string, labels: readonly string[]) => [name, kind, ...[...labels].sort()].join(' ');
