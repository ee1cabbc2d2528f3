// `logs`: the calls that were made with the merchant's keys, and those that come.

import { setTimeout as rest } from 'node:timers/promises';
import { ConnectionError, RateLimitError, UnavailableError, type ItemOf, type Turnpike } from '#sdk';
import type { Command, Context } from '../command.ts';

type Entry = ItemOf<'apiLogs'>;

const EVERY_MS = 2_000;
/** Calls are listed by when they were answered, and written a little later: this much is read over and over. */
const OVERLAP_MS = 30_000;

const keyOf = (one: Entry): string => [one.requestId, one.at, one.operation, one.path, one.durationMs].join(' ');

const describe = (one: Entry): string =>
  [one.at, one.status, one.method, one.path, one.operation, one.errorCode, `${one.durationMs} ms`, one.requestId]
    .filter((part) => part != null)
    .join('  ');

/** Shows the API log, oldest first. */
export const logs: Command = {
  name: 'logs',
  summary: 'show the calls of your keys, oldest first',
  details: 'Without the calls that read this log itself, which every look at it adds (--all).',
  isEndless: true,
  options: {
    follow: { help: 'go on with the calls that come' },
    since: { value: 'TIME', help: 'from this day or instant on, as in 2026-11-28 or 2026-11-28T09:00:00Z' },
    limit: { value: 'NUMBER', help: 'at first at most so many, the newest; 20' },
    all: { help: 'with the calls that read this log' },
  },
  async run(context) {
    const client = await context.client();
    const since = context.text('since');
    const limit = context.count('limit') ?? 20;
    const seen = new Map<string, string>();
    const first = await read(client, context, { limit, ...(since && { startDate: since }) }, limit);
    // What a full first look has left out stays left out.
    const isFull = first.filter((one) => isWanted(one, context)).length >= limit;
    const floor = isFull ? Date.parse(first[0]?.at ?? '') || 0 : 0;
    show(context, first, seen, floor);
    if (!context.isOn('follow')) return;
    // By the gateway's clock as far as possible: this look itself is logged, too.
    for (let newest = newestOf(seen, 0) || Date.now(); ; newest = newestOf(seen, newest)) {
      await rest(EVERY_MS, undefined, { signal: context.signal });
      const startDate = new Date(newest - OVERLAP_MS).toISOString();
      try {
        show(context, await read(client, context, { limit: 100, startDate }, Infinity), seen, floor);
      } catch (error) {
        if (!isPassing(error)) throw error;
        context.terminal.note(`… ${error instanceof Error ? error.message : ''}; trying again`);
      }
      for (const [key, at] of seen) if (Date.parse(at) < newest - 2 * OVERLAP_MS) seen.delete(key);
    }
  },
};

const isWanted = (one: Entry, { isOn }: Context): boolean => isOn('all') || one.operation !== 'apiLogs';

/** What a program that follows waits for to pass. */
const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError || error instanceof UnavailableError || error instanceof RateLimitError;

interface Window {
  readonly limit: number;
  readonly startDate?: string;
}

/** Calls, oldest first, until there are `most` that are wanted among them. */
async function read(client: Turnpike, context: Context, window: Window, most: number): Promise<Entry[]> {
  const filter = { ...window, limit: Math.min(Math.max(window.limit, 1), 100) };
  const found: Entry[] = [];
  let wanted = 0;
  for await (const entry of client.merchant.logs(filter, { signal: context.signal })) {
    if (wanted >= most) break;
    if (isWanted(entry, context)) wanted += 1;
    found.push(entry);
  }
  return found.reverse();
}

/** Shows those that were not seen and are not older than `floor` (milliseconds). */
function show(context: Context, entries: readonly Entry[], seen: Map<string, string>, floor: number): void {
  for (const entry of entries) {
    const key = keyOf(entry);
    const isNew = !seen.has(key) && Date.parse(entry.at) >= floor;
    seen.set(key, entry.at);
    if (isNew && isWanted(entry, context)) context.terminal.show(entry, describe(entry));
  }
}

const newestOf = (seen: ReadonlyMap<string, string>, before: number): number =>
  [...seen.values()].reduce((newest, at) => Math.max(newest, Date.parse(at)), before);
