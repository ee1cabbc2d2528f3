// Rehearses bad days one after the other, and prints what each came to.

import { Violation } from '../invariants/violation.ts';
import type { BadDay } from './bad-day.ts';
import { BAD_DAYS } from './days/all.ts';
import type { Deployment } from './deployment.ts';
import { PROCESSES } from './setting.ts';
import { recordResult } from './record.ts';
import { rehearse } from './rehearse.ts';
import { describeDay } from './report.ts';
import { openStage, type Stage } from './stage.ts';

export interface OperationsOptions {
  readonly short: boolean;
  readonly seed: number;
  /** Names of days; empty: all. */
  readonly only: readonly string[];
  /** A file that the results of this run are put into, beside those of other days; null: none. */
  readonly record: string | null;
  /** Whether a day that this machine cannot rehearse is a failure. */
  readonly strict: boolean;
  readonly say: (line: string) => void;
  /** Gets the clean-up of the deployment that is in use. */
  readonly onClose: (close: () => Promise<void>) => void;
}

/** Returns how many days failed. Throws if a name is no day's. */
export async function runOperations(options: OperationsOptions): Promise<number> {
  const { only, say } = options;
  const unknown = only.find((name) => !BAD_DAYS.some((day) => day.name === name));
  if (unknown !== undefined)
    throw new Error(`"${unknown}" is none of the bad days: ${BAD_DAYS.map(({ name }) => name).join(', ')}`);
  const days = BAD_DAYS.filter(({ name }) => only.length === 0 || only.includes(name));
  const stages = createStages(options);
  const failed: string[] = [];
  for (const day of days) {
    say(`\n${day.title} (${day.name})`);
    if (!(await tryDay(day, stages, options))) failed.push(day.name);
  }
  await stages.close();
  say(failed.length === 0 ? `\nRehearsed: ${days.length}; every rule holds` : `\nFailed: ${failed.join(', ')}`);
  return failed.length;
}

/** Whether it went as it must, or cannot be rehearsed on this machine and need not. */
async function tryDay(day: BadDay, stages: Stages, { short, record, strict, say }: OperationsOptions) {
  const missing = (await day.setting.missing?.()) ?? null;
  if (missing !== null) say(`${strict ? '✗' : '-'} not rehearsed here: ${missing}`);
  if (missing !== null) return !strict;
  try {
    const result = await rehearse(await stages.of(day), day, { short, say });
    for (const line of describeDay(result)) say(line);
    if (record !== null) await recordResult(record, result);
    return true;
  } catch (error) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say(`✗ ${error instanceof Violation ? error.message : words}`);
    await stages.giveUp();
    return false;
  }
}

type Stages = ReturnType<typeof createStages>;

/** Days in succession with the same setting get the same stage, unless one of them failed. */
function createStages({ seed, onClose, say }: Pick<OperationsOptions, 'seed' | 'onClose' | 'say'>) {
  let open: { readonly stage: Stage; readonly setting: BadDay['setting'] } | null = null;
  const close = async () => {
    await open?.stage.deployment.close();
    open = null;
  };
  return {
    close,
    async of({ setting }: BadDay): Promise<Stage> {
      if (open?.setting === setting) return open.stage;
      await close();
      const stage = await openStage(setting, { seed, onClose });
      open = { stage, setting };
      return stage;
    },
    /** Shows what its processes said, and ends it. */
    async giveUp(): Promise<void> {
      if (open) tellLogs(open.stage.deployment, say);
      await close();
    },
  };
}

function tellLogs({ programs }: Deployment, say: (line: string) => void): void {
  for (const name of PROCESSES) {
    const lines = programs[name].lastWords();
    if (lines.length > 0) say(`The last lines that ${name} logged:`);
    for (const line of lines.slice(-3)) say(`  ${line.slice(0, 300)}`);
  }
}
