// The rounds: under constant load, each round kills a process at a random moment.

import { setTimeout as rest } from 'node:timers/promises';
import { Violation } from './invariants/violation.ts';
import { startLoad, type Mode } from './load/run.ts';
import type { LoadParts } from './load/scenario.ts';
import type { Notes } from './load/client-log.ts';
import type { Random } from './load/random.ts';
import { chooseKillTargets, strike, type Outage } from './processes/kill-targets.ts';
import type { System } from './processes/environment.ts';

export interface RoundsOptions {
  readonly mode: Mode;
  readonly rounds: number;
  /** The shortest duration of a round, in seconds; it lasts longer if a restart takes longer. */
  readonly seconds: number;
  readonly random: Random;
}

/** What happened in a round, for its line of the table. */
export interface Round {
  readonly number: number;
  readonly outage: Outage;
  /** When in the round the victim was killed. */
  readonly killedAfterMs: number;
  readonly orders: number;
  readonly invoices: number;
  readonly deposits: number;
  readonly payouts: number;
  readonly resends: number;
  readonly unanswered: number;
}

/** The share of a round for which the load goes on after everything is back, however long that took. */
const LEAST_AFTERWARDS = 0.4;
/** The longest deliberate wait before a restart. */
const LONGEST_PAUSE_MS = 600;

/** Runs all rounds and ends the load. Returns the kills. Throws `Violation` for anything that is wrong already. */
export async function runRounds(
  system: System,
  parts: LoadParts,
  options: RoundsOptions,
  onRound: (round: Round) => void,
): Promise<Outage[]> {
  const { mode, rounds, seconds, random } = options;
  const load = startLoad(mode, parts);
  const outages: Outage[] = [];
  for (const [index, victim] of chooseKillTargets(mode, rounds, random).entries()) {
    const before = countOf(parts.notes);
    const endsAt = performance.now() + 1_000 * seconds;
    const killedAfterMs = Math.round(1_000 * seconds * (0.15 + 0.6 * random.next()));
    await rest(killedAfterMs);
    const outage = await strike(victim, system, () => rest(random.below(LONGEST_PAUSE_MS)));
    outages.push(outage);
    await rest(Math.max(1_000 * seconds * LEAST_AFTERWARDS, endsAt - performance.now()));
    const surprise = [system.core, ...system.dispatchers].map((program) => program.surprise()).find(Boolean);
    if (surprise) throw new Violation(surprise);
    const fault = load.fault();
    if (fault !== null) throw fault;
    const after = countOf(parts.notes);
    onRound({ number: index + 1, outage, killedAfterMs, ...difference(after, before) });
  }
  await load.stop();
  return outages;
}

type Count = Pick<Round, 'orders' | 'invoices' | 'deposits' | 'payouts' | 'resends' | 'unanswered'>;

function countOf({ orders, invoices, deposits, payouts, resent, calls }: Notes): Count {
  return {
    orders: orders.filter(({ orderId }) => orderId !== null).length,
    invoices: invoices.filter(({ invoiceId }) => invoiceId !== null).length,
    deposits: deposits.filter(({ answered }) => answered).length,
    payouts: payouts.filter(({ id }) => id !== null).length,
    resends: resent.length,
    unanswered: calls.unanswered,
  };
}

function difference(after: Count, before: Count): Count {
  return {
    orders: after.orders - before.orders,
    invoices: after.invoices - before.invoices,
    deposits: after.deposits - before.deposits,
    payouts: after.payouts - before.payouts,
    resends: after.resends - before.resends,
    unanswered: after.unanswered - before.unanswered,
  };
}
