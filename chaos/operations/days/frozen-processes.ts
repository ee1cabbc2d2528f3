// Each process is stopped with SIGSTOP, as on a machine that swaps or is moved, and goes on after a while as if nothing
// had been.

import type { BadDay } from '../bad-day.ts';
import { USUAL, type ProcessName } from '../setting.ts';

const frozen = (name: ProcessName, more: Pick<BadDay, 'alerts' | 'cutsCalls'>): BadDay => ({
  name: `frozen-${name.replace(' ', '-')}`,
  title: `The process \`${name}\` is stopped (SIGSTOP), and goes on (SIGCONT)`,
  remedy: 'Nothing, if it goes on; otherwise kill it, and start it again',
  setting: USUAL,
  ...more,
  cause: async ({ deployment: { programs } }) => {
    const pid = programs[name].pid();
    process.kill(pid, 'SIGSTOP');
    return { mend: async () => process.kill(pid, 'SIGCONT') };
  },
});

export const FROZEN_PROCESSES: readonly BadDay[] = [
  frozen('api 1', { alerts: ['ProcessDown'], cutsCalls: true }),
  frozen('observer', { alerts: ['ProcessDown'] }),
  frozen('dispatcher', { alerts: ['ProcessDown', 'EventNumberingLags'] }),
  frozen('signer', { alerts: ['ProcessDown'] }),
];
