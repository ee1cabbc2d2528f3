// The program of the crowd: it generates the overload in a process of its own, so that it shares no event loop with
// what measures. It takes commands and reports results over IPC, and ends with its parent.

import { flood, type FloodTask } from './flood.ts';
import { follow, type FollowTask } from './followers.ts';
import { callText } from './baseline.ts';
import { goSlow, type SlowTask } from './slow-clients.ts';
import { createTallies, type Tallies } from './tally.ts';

/** The work of a crowd, all of it done concurrently. */
export interface CrowdTask extends FloodTask, SlowTask, FollowTask {
  readonly exchanges: Exchanges | null;
}

/** A client that exchanges its key for a token again and again, faster than one address is allowed to. */
interface Exchanges {
  readonly keyId: string;
  readonly secret: string;
  readonly perSecond: number;
}

async function perform(task: CrowdTask): Promise<void> {
  const tallies = createTallies(task.seconds);
  await Promise.all([flood(task, tallies), goSlow(task, tallies), follow(task, tallies), exchange(task, tallies)]);
  process.send?.(tallies.result());
}

async function exchange(task: CrowdTask, tallies: Tallies): Promise<void> {
  if (task.exchanges === null) return;
  const { perSecond, keyId, secret } = task.exchanges;
  const text = callText('POST', '/api/v1/auth/token', {}, JSON.stringify({ keyId, secret }));
  const exchanges = { ...task, connections: 50, ratePerSecond: perSecond };
  await flood(exchanges, tallies, () => ({ kind: 'token exchanges', text, reference: null }));
}

process.on('message', (task: CrowdTask) => void perform(task));
process.on('disconnect', () => process.exit(0));
