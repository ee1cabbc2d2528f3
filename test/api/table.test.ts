// Checks that the API's tests are complete: every row of the table has a folder, and every error that a row documents
// has a file.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Route } from '../../src/rest/routes/route.ts';
import { ROUTES } from '../../src/rest/routes/routes.ts';
import { ERRORS } from '../../src/values/errors.ts';
import { ROOT } from '../support/sources.ts';

/** The sources: of what holds for every row, the build may have left out the tests. */
const HERE = join(ROOT, 'test/api');
const statusesIn = (folder: string): string[] =>
  readdirSync(join(HERE, folder)).flatMap((file) => /^(\d{3})\.test\.ts$/.exec(file)?.[1] ?? []);

const FOLDERS = readdirSync(HERE, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Statuses that hold for all rows and are tested on all of them. */
const EVERYWHERE = new Set(statusesIn('every-endpoint'));

const folderOf = ({ method, path }: Route): string =>
  `${method}${path.replaceAll(/\/:?/g, '-').replaceAll('_', '-')}`.toLowerCase();

const rows = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

describe('test/api', () => {
  it.each(rows)('%s has a folder with its success', (_, route) => {
    expect(FOLDERS).toContain(folderOf(route));
    expect(statusesIn(folderOf(route))).toContain(String(route.status));
  });

  it.each(rows)('%s has a file for each status that it alone documents, or it is tried on every row', (_, route) => {
    const tried = new Set([...statusesIn(folderOf(route)), ...EVERYWHERE]);
    for (const name of route.errors ?? []) expect(tried).toContain(String(ERRORS[name].status));
    // Errors of meaning need a file in each row's folder, even if several rows share the status.
    const own = (route.errors ?? []).filter((name) => ![401, 403, 404, 503].includes(ERRORS[name].status));
    for (const name of own) expect(statusesIn(folderOf(route))).toContain(String(ERRORS[name].status));
  });

  it('what holds for every row is tried on every row', () => {
    expect([...EVERYWHERE].sort()).toEqual(
      ['400', '401', '403', '404', '405', '413', '415', '422', '429', '500', '503'].sort(),
    );
  });

  it('has no folder without a row', () => {
    const known = [...ROUTES.map(folderOf), 'every-endpoint', 'errors', 'fixtures'];
    expect(FOLDERS.filter((folder) => !known.includes(folder))).toEqual([]);
  });
});
