// The rules of what callers may see on a bad day.

import { CALL_WITHIN_MS } from '../load/client.ts';
import { NO_ANSWER, type Answers } from './answers.ts';
import type { BadDay } from './bad-day.ts';

interface SeenOfDay {
  /** From the fault until everything was right again. */
  readonly seen: Answers;
  /** After that. */
  readonly seenAfter: Answers;
}

interface AnswerRule {
  readonly words: string;
  readonly breach: (evidence: SeenOfDay) => string | null;
}

/** Refusals that say what is so: too little money, a request that is repeated, a webhook without a destination. */
const TRUE_REFUSALS = ['409 4001', '409 2003', '400 2001'];
/** Refusals for the moment, which say when to try again. */
const FOR_THE_MOMENT = ['503 9503', '503 3007', '503 4009', '429 9001'];

/** The rules of a day, to be checked by `judge`. */
export function answerRules({ cutsCalls = false }: Pick<BadDay, 'cutsCalls'>): readonly AnswerRule[] {
  const allowed = [...TRUE_REFUSALS, ...FOR_THE_MOMENT, ...(cutsCalls ? [NO_ANSWER] : [])];
  const rules: AnswerRule[] = [
    {
      words: 'every call was answered as agreed: done, refused for a true reason, or refused for the moment',
      breach: ({ seen }) => findOther(seen, allowed),
    },
    {
      words: 'once all was right again, every call was answered, and none with an internal error',
      breach: ({ seenAfter }) => findOther(seenAfter, [...TRUE_REFUSALS, ...FOR_THE_MOMENT]),
    },
  ];
  if (cutsCalls) return rules;
  return [
    ...rules,
    {
      words: `no call waited for ${CALL_WITHIN_MS / 1_000} s`,
      breach: ({ seen: { slowestMs, givenUpMs } }) =>
        Math.max(slowestMs, givenUpMs) < CALL_WITHIN_MS ? null : `a call waited for ${CALL_WITHIN_MS / 1_000} s`,
    },
  ];
}

function findOther({ counts }: Answers, allowed: readonly string[]): string | null {
  const other = Object.entries(counts).filter(([name]) => !/^2\d\d$/.test(name) && !allowed.includes(name));
  return other.length === 0 ? null : other.map(([name, count]) => `${count} calls ended with: ${name}`).join('; ');
}
