// Recognises the processes of one PostgreSQL cluster, and ends those that a killed server left behind.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';

/** Twelve hexadecimal digits that stand for a path where the path itself would be too long. */
export function fingerprint(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 12);
}

export interface Postmaster {
  readonly pid: number;
  readonly socketFolder: string;
}

/**
 * The `cluster_name` of a cluster. It appears in the command line of every process of the server, which all users may
 * read. The working folder would be simpler, but root in a container without CAP_SYS_PTRACE may not read that.
 */
export function clusterName(cluster: string): string {
  return `turnpike-${fingerprint(cluster)}`;
}

/**
 * The running postmaster named by postmaster.pid (line 1 the pid, line 5 the socket's folder), if it is one of ours.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  for (;;) {
    const lines = (await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
    const pid = Number(lines[0]);
    if (!(pid > 1) || !isPostmaster(pid, cluster)) return undefined;
    const socketFolder = lines[4] ?? '';
    if (socketFolder !== '') return { pid, socketFolder };
    await rest(10); // it is only just starting, and has not opened its socket
  }
}

/**
 * Whether the process is a running postmaster of the cluster. A reused pid has another command line, and a zombie (an
 * orphan whose new parent never waits, as is usual in containers) has an empty one, though `kill(pid, 0)` finds both.
 */
export function isPostmaster(pid: number, cluster: string): boolean {
  return commandLine(pid).includes(`cluster_name=${clusterName(cluster)}\0`);
}

/** Watches a postmaster that is not our child, by polling. */
export function watchPostmaster(pid: number, cluster: string): { pid: number; ended: Promise<void> } {
  const ended = new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (isPostmaster(pid, cluster)) return;
      clearInterval(timer);
      resolve();
    }, 50);
    timer.unref();
  });
  return { pid, ended };
}

/**
 * Waits until no process of the cluster is left. Idle backends notice the postmaster's death at once; others finish a
 * running statement first, and hold the shared memory until then. After two seconds they are told to stop, as the
 * postmaster would have done, and after two more they are killed, which loses nothing that was committed.
 */
export async function endLeftovers(cluster: string, timeoutMs: number): Promise<void> {
  const begin = performance.now();
  for (;;) {
    const pids = processesOf(cluster);
    if (pids.length === 0) return;
    const waitedMs = performance.now() - begin;
    if (waitedMs > timeoutMs)
      throw new Error(`Processes of an earlier database server will not end: ${pids.join(', ')}`);
    if (waitedMs > 2_000) for (const pid of pids) signal(pid, waitedMs > 4_000 ? 'SIGKILL' : 'SIGQUIT');
    await rest(20);
  }
}

function processesOf(cluster: string): number[] {
  const title = `postgres: ${clusterName(cluster)}: `;
  const option = `cluster_name=${clusterName(cluster)}\0`;
  return processesWith((command) => command.startsWith(title) || command.includes(option));
}

/** Kills every process that has the path as an argument. */
export function killProcessesNaming(path: string): void {
  for (const pid of processesWith((command) => command.split('\0').includes(path))) signal(pid, 'SIGKILL');
}

function processesWith(matches: (command: string) => boolean): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => matches(commandLine(pid)));
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}
