// Writes the generated documents: schema/schema.graphql and schema/openapi.json, both for the sandbox, which has
// everything that live mode has and more, and the table of errors in the guide.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { buildGatewaySchema } from '../src/resolvers/schema.ts';
import type { Services } from '../src/resolvers/services.ts';
import { buildOpenApi } from '../src/rest/openapi/document.ts';
import { ROUTES } from '../src/rest/routes/routes.ts';
import { withErrorTable } from './error-table.ts';

/** Printing does not touch the services behind the schema. */
const buildSandboxSchema = () => buildGatewaySchema({} as Services, 'sandbox');

/** The printed schema. */
export function printGatewaySchema(): string {
  return `${printSchema(lexicographicSortSchema(buildSandboxSchema()))}\n`;
}

/** The printed OpenAPI document, without a server URL. */
export function printOpenApi(): string {
  return `${JSON.stringify(buildOpenApi(buildSandboxSchema(), ROUTES), null, 2)}\n`;
}

if (import.meta.filename === process.argv[1]) {
  const folder = join(process.cwd(), 'schema');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'schema.graphql'), printGatewaySchema());
  writeFileSync(join(folder, 'openapi.json'), printOpenApi());
  const errors = join(process.cwd(), 'docs/guide/errors.md');
  writeFileSync(errors, withErrorTable(readFileSync(errors, 'utf8')));
}
