// Only one instance per data folder, whatever happened to the one before.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acquireInstanceLock, AlreadyRunning } from '../../src/sandbox/instance-lock.ts';

const MODULE = new URL('../../src/sandbox/instance-lock.js', import.meta.url).href;
const SCRIPT = `
  import { acquireInstanceLock } from ${JSON.stringify(MODULE)};
  try {
    await acquireInstanceLock({ dataDir: process.argv[1] });
    console.log('held');
    setInterval(() => {}, 1000);
  } catch (error) {
    console.log(error.name);
  }`;

let folder: string;
let children: ChildProcess[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-lock-'));
  children = [];
});

afterEach(async () => {
  await Promise.all(children.map(kill));
  await rm(folder, { recursive: true, force: true });
});

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Starts another program on the folder; prints `held` or the name of the error. */
async function startOther(dataDir: string): Promise<{ child: ChildProcess; outcome: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, outcome: chunk.toString().trim() };
}

describe('the instance lock', () => {
  it('creates the folder it locks, and is free again after release', async () => {
    const dataDir = join(folder, 'not', 'yet there');
    const first = await acquireInstanceLock({ dataDir });
    await first.release();
    await first.release();
    const second = await acquireInstanceLock({ dataDir });
    await second.release();
  });

  it('refuses a second holder in the same process, in one line with the folder and the pid', async () => {
    const lock = await acquireInstanceLock({ dataDir: folder });
    const refused = acquireInstanceLock({ dataDir: folder });
    await expect(refused).rejects.toBeInstanceOf(AlreadyRunning);
    await expect(refused).rejects.toThrow(`Another instance (process ${process.pid}) is already running on ${folder}`);
    await lock.release();
  });

  it('is held against another process until that is killed with SIGKILL', async () => {
    const { child, outcome } = await startOther(folder);
    expect(outcome).toBe('held');
    await expect(acquireInstanceLock({ dataDir: folder })).rejects.toThrow(`process ${child.pid ?? ''}`);
    await kill(child);
    const lock = await acquireInstanceLock({ dataDir: folder });
    await lock.release();
  });

  it('is not held by a process that merely has the pid of a dead holder', async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'instance.lock'), '');
    await writeFile(join(folder, 'instance.pid'), `${process.ppid}\n`);
    const lock = await acquireInstanceLock({ dataDir: folder });
    await lock.release();
  });

  it('goes to exactly one of several that start at the same moment', async () => {
    const outcomes = (await Promise.all([1, 2, 3, 4].map(() => startOther(folder)))).map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['AlreadyRunning', 'AlreadyRunning', 'AlreadyRunning', 'held']);
  });

  it('leaves other folders alone', async () => {
    const one = await acquireInstanceLock({ dataDir: join(folder, 'one') });
    const two = await acquireInstanceLock({ dataDir: join(folder, 'two') });
    await Promise.all([one.release(), two.release()]);
  });
});
