// Runs podman, buildah and scripts that call them, with settings that also work inside containers and small VMs.

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/**
 * Limits below those of most machines, because raising them needs a privilege that even root may lack; no systemd; and
 * runc, because Debian's crun does not run with cgroups v1.
 */
const SETTINGS = `[containers]
default_ulimits = ["nofile=16384:16384", "nproc=8192:8192"]
log_driver = "k8s-file"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`;

/** The environment in which tests run podman, buildah and scripts that call them. */
export function containerEnvironment(): NodeJS.ProcessEnv {
  const folder = join(tmpdir(), 'turnpike-containers');
  mkdirSync(folder, { recursive: true });
  const settings = join(folder, 'containers.conf');
  writeFileSync(settings, SETTINGS);
  return { ...process.env, CONTAINERS_CONF: settings, BUILDAH_ISOLATION: 'chroot' };
}

/** Runs a container tool and returns its output. Rejects with what it printed if it fails. */
export async function runContainerTool(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const { cwd, env = {} } = options;
  const all = {
    env: { ...containerEnvironment(), ...env },
    maxBuffer: 64 * 1024 * 1024,
    ...(cwd !== undefined && { cwd }),
  };
  try {
    const { stdout } = await promisify(execFile)(program, [...args], all);
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error });
  }
}

/** `podman …`. */
export const podman = (...args: readonly string[]): Promise<string> => runContainerTool('podman', args);

/** What a container has said so far, on both of its streams. */
export async function logsOf(container: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('podman', ['logs', container], { env: containerEnvironment() });
  return stdout + stderr;
}

/** Between two looks: each starts a program. */
const LOOK_EVERY_MS = 1_000;

/** Resolves when a container has said these words. Rejects with its last ones if it ends before. */
export async function waitForLog(container: string, words: string): Promise<void> {
  for (;;) {
    const state = await podman('inspect', '--format={{.State.Status}}', container);
    const said = await logsOf(container);
    if (said.includes(words)) return;
    if (state === 'exited') throw new Error(`${container} ended: ${said.slice(-2_000)}`);
    await sleep(LOOK_EVERY_MS);
  }
}
