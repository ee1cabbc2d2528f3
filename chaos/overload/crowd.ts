// Starts a crowd's process and ends it.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { CrowdTask } from './crowd-program.ts';
import type { CrowdResult } from './tally.ts';

export interface Crowd {
  /** Resolves with the results of the task. */
  perform(task: CrowdTask): Promise<CrowdResult>;
  stop(): Promise<void>;
}

export function startCrowd(): Crowd {
  const child = fork(new URL('./crowd-program.js', import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  return {
    async perform(task) {
      child.send(task);
      const [result] = (await Promise.race([once(child, 'message'), ended.then(() => [null])])) as [CrowdResult | null];
      if (result === null) throw new Error('The crowd ended in the middle of its work');
      return result;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
