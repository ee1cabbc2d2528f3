// Measures the CPU time that PostgreSQL used: all its processes, including those that have ended.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Of the server in this data folder, in milliseconds since its start; null where the system does not say (Linux's
 * /proc).
 */
export async function readServerCpuMs(dataDir: string): Promise<number | null> {
  const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid = ''] = file.split('\n');
  const server = await readStat(pid);
  if (!server) return null;
  const stats = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readStat));
  const children = stats.filter((stat) => stat?.parent === pid);
  // What a child that ended used is the server's own account of its children.
  return children.reduce((sum, stat) => sum + (stat?.own ?? 0), server.own + server.ended);
}

/** From /proc, in its hundredths of a second. */
async function readStat(pid: string) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (!fields) return null;
  const ms = (index: number) => Number(fields[index]) * 10;
  return { parent: fields[1] ?? '', own: ms(11) + ms(12), ended: ms(13) + ms(14) };
}
