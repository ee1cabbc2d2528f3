// Child processes that outlived a killed program, found by an argument that only ours have.

import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from 'pino';

const LOOK_EVERY_MS = 10;
/** Two seconds, counted in looks: while we stand still ourselves, nobody has had the time to end. */
const LOOKS_AT_MOST = 200;

/**
 * Process ids that have `marker` as one whole argument of their command line. Safer than a file with a process id:
 * nothing is missed when we are killed before writing it, and no reused id is mistaken. Empty where there is no /proc.
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

/** Kills them and waits until they are gone. */
export async function endOrphans(marker: string, log: Logger): Promise<void> {
  for (let look = 0; ; look += 1) {
    const pids = await processesMarked(marker);
    if (pids.length === 0) return;
    if (look === 0) log.warn({ pids }, 'ending the anvil that an earlier run left behind');
    for (const pid of pids) kill(pid);
    if (look === LOOKS_AT_MOST) throw new Error(`Process ${pids.join(', ')} of an earlier run cannot be ended`);
    await rest(LOOK_EVERY_MS);
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
