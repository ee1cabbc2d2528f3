// Finds and ends child processes that outlived a killed program, by an argument that only ours have.

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from 'pino';

const CHECK_EVERY_MS = 10;
/** Two seconds, counted in checks rather than time: while this process is suspended, the others cannot end either. */
const MAX_CHECKS = 200;

/**
 * Process ids that have `marker` as one whole argument of their command line. Safer than a pid file: nothing is missed
 * if we are killed before writing it, and no reused id is mistaken for ours. Empty where there is no /proc.
 */
export async function processesMarked(marker: string): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const commandLine = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
        return commandLine.split('\0').includes(marker) ? [Number(name)] : [];
      }),
  );
  return found.flat().filter((pid) => pid !== process.pid);
}

/** Kills the processes with this marker and waits until they are gone. */
export async function endLeftoverProcesses(marker: string, log: Logger): Promise<void> {
  for (let checks = 0; ; checks += 1) {
    const pids = await processesMarked(marker);
    if (pids.length === 0) return;
    if (checks === 0) log.warn({ pids }, 'ending processes that an earlier run left behind');
    for (const pid of pids) kill(pid);
    if (checks === MAX_CHECKS) throw new Error(`Process ${pids.join(', ')} of an earlier run cannot be ended`);
    await rest(CHECK_EVERY_MS);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // Gone meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
