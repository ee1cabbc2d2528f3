// Writes schema/schema.graphql: the schema of the sandbox, which has everything that live has and more, as built from code.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildGatewaySchema } from '../src/resolvers/schema.ts';
import type { Services } from '../src/resolvers/services.ts';

/** The printed schema; the services behind it are not touched by printing. */
export function printGatewaySchema(): string {
  return `${printSchema(lexicographicSortSchema(buildGatewaySchema({} as Services, 'sandbox')))}\n`;
}

if (import.meta.filename === process.argv[1]) {
  const folder = join(process.cwd(), 'schema');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'schema.graphql'), printGatewaySchema());
}
