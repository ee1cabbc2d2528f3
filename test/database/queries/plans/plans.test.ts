// Plans that do not turn: every statement of the hot paths reads about as much whatever PostgreSQL believes about the
// tables, and however long their history is.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestDatabase } from '../../../support/database/database.ts';
import { BOOK_PATHS } from './book-paths.fixture.ts';
import { exportedFunctions, NOT_ON_A_PATH, reasonFor, watchCalls } from './calls.fixture.ts';
import { CHAIN_PATHS } from './chain-paths.fixture.ts';
import { CONTROL_PATHS } from './control-paths.fixture.ts';
import { DISPATCH_PATHS } from './dispatch-paths.fixture.ts';
import { divideEmpty } from './divide.fixture.ts';
import { build, measure } from './measure.fixture.ts';
import { MERCHANT_PATHS } from './merchant-paths.fixture.ts';
import { PAYOUT_PATHS } from './payout-paths.fixture.ts';
import type { Reading } from './plans.fixture.ts';
import { RATE_PATHS } from './rate-paths.fixture.ts';
import type { Age } from './statistics.fixture.ts';
import { mayReadOnce } from './turning.fixture.ts';

const PATHS = [
  ...MERCHANT_PATHS,
  ...DISPATCH_PATHS,
  ...PAYOUT_PATHS,
  ...BOOK_PATHS,
  ...CHAIN_PATHS,
  ...RATE_PATHS,
  ...CONTROL_PATHS,
];
/** For what hangs: how long a history takes is the machine's affair. */
const WITHIN_MS = 900_000;
/** The same number waits, however long the history is. */
const WAITING = 400;
const SIZES = { short: { orders: 4_000, waiting: WAITING }, long: { orders: 16_000, waiting: WAITING } } as const;
const STALE: readonly Age[] = ['none', 'empty', 'nothing waited', 'everything waited'];
/** So much may always be read, and what accurate statistics lead to twice. */
const FEW = { rows: 1_100, pages: 500 };
/** What reading its tables once comes to for a statement, by order; only those in the table of exceptions may. */
const ROWS_AN_ORDER = 6;

let called: ReadonlySet<string>;
let reference: ReadonlyMap<string, Reading>;
const databases = new Map<string, TestDatabase>();

beforeAll(async () => {
  for (const [name, size] of Object.entries(SIZES)) databases.set(name, await build(size));
  databases.set('divided', await build(SIZES.long, divideEmpty));
  const stop = await watchCalls();
  reference = await measure(databaseOf('long'), SIZES.long, 'accurate', PATHS);
  called = await stop();
}, WITHIN_MS);
afterAll(async () => {
  for (const database of databases.values()) await database.drop();
});

function databaseOf(size: keyof typeof SIZES | 'divided'): TestDatabase {
  const database = databases.get(size);
  if (!database) throw new Error(`There is no ${size} history`);
  return database;
}

/** The statements that read more than `most`, in words. */
function findTurned(
  readings: ReadonlyMap<string, Reading>,
  before: ReadonlyMap<string, Reading>,
  orders: number,
): string[] {
  return [...readings].flatMap(([text, { rows, pages, plan }]) => {
    const [usual, once] = [before.get(text), mayReadOnce(text)];
    const most = {
      rows: Math.max(2 * (usual?.rows ?? 0) + FEW.rows, once ? ROWS_AN_ORDER * orders : 0),
      pages: once ? Infinity : 2 * (usual?.pages ?? 0) + FEW.pages,
    };
    if (rows <= most.rows && pages <= most.pages) return [];
    return [`${rows} rows of ${most.rows}, ${pages} pages of ${most.pages}: ${text}\n${plan}`];
  });
}

describe('the statements of the hot paths', () => {
  it(
    'read as much of a history that is four times as long',
    async () => {
      const short = await measure(databaseOf('short'), SIZES.short, 'accurate', PATHS);
      expect(short.size).toBeGreaterThan(250);
      expect(findTurned(reference, short, 0).join('\n\n')).toBe('');
    },
    WITHIN_MS,
  );

  it.each(STALE)(
    'read as much with statistics: %s',
    async (age) => {
      const readings = await measure(databaseOf('long'), SIZES.long, age, PATHS);
      expect(findTurned(readings, reference, SIZES.long.orders).join('\n\n')).toBe('');
    },
    WITHIN_MS,
  );

  it.each(['accurate', 'none'] as const)(
    'read as much where history is divided by month, with statistics: %s',
    async (age) => {
      const readings = await measure(databaseOf('divided'), SIZES.long, age, PATHS);
      expect([...readings.values()].filter(({ plan }) => plan.includes('webhook_attempt_first'))).not.toEqual([]);
      expect(findTurned(readings, reference, SIZES.long.orders).join('\n\n')).toBe('');
    },
    WITHIN_MS,
  );

  it('are all there: no function with a statement is left out without a reason', () => {
    const left = exportedFunctions().filter((name) => !called.has(name));
    expect(left.filter((name) => reasonFor(name) === undefined)).toEqual([]);
    expect(new Set(left.map(reasonFor))).toEqual(new Set(Object.keys(NOT_ON_A_PATH)));
  });
});
