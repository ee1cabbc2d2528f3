// Gauges that are read at a scrape, and costly ones no more often than an interval.

import { Gauge, type Registry } from 'prom-client';

/** A reading: a value for each label, or one value without a label. */
type Reading = number | ReadonlyMap<string, number>;

interface GaugeOptions<Source> {
  readonly name: string;
  readonly help: string;
  /**
   * The name of the label, for readings by label. Its values must be few and known: names of ours, never a caller's.
   */
  readonly label?: string;
  readonly of: (source: Source) => Reading;
}

/** Registers gauges of values in memory, read at each scrape. */
export function watchNow<Source>(registry: Registry, source: Source, gauges: readonly GaugeOptions<Source>[]): void {
  for (const gauge of gauges) register(registry, gauge, () => source);
}

/** The greatest age of costly readings. */
const READ_EVERY_MS = 5_000;
/** How long a scrape waits for a reading before it shows the one before. */
const WAIT_AT_MOST_MS = 500;

/**
 * Registers gauges of one costly reading, such as a statement or a call of a node: read at most every five seconds,
 * however often it is scraped. If a reading fails, the figures of the one before are shown, if any.
 */
export function watchCostly<Source>(
  registry: Registry,
  read: () => Promise<Source>,
  gauges: readonly GaugeOptions<Source>[],
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
    if (reading === null && performance.now() - readAt >= READ_EVERY_MS) {
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
  { name, help, label, of }: GaugeOptions<Source>,
  latest: () => Source | null | Promise<Source | null>,
): void {
  new Gauge({
    ...{ name, help, registers: [registry] },
    labelNames: label === undefined ? [] : [label],
    async collect() {
      const source = await latest();
      // A gauge without labels would start at zero.
      if (label === undefined) this.remove();
      else this.reset();
      if (source === null) return;
      const reading = of(source);
      if (typeof reading === 'number') this.set(reading);
      else for (const [value, figure] of reading) this.set({ [label ?? '']: value }, figure);
    },
  });
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
