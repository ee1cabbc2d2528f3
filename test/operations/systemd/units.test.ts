// The units of deploy/systemd, by systemd's own checks: they are valid, confined, and stop as long as a process drains.

import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ROLES } from '../../../src/config/config.ts';
import { makeTestFolder } from '../../support/database/database.ts';

const UNITS = [...ROLES.map((role) => `turnpike@${role}.service`), 'turnpike-migrate.service'];
/** Of systemd's own units, those that ours depend on. */
const SYSTEM = ['basic', 'multi-user', 'network-online', 'network', 'shutdown', 'sysinit'].map(
  (name) => `${name}.target`,
);
/** Tenths of systemd's points; 100 is a service with every right. */
const EXPOSURE = '15';

let root: string;

beforeAll(async () => {
  root = await makeRoot();
});

/** A root as the guide leaves it: the units, the program, and what of systemd they name. */
async function makeRoot(): Promise<string> {
  const folder = await makeTestFolder('systemd');
  await cp('deploy/systemd', join(folder, 'etc/systemd/system'), { recursive: true });
  await mkdir(join(folder, 'usr/lib/systemd/system'), { recursive: true });
  for (const unit of [...SYSTEM, '-.slice', 'system.slice'])
    await cp(join('/lib/systemd/system', unit), join(folder, 'usr/lib/systemd/system', unit)).catch(() => undefined);
  const bin = join(folder, 'opt/turnpike/node_modules/.bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'node'), '');
  await chmod(join(bin, 'node'), 0o755);
  return folder;
}

/** What systemd-analyze prints about a root's units, and its exit code. */
async function analyze(folder: string, ...args: readonly string[]): Promise<{ code: number; said: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)('systemd-analyze', [`--root=${folder}`, ...args]);
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, said: stdout + stderr };
  }
}

const verify = (folder: string) => analyze(folder, 'verify', '--man=no', ...UNITS, 'turnpike.target');
const secure = (folder: string, unit: string) =>
  analyze(folder, 'security', '--offline=true', '--no-pager', `--threshold=${EXPOSURE}`, unit);

describe('the units', () => {
  it('are valid', async () => {
    expect(await verify(root)).toEqual({ code: 0, said: '' });
  });

  it('are valid with the mail server of all but the signer', async () => {
    const folder = await makeRoot();
    for (const role of ROLES.filter((role) => role !== 'signer'))
      await cp('deploy/systemd/mail.conf', join(folder, `etc/systemd/system/turnpike@${role}.service.d/mail.conf`));
    expect(await verify(folder)).toEqual({ code: 0, said: '' });
  });

  it('would not be with a word that systemd does not know', async () => {
    const folder = await makeRoot();
    const path = join(folder, 'etc/systemd/system/turnpike@.service');
    await writeFile(path, `${await readFile(path, 'utf8')}\n[Service]\nMemoryMost=512M\n`);
    expect((await verify(folder)).said).toContain('MemoryMost');
  });

  it.each(UNITS)('%s has no right that it does not need', async (unit) => {
    expect(await secure(root, unit)).toMatchObject({ code: 0 });
  });

  it('would be found too exposed without one of its settings', async () => {
    const folder = await makeRoot();
    const path = join(folder, 'etc/systemd/system/turnpike@.service');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('CapabilityBoundingSet=\n', ''));
    expect((await secure(folder, 'turnpike@api.service')).code).toBe(1);
  });
});

describe('a process by these units', () => {
  const read = (name: string) => readFile(join('deploy/systemd', name), 'utf8');

  it('may stop for as long as it drains, and the ten seconds after that', async () => {
    const text = await read('turnpike@.service');
    const drains = Number(/SHUTDOWN_GRACE_SECONDS=(\d+)/.exec(text)?.[1]);
    const stops = Number(/^TimeoutStopSec=(\d+)s$/m.exec(text)?.[1]);
    expect(stops).toBeGreaterThan(drains + 10);
  });

  it('gets its secrets as files that its variables name, and only the signer gets the seed', async () => {
    const [all, signer] = [await read('turnpike@.service'), await read('turnpike@signer.service.d/keystore.conf')];
    for (const text of [all, signer, await read('mail.conf'), await read('turnpike-migrate.service')]) {
      const loaded = [...text.matchAll(/^LoadCredential=([\w-]+):/gm)].map(([, name]) => name).sort();
      const named = [...text.matchAll(/=%d\/([\w-]+)/g)].map(([, name]) => name).sort();
      expect(named).toEqual(loaded);
      expect(loaded.length).toBeGreaterThan(0);
    }
    expect(all).not.toContain('keystore');
    expect(signer).toMatch(/^StateDirectory=turnpike$/m);
  });
});
