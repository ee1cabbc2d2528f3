// The monitor: polls the gateway's health and metrics as a load balancer and Prometheus would, and reads its memory
// use.

import { readFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';

/** What the monitor has seen so far. */
export interface Sightings {
  /** Answers of /healthz, /readyz and /metrics. */
  probes: number;
  /** Probes with an answer other than 200, or without any, in words. */
  readonly unwell: string[];
  slowestMs: number;
  /** The highest resident memory, in bytes. */
  mostMemory: number;
  /** The most calls waiting and under way, by the gateway's own metrics. */
  mostWaiting: number;
  mostUnderWay: number;
}

export interface Monitor {
  readonly seen: Sightings;
  stop(): Promise<void>;
}

const EVERY_MS = 250;
const PROBE_WITHIN_MS = 10_000;

/** Starts polling. */
export function startMonitor(url: string, pid: number): Monitor {
  const seen: Sightings = { probes: 0, unwell: [], slowestMs: 0, mostMemory: 0, mostWaiting: 0, mostUnderWay: 0 };
  let stopping = false;

  async function probe(path: string): Promise<void> {
    const startedMs = performance.now();
    const text = await fetch(url + path, { signal: AbortSignal.timeout(PROBE_WITHIN_MS) }).then(
      async (response) => {
        const body = await response.text();
        if (response.status !== 200) seen.unwell.push(`${path} was answered with ${response.status}: ${body}`);
        return body;
      },
      (error: unknown) => {
        seen.unwell.push(`${path} was not answered: ${String(error)}`);
        return '';
      },
    );
    seen.probes += 1;
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedMs);
    if (path !== '/metrics') return;
    seen.mostWaiting = Math.max(seen.mostWaiting, figureOf(text, 'turnpike_http_calls{state="waiting"}'));
    seen.mostUnderWay = Math.max(seen.mostUnderWay, figureOf(text, 'turnpike_http_calls{state="under way"}'));
  }

  async function look(): Promise<void> {
    while (!stopping) {
      seen.mostMemory = Math.max(seen.mostMemory, memoryOf(pid));
      await Promise.all(['/healthz', '/readyz', '/metrics'].map(probe));
      await rest(EVERY_MS);
    }
  }

  const looking = look();
  return {
    seen,
    stop() {
      stopping = true;
      return looking;
    },
  };
}

/** The value of one sample in Prometheus's text format; 0 if it is missing. */
export function figureOf(text: string, name: string): number {
  return Number(text.split(`\n${name} `)[1]?.split('\n')[0] ?? 0);
}

/** The resident memory of a process in bytes, from Linux's /proc; 0 if the process is gone. */
export function memoryOf(pid: number): number {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return 1_024 * Number(kilobytes);
  } catch {
    return 0;
  }
}
