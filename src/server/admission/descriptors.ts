// File descriptors and how they are shared out: connections of callers must not take those that the database, nodes and
// our files need, nor live updates those of plain calls.

import { readFileSync } from 'node:fs';

export interface DescriptorShares {
  /** Connections of callers. */
  readonly connections: number;
  /** Web sockets and event streams among them. */
  readonly liveConnections: number;
}

const LEAST_RESERVED = 128;
const MOST_RESERVED = 2_000;
/** More connections than this are never useful: one process runs out of CPU first. */
const MOST_LIVE = 20_000;

/**
 * Shares out so many descriptors: a quarter, 128 at least and 2,000 at most, is kept for the process itself; of the
 * rest a quarter is kept for calls.
 */
export function shareDescriptors(limit: number): DescriptorShares {
  const reserved = Math.min(MOST_RESERVED, Math.max(LEAST_RESERVED, Math.floor(limit / 4)));
  const connections = Math.max(1, limit - reserved);
  return { connections, liveConnections: Math.min(MOST_LIVE, Math.ceil((connections * 3) / 4)) };
}

/** The file descriptors this process may have; Infinity if the system does not say. */
export function descriptorLimit(): number {
  try {
    const row = readFileSync('/proc/self/limits', 'utf8')
      .split('\n')
      .find((line) => line.startsWith(OPEN_FILES));
    const soft = Number(row?.slice(OPEN_FILES.length).trim().split(' ', 1)[0]);
    return soft > 0 ? soft : Infinity;
  } catch {
    return Infinity;
  }
}

const OPEN_FILES = 'Max open files';
