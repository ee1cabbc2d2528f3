// Rehearses one bad day: a calm, the fault under load, its end, the wait until everything is right again, and the
// judgement of everything that was acknowledged so far.

import { setTimeout as rest } from 'node:timers/promises';
import { INVARIANTS } from '../invariants/all.ts';
import { gatherEvidence } from '../invariants/evidence.ts';
import { judge } from '../judge.ts';
import { startLoad } from '../load/run.ts';
import { settle } from '../processes/quiesce.ts';
import { waitUntil } from '../processes/wait.ts';
import type { Answers } from './answers.ts';
import type { BadDay } from './bad-day.ts';
import { answerRules } from './rules.ts';
import { RETRY_DELAYS_SECONDS, type Stage } from './stage.ts';
import { playStory } from './story.ts';

/** What a bad day came to. Times are in seconds. */
export interface DayResult {
  readonly name: string;
  /** How long the fault lasted. */
  readonly faultSeconds: number;
  /** From the fault until everything was right again. */
  readonly seen: Answers;
  /** After that, until the load ended. */
  readonly seenAfter: Answers;
  /** How long a whole story takes before the fault. */
  readonly calmSeconds: number;
  /** From the mending until all processes are ready and a whole story was played through each process of the API. */
  readonly rightSeconds: number;
  /** What was asked for on this day. */
  readonly orders: number;
  readonly payouts: number;
  /** Further figures of this day, in words. */
  readonly notes: readonly string[];
}

interface Rehearsal {
  readonly short: boolean;
  readonly say: (line: string) => void;
}

const FAULT_SECONDS = { short: 8, full: 60 };
/** How long the load goes on once everything is right again. */
const AFTERWARDS_SECONDS = { short: 3, full: 10 };
const READY_WITHIN_MS = 300_000;

const secondsSince = (startedAt: number): number => Math.round(performance.now() - startedAt) / 1_000;

/** Throws `Violation` for the first rule that does not hold. */
export async function rehearse(stage: Stage, day: BadDay, { short, say }: Rehearsal): Promise<DayResult> {
  const { counter, deployment, notes, outages } = stage;
  const length = short ? 'short' : 'full';
  const before = { orders: notes.orders.length, payouts: notes.payouts.length };
  const load = startLoad('small', stage.load);
  const calmSeconds = await untilRight(stage);
  counter.take();

  const noted: string[] = [];
  const from = Date.now();
  const causedAt = performance.now();
  const scene = { deployment, parts: stage.load, notes, short, note: (words: string) => void noted.push(words) };
  const fault = await day.cause(scene, stage.tools);
  await rest(1_000 * (day.seconds?.(short) ?? FAULT_SECONDS[length]));
  await fault.mend();
  const faultSeconds = secondsSince(causedAt);
  const [rightSeconds] = await Promise.all([untilRight(stage), fault.untilDone?.()]);
  const to = Date.now();
  outages.push({ victim: day.title, from, to, losesRecordsUntil: to });
  const seen = counter.take();
  await rest(1_000 * AFTERWARDS_SECONDS[length]);
  const seenAfter = counter.take();
  await load.stop();
  await settle(deployment);

  judge(answerRules(day), { seen, seenAfter }, say);
  const known = { client: stage.load.client, notes, outages, retryDelaysSeconds: RETRY_DELAYS_SECONDS };
  judge(INVARIANTS, await gatherEvidence(deployment, known), say);
  const [orders, payouts] = [notes.orders.length - before.orders, notes.payouts.length - before.payouts];
  return {
    ...{ name: day.name, faultSeconds, seen, seenAfter, calmSeconds, rightSeconds, orders, payouts, notes: noted },
  };
}

/** Resolves to the seconds until every process is ready and a story was played through each process of the API. */
async function untilRight({ stories, deployment }: Stage): Promise<number> {
  const startedAt = performance.now();
  const ready = async () => ((await deployment.unready()).length === 0 ? true : null);
  await Promise.all([
    ...stories.map(({ parts, shop }) => playStory(parts, shop, deployment.receiver)),
    waitUntil('every process is ready', READY_WITHIN_MS, ready, async () => (await deployment.unready()).join('; ')),
  ]);
  return secondsSince(startedAt);
}
