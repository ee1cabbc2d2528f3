// Tools that look for a gateway where there is none, or where one has run: they say what to set.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '../support/sources.ts';
import { makeTestFolder } from '../support/database/database.ts';

let folder: string;
let stopped: string;
beforeAll(async () => {
  [folder, stopped] = [await makeTestFolder('nowhere'), await makeTestFolder('stopped')];
  await writeFile(join(stopped, 'database-url'), 'postgres://nobody@127.0.0.1:1/none\n');
  await writeFile(join(stopped, 'secret'), 'x'.repeat(48));
});
afterAll(async () => {
  await Promise.all([folder, stopped].map((each) => rm(each, { recursive: true, force: true })));
});

const TOOLS = [
  ['ledger/verify.js'],
  ['ledger/ledger.js', 'suspense'],
  ['operator/operator.js', 'merchants'],
  ['operator/operator.js', 'health'],
  ['migrate.js'],
] as const;

/** Runs a tool from a folder that is not the repository's. */
async function saysOf(dataDir: string, [program, ...words]: readonly string[]): Promise<string> {
  const path = join(ROOT, 'dist/src/cli', program ?? '');
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir };
  const child = spawn(process.execPath, [path, ...words], { cwd: folder, env });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(code).not.toBe(0);
  return said;
}

it.each([...TOOLS, ['wallet/wallet.js', 'verify']])(
  '%s %s says what to set where no gateway has run',
  async (...tool) => {
    expect(await saysOf(folder, tool)).toMatch(/^(No gateway has run|There is no wallet) on .* or set .*DATA_DIR/);
  },
);

it.each(TOOLS)('%s says so too where the gateway that has run does not run', async (...tool) => {
  const expected = `The gateway on ${stopped} does not run; start it, or set DATABASE_URL or DATA_DIR: cannot connect`;
  expect(await saysOf(stopped, tool)).toContain(expected);
});
