// Measures the CPU time that PostgreSQL used: all its processes, including those that have ended.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The CPU time of this data folder's server since its start, in milliseconds; null if unknown (it is read from Linux's
 * /proc).
 */
export async function readServerCpuMs(dataDir: string): Promise<number | null> {
  const file = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid = ''] = file.split('\n');
  const server = await readStat(pid);
  if (!server) return null;
  const stats = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(readStat));
  const children = stats.filter((stat) => stat?.parent === pid);
  // The server's own figure for ended children covers those that are gone from /proc.
  return children.reduce((sum, stat) => sum + (stat?.own ?? 0), server.own + server.ended);
}

/** Reads a process's times from /proc, in milliseconds; /proc has hundredths of a second. */
async function readStat(pid: string) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (!fields) return null;
  const ms = (index: number) => Number(fields[index]) * 10;
  return { parent: fields[1] ?? '', own: ms(11) + ms(12), ended: ms(13) + ms(14) };
}
