// The clients of the ecosystem, made of our documents, compiled strictly, and used against a gateway. Their packages
// are apart: npm ci --prefix test/clients, then npm run test:clients.

import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newMerchant } from '../support/clients.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { FOLDER, runClient } from './run-client.fixture.ts';

const GENERATED = 'dist/generated';
const OPENAPI = '../../schema/openapi.json';

const PROGRAMS = readdirSync(join(FOLDER, 'programs'))
  .map((name) => name.replace(/\.ts$/, ''))
  .filter((name) => !['call', 'documents'].includes(name));

let gateway: BorrowedGateway;
beforeAll(async () => {
  gateway = await borrowGateway();
  await rm(join(FOLDER, 'dist'), { recursive: true, force: true });
  await mkdir(join(FOLDER, GENERATED), { recursive: true });
});
afterAll(() => gateway.stop());

describe('clients made of the documents', () => {
  it.each([
    ['openapi-typescript', 'openapi-typescript/bin/cli.js', [OPENAPI, '-o', `${GENERATED}/openapi-typescript.ts`]],
    ['@hey-api/openapi-ts', '@hey-api/openapi-ts/bin/run.js', ['-i', OPENAPI, '-o', `${GENERATED}/hey-api`]],
    ['graphql-codegen', '.bin/graphql-codegen', ['--config', 'codegen.ts']],
    ['tsc, strictly', 'typescript/bin/tsc', ['-p', '.']],
  ])('%s', async (_, script, parameters) => {
    await runClient(`node_modules/${script}`, parameters);
  });

  it.each(PROGRAMS)('%s', async (program) => {
    const { keyId, secret } = await newMerchant(gateway);
    await runClient(`dist/out/programs/${program}.js`, [], { BASE: gateway.url, KEY_ID: keyId, SECRET: secret });
  });
});
