// The entry of the program: an old Node is told so before any package is loaded, and a signal ends a start at any time.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { makeTestFolder } from '../support/database/database.ts';
import { until } from '../support/until.ts';

const PROGRAM = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const RECORDER = fileURLToPath(new URL('./live/record-loads.fixture.js', import.meta.url));
const OLD = 'data:text/javascript,Object.defineProperty(process,"version",{value:"v20.20.2"})';

/** Starts the program with modules that are loaded before it. */
function start(preloaded: readonly string[], env: Readonly<Record<string, string>>) {
  const flags = preloaded.flatMap((module) => ['--import', module]);
  const child: ChildProcess = spawn(process.execPath, [...flags, PROGRAM], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => (said += String(chunk)));
  child.stderr?.on('data', (chunk: Buffer) => (said += String(chunk)));
  return { child, said: () => said, closed: once(child, 'close') };
}

describe('a Node that is too old', () => {
  it('is told so in one line, and loads nothing but the entry', async () => {
    const loadsFile = join(await makeTestFolder('old-node'), 'loads');
    const program = start([RECORDER, OLD], { LOADS_FILE: loadsFile });
    expect(await program.closed).toEqual([1, null]);
    expect(program.said()).toMatch(/^Turnpike needs Node [\d.]+ or newer, and this is 20\.20\.2: .+\n$/);
    const loads = (await readFile(loadsFile, 'utf8')).split('\n').filter((url) => url.startsWith('file:'));
    expect(loads.map((url) => url.replace(/^.*\/dist\//, '')).sort()).toEqual([
      'src/main.js',
      'src/values/node-version.js',
    ]);
  });
});

describe('SIGTERM while the program is being loaded', () => {
  it('ends it with 0 as soon as it may, as it does for the first process of a container', async () => {
    const loadsFile = join(await makeTestFolder('early-signal'), 'loads');
    const away = { DATABASE_URL: 'postgresql://127.0.0.1:1/away', DATABASE_WAIT_SECONDS: '86400', ROLES: 'dispatcher' };
    const program = start([RECORDER], { LOADS_FILE: loadsFile, ...away });
    await until(async () => (await readFile(loadsFile, 'utf8').catch(() => '')).includes('/gateway/program.js'));
    program.child.kill('SIGTERM');
    expect(await program.closed).toEqual([0, null]);
  });
});
