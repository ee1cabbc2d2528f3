// The Postman collection: what is committed is what the document makes, and each of its requests is answered as it
// should be by a fresh merchant's sandbox.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';
import { makeTestFolder } from '../support/database/database.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { runClient } from './run-client.fixture.ts';

const COMMITTED = join(ROOT, 'schema/postman.json');

let gateway: BorrowedGateway;
let folder: string;
beforeAll(async () => {
  gateway = await borrowGateway();
  folder = await makeTestFolder('postman');
});
afterAll(() => gateway.stop());

describe('schema/postman.json', () => {
  it('is what the document makes; `npm run postman` writes it anew', async () => {
    const made = join(folder, 'postman.json');
    await runClient('make-postman.js', [made]);
    expect(readFileSync(COMMITTED, 'utf8')).toBe(readFileSync(made, 'utf8'));
  });

  it('is run by newman, and every request is answered as it should be', async () => {
    const report = join(folder, 'report.json');
    const reporters = ['--reporters', 'json', '--reporter-json-export', report, '--suppress-exit-code'];
    const base = ['--env-var', `baseUrl=${gateway.url}`];
    await runClient('node_modules/newman/bin/newman.js', ['run', COMMITTED, ...base, ...reporters]);
    const { run } = JSON.parse(readFileSync(report, 'utf8'));
    expect(run.stats.requests).toMatchObject({ failed: 0 });
    expect(run.stats.assertions.total).toBeGreaterThan(60);
    const failures = (run.failures as { source: { name: string }; error: { message: string } }[]).map(
      ({ source, error }) => `${source.name}: ${error.message}`,
    );
    expect(failures).toEqual([]);
  });
});
