// The guide's table of clients has the versions that are tested (test/clients).

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';

const page = readFileSync(join(ROOT, 'docs/guide/clients.md'), 'utf8');
const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'test/clients/package.json'), 'utf8')) as {
  dependencies: Readonly<Record<string, string>>;
};

/** Packages that are no clients: runtimes, what makes the collection, checks the documents, or serves the programs. */
const OTHERS =
  /^(deno|bun|graphql|rxjs|typescript|openapi-to-postmanv2|graphql-schema-linter|@types\/node|@redocly\/cli|@stoplight\/spectral-cli|@graphql-inspector\/cli|@graphql-codegen\/typescript(-operations)?)$/;

describe('the table of clients', () => {
  it('has each client with the version that is tested', () => {
    const said = [...page.matchAll(/^\|.*`([\w@/-]+)`\s+\| (\d+\.\d+\.\d+) /gm)].map(([, name, version]) => [
      name,
      version,
    ]);
    const tested = Object.entries(dependencies).filter(([name]) => !OTHERS.test(name));
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(tested));
  });
});
