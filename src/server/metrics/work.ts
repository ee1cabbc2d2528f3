// Counts work of one kind by its labels and its outcome, and how long it took: the rate, the errors and the duration.

import { Counter, type Registry } from 'prom-client';
import { createTimings, type Timings } from '../../values/timings.ts';
import { watchTimings } from './timings.ts';

interface WorkOptions<Label extends string> {
  /** The family of the count. */
  readonly total: string;
  /** The family of the histogram, which leaves out the labels of `detail` and the outcome. */
  readonly seconds: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** Labels of the count alone. */
  readonly detail?: readonly Label[];
}

/** Counts a piece of work that ended. Without `seconds` it is left out of the histogram. */
export type CountWork<Label extends string> = (
  labels: Readonly<Record<Label, string>>,
  outcome: string,
  seconds: number | null,
) => void;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly byOutcome: Map<string, number>;
  readonly timings: Timings;
}

/**
 * Registers a counter (with the label `outcome`) and a histogram. Label values must come from fixed sets: names of
 * ours, never a caller's.
 */
export function watchWork<Label extends string>(
  registers: readonly Registry[],
  { total, seconds: timed, help, labels: names, detail = [] }: WorkOptions<Label>,
): CountWork<Label> {
  const all = new Map<string, Series>();
  const times = new Map<string, { labels: Readonly<Record<string, string>>; timings: Timings }>();
  const shown = names.filter((name) => !detail.includes(name));
  new Counter<string>({
    ...{ name: total, help, labelNames: [...names, 'outcome'], registers: [...registers] },
    collect() {
      this.reset();
      for (const { labels, byOutcome } of all.values())
        for (const [outcome, count] of byOutcome) this.inc({ ...labels, outcome }, count);
    },
  });
  watchTimings(registers, { name: timed, help: `${help}: how long it took`, all: () => times.values() });

  function open(labels: Readonly<Record<Label, string>>, key: string): Series {
    const brief = shown.map((name) => labels[name]).join(' ');
    const { timings } = times.get(brief) ?? { timings: createTimings() };
    times.set(brief, { labels: Object.fromEntries(shown.map((name) => [name, labels[name]])), timings });
    const series: Series = { labels: { ...labels }, byOutcome: new Map(), timings };
    all.set(key, series);
    return series;
  }

  return (labels, outcome, seconds) => {
    let key = '';
    for (const name of names) key += `${labels[name]} `;
    const series = all.get(key) ?? open(labels, key);
    series.byOutcome.set(outcome, (series.byOutcome.get(outcome) ?? 0) + 1);
    if (seconds !== null) series.timings.add(seconds);
  };
}
