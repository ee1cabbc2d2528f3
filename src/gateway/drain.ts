// Draining before a stop: the process still answers everything, but says that it goes, so that load balancers and
// clients turn to another one before anything is refused.

import { setTimeout as sleep } from 'node:timers/promises';

/** Told when draining begins, and how long it lasts. */
type OnBegin = (graceMs: number) => void;

export interface Drain {
  /** Whether it has begun. */
  begun(): boolean;
  onBegin(listener: OnBegin): void;
  /** Drains for the grace period; ends early when the signal says so. Does nothing without such a period. */
  run(hurry?: AbortSignal): Promise<void>;
}

export function createDrain(graceMs: number): Drain {
  const listeners: OnBegin[] = [];
  let begun = false;
  return {
    begun: () => begun,
    onBegin: (listener) => void listeners.push(listener),
    async run(hurry) {
      if (graceMs === 0 || begun) return;
      begun = true;
      for (const listener of listeners) listener(graceMs);
      await sleep(graceMs, undefined, hurry && { signal: hurry }).catch(() => undefined);
    },
  };
}
