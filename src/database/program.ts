// What a program tells the database about itself, so that no migration goes over the head of one that could not go on:
// its version, and the schema that it knows.

import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');

/** The version of this program as package.json and the changelog have it, such as `0.2.0`. */
export const VERSION = (JSON.parse(manifest) as { version: string }).version;

/** The application name of this program's connections in pg_stat_activity. */
export const applicationNameOf = (schema: number): string => `turnpike ${VERSION}, schema ${schema}`;

/** The schema that a program with this application name knows; null if it is not one of ours. */
export function schemaOfProgram(name: string): number | null {
  // The first release said no more.
  if (name === 'turnpike') return 1;
  const digits = /^turnpike \S+, schema (\d{1,6})$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
