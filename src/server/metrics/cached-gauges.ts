// Gauges that are read at a scrape, and costly ones no more often than an interval.

import { Gauge, type Registry } from 'prom-client';

/**
 * A reading: one value without a label, a value for each label, or values with several labels. Null: not known, and not
 * shown.
 */
type Reading = number | null | ReadonlyMap<string, number> | readonly Labelled[];

interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface GaugeOptions<Source> {
  readonly name: string;
  readonly help: string;
  /**
   * The name of the label, for readings by label. Its values must be few and known: names of ours, never a caller's.
   */
  readonly label?: string;
  /** Their names, for readings with several labels. */
  readonly labels?: readonly string[];
  readonly of: (source: Source) => Reading;
}

/** Registers gauges of values in memory, read at each scrape. */
export function watchNow<Source>(registry: Registry, source: Source, gauges: readonly GaugeOptions<Source>[]): void {
  for (const gauge of gauges) register(registry, gauge, () => source);
}

/** The greatest age of costly readings, unless said otherwise. */
const READ_EVERY_MS = 5_000;
/** How long a scrape waits for a reading before it shows the one before. */
const WAIT_AT_MOST_MS = 500;

/**
 * Registers gauges of one costly reading, such as a statement or a call of a node: read at most every `everyMs` (five
 * seconds), however often it is scraped. If a reading fails, the figures of the one before are shown, if any.
 */
export function watchCostly<Source>(
  registry: Registry,
  read: () => Promise<Source>,
  gauges: readonly GaugeOptions<Source>[],
  { everyMs = READ_EVERY_MS }: { readonly everyMs?: number } = {},
): void {
  let known: Source | null = null;
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    try {
      known = await read();
    } catch {
      // The failure shows elsewhere: in the readiness check, and in the loops that need the same.
    }
    reading = null;
  };
  const latest = async (): Promise<Source | null> => {
    if (reading === null && performance.now() - readAt >= everyMs) {
      readAt = performance.now();
      reading = look();
    }
    if (reading !== null) await atMost(WAIT_AT_MOST_MS, reading);
    return known;
  };
  for (const gauge of gauges) register(registry, gauge, latest);
}

function register<Source>(
  registry: Registry,
  { name, help, label, labels = label === undefined ? [] : [label], of }: GaugeOptions<Source>,
  latest: () => Source | null | Promise<Source | null>,
): void {
  new Gauge({
    ...{ name, help, registers: [registry] },
    labelNames: [...labels],
    async collect() {
      const source = await latest();
      // A gauge without labels would start at zero.
      if (labels.length === 0) this.remove();
      else this.reset();
      const reading = source === null ? null : of(source);
      if (reading === null) return;
      if (typeof reading === 'number') this.set(reading);
      else for (const { labels: own, value } of labelled(reading, label)) this.set({ ...own }, value);
    },
  });
}

function labelled(reading: ReadonlyMap<string, number> | readonly Labelled[], label = ''): readonly Labelled[] {
  if (isList(reading)) return reading;
  return [...reading].map(([name, value]) => ({ labels: { [label]: name }, value }));
}

const isList = (reading: ReadonlyMap<string, number> | readonly Labelled[]): reading is readonly Labelled[] =>
  Array.isArray(reading);

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
