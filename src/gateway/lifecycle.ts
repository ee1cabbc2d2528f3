// Shared by the parts of the composition root: loops by name, the list of stop functions, and start errors.

import type { Logger } from 'pino';
import type { Database, DatabasePatience } from '../database/connection.ts';
import { commitsWait } from '../database/standby.ts';
import { createLoop, type Loop, type Worker } from '../loop.ts';
import type { ReadinessCheck } from '../server/metrics/health.ts';
import type { SocketLimits } from '../server/graphql/connections/limits.ts';
import type { Patience } from '../server/http-server.ts';
import type { Drain } from './drain.ts';

export interface GatewayOptions {
  readonly log: Logger;
  /** Called with a text for the terminal before slow steps. */
  readonly onProgress?: (text: string) => void;
  /** Ends waiting for what is not there yet. */
  readonly signal?: AbortSignal;
  /** The usual one by default. A machine that is busy with other programs needs more. */
  readonly patience?: GatewayPatience;
}

/** Time limits of a gateway, in milliseconds. */
export interface GatewayPatience {
  readonly callers: Patience;
  readonly sockets: Pick<SocketLimits, 'initMs' | 'pingMs'>;
  readonly database: DatabasePatience;
}

/** A failed start that the operator can fix; the message says how, in one line. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StartError';
  }
}

/** The start was ended by its signal while it waited. */
export class StartAborted extends Error {
  constructor() {
    super('The start was stopped');
    this.name = 'StartAborted';
  }
}

/** What a process of any role needs in order to be sent calls. */
export const readinessOf = (db: Database, drain: Drain): Readonly<Record<string, ReadinessCheck>> => ({
  database: async () => ((await commitsWait(db)) ? 'commits wait for a synchronous standby' : null),
  shutdown: () => Promise.resolve(drain.begun() ? 'this process is about to stop' : null),
});

/** Functions that stop what was started; called last first. */
export type Stops = (() => Promise<void>)[];

export type Loops = ReturnType<typeof createLoops>;

/** The loops of this process by name, so that one part can wake another without a reference to it. */
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
