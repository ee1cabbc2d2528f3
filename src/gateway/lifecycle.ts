// What the parts of the composition root share: the loops by name, and what was started, to be stopped last first.

import type { Logger } from 'pino';
import { createLoop, type Loop, type Worker } from '../loop.ts';

export interface GatewayOptions {
  readonly log: Logger;
  /** Told, in words for the terminal, what takes its time. */
  readonly onProgress?: (text: string) => void;
}

/** A start that the operator can mend; the message says how, in one line. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartError';
  }
}

/** What was started, to be stopped last first. */
export type Stops = (() => Promise<void>)[];

export type Loops = ReturnType<typeof createLoops>;

/** The loops of this process, by name, so that one part can wake another that it does not know. */
export function createLoops(log: Logger) {
  const loops = new Map<string, Loop>();
  const nudge = (name: string) => loops.get(name)?.nudge();
  return {
    nudge,
    /** For metrics. */
    all: (): readonly Loop[] => [...loops.values()],
    start: (worker: Worker, { idleMs }: { idleMs: number }) =>
      void loops.set(worker.name, createLoop(worker, { idleMs, log })),
    stop: async () => void (await Promise.all([...loops.values()].map((loop) => loop.stop()))),
  };
}
