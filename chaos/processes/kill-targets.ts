// What a round kills with -9, and how each target comes back.

import type { Mode } from '../load/run.ts';
import type { Random } from '../load/random.ts';
import type { System } from './environment.ts';

/** One kill. Times are Unix milliseconds. */
export interface Outage {
  readonly victim: string;
  readonly from: number;
  readonly to: number;
  /**
   * The time until which, from the kill on, the record of an attempt under way may be lost; null if no attempt is
   * affected.
   */
  readonly losesRecordsUntil: number | null;
}

interface Victim {
  readonly name: string;
  readonly weight: number;
  /** Whether records of attempts under way are lost: with their sender, or for as long as there is no database. */
  readonly losesRecords: 'at once' | 'until back' | 'never';
  readonly kill: (system: System) => Promise<void> | void;
  readonly restart: (system: System) => Promise<void>;
}

const ONE_DISPATCHER = (index: number): Victim => ({
  name: `dispatcher ${index + 1}`,
  weight: 2,
  losesRecords: 'at once',
  kill: ({ dispatchers }) => dispatchers[index]?.kill(),
  restart: async ({ dispatchers }) => dispatchers[index]?.start(),
});

const BOTH_DISPATCHERS: Victim = {
  name: 'both dispatchers',
  weight: 2,
  losesRecords: 'at once',
  kill: async ({ dispatchers }) => void (await Promise.all(dispatchers.map((one) => one.kill()))),
  restart: async ({ dispatchers }) => void (await Promise.all(dispatchers.map((one) => one.start()))),
};

const CORE: Victim = {
  name: 'api, observer, signer',
  weight: 3,
  losesRecords: 'never',
  kill: ({ core }) => core.kill(),
  restart: ({ core }) => core.start(),
};

const POSTGRES: Victim = {
  name: 'PostgreSQL',
  weight: 3,
  losesRecords: 'until back',
  kill: ({ database }) => database.kill(),
  restart: ({ database }) => database.back(),
};

const VICTIMS: Readonly<Record<Mode, readonly Victim[]>> = {
  dispatch: [ONE_DISPATCHER(0), ONE_DISPATCHER(1), BOTH_DISPATCHERS, CORE, POSTGRES],
  money: [{ ...CORE, weight: 8 }, BOTH_DISPATCHERS, POSTGRES],
};

/** The victims of all rounds, at random; for `dispatch`, none is left out if there are enough rounds. */
export function chooseKillTargets(mode: Mode, rounds: number, random: Random): Victim[] {
  const chosen: Victim[] = [];
  for (let fresh: Victim[] = []; chosen.length < rounds;) {
    if (fresh.length === 0) fresh = [...VICTIMS[mode]];
    const victim = random.weighted(fresh);
    fresh = mode === 'money' ? [] : fresh.filter((one) => one !== victim);
    chosen.push(victim);
  }
  return chosen;
}

/** Kills the victim and restarts it. */
export async function strike(victim: Victim, system: System, betweenMs: () => Promise<unknown>): Promise<Outage> {
  const from = Date.now();
  await victim.kill(system);
  const killedAt = Date.now();
  await betweenMs();
  await victim.restart(system);
  const to = Date.now();
  const losesRecordsUntil = { 'at once': killedAt, 'until back': to, never: null }[victim.losesRecords];
  return { victim: victim.name, from, to, losesRecordsUntil };
}
