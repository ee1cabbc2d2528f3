// A report is made while it is sent, as CSV and as JSON: even the longest one (ten years by day of every asset) is
// never in memory as a whole.

import { describe, expect, it } from '@jest/globals';
import { print, type DocumentNode, type ExecutionResult } from 'graphql';
import type { OperationContext } from '../../src/access/caller.ts';
import type { Engine } from '../../src/graphql/engine.ts';
import type { Services } from '../../src/resolvers/services.ts';
import { buildGatewaySchema } from '../../src/resolvers/schema.ts';
import { createEndpoint } from '../../src/rest/endpoint.ts';
import { ROUTES } from '../../src/rest/routes/routes.ts';
import { ASSETS } from '../../src/values/assets.ts';
import { toCsv } from '../../src/values/formats/csv.ts';

const DAY_MS = 86_400_000;
const FROM = Date.parse('2016-11-01T00:00:00Z');
const DAYS = 3_660;
const COLUMNS = ['period', 'currency', 'network', 'payments', 'gross', 'fees', 'net', 'refunded', 'withdrawn'];

const TO = FROM + DAYS * DAY_MS;
const TOTALS = [{ currency: 'USDT', network: 'ETH', payments: DAYS }];

interface Asked {
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The answer made as a whole, for comparison. */
const WHOLE: Readonly<Record<string, (rows: readonly object[]) => string>> = {
  csv: (rows) => toCsv(COLUMNS, rows as Readonly<Record<string, unknown>>[]),
  json: (rows) =>
    JSON.stringify({ success: true, data: { from: new Date(FROM), to: new Date(TO), totals: TOTALS, rows } }),
};

/** The rows of some days. */
function rowsOf(from: number, to: number) {
  const days = Array.from({ length: (to - from) / DAY_MS }, (_, day) => new Date(from + day * DAY_MS));
  return days.flatMap((day) =>
    ASSETS.map(({ currency, network }) => ({
      ...{ period: day.toISOString().slice(0, 10), currency, network, payments: 1, gross: '25.000099', fees: '0.25' },
      ...{ net: '24.750099', refunded: '0', withdrawn: '-1' },
    })),
  );
}

/** The endpoint on a book of ten years, and the parts of it that were read so far. */
function openReports(format: string, fail: (nth: number) => boolean = () => false) {
  const reads: { rows: number }[] = [];
  const route = ROUTES.find(({ path }) => path === '/reports');
  if (!route) throw new Error('There is no such row');
  const execute = ({ document, variables }: Asked): Promise<ExecutionResult> => {
    const asked = print(document);
    if (!asked.includes('rows')) {
      const totals = asked.includes('totals') ? { totals: TOTALS } : {};
      return Promise.resolve({ data: { result: { from: new Date(FROM), to: new Date(TO), ...totals } } });
    }
    if (fail(reads.length + 1)) return Promise.reject(new Error('The database is gone'));
    const { startDate, endDate } = variables as { startDate: string; endDate: string };
    const rows = rowsOf(Date.parse(startDate), Date.parse(endDate));
    reads.push({ rows: rows.length });
    return Promise.resolve({ data: { result: { rows } } });
  };
  const admit: Engine['admit'] = (prepared, variables, context) =>
    Promise.resolve({ ...prepared, variables, coerced: variables, context });
  const schema = buildGatewaySchema({} as Services, 'sandbox');
  const endpoint = createEndpoint(
    { engine: { schema, admit, execute }, guardOf: () => () => undefined, explain: () => [] },
    route,
  );
  return {
    reads,
    async ask() {
      const query = new Map([['format', [format]]]);
      const answer = await endpoint.run({ params: {}, query, body: undefined }, {} as OperationContext);
      if (!('parts' in answer)) throw new Error('It is made as a whole');
      return answer.parts;
    },
  };
}

describe.each(['csv', 'json'])('ten years by day of every asset, as %s', (format) => {
  it('are the bytes that the whole would be', async () => {
    const { ask } = openReports(format);
    const parts = [];
    for await (const part of await ask()) parts.push(part);
    const whole = rowsOf(FROM, TO);
    expect(whole.length).toBe(DAYS * ASSETS.length);
    expect(parts.join('') === WHOLE[format]?.(whole)).toBe(true);
  });

  it('are read a quarter of a year at a time, and the next only when the one before has been taken', async () => {
    const { ask, reads } = openReports(format);
    let taken = 0;
    const parts = await ask();
    expect(reads).toHaveLength(1);
    for await (const part of parts) {
      taken += 1;
      expect(reads).toHaveLength(Math.min(taken, 41));
      expect(part.length).toBeLessThan(500_000);
    }
    expect(reads).toHaveLength(41);
    expect(Math.max(...reads.map(({ rows }) => rows))).toBeLessThanOrEqual(92 * ASSETS.length);
  });

  it('are not read on when the caller has gone', async () => {
    const { ask, reads } = openReports(format);
    for await (const part of await ask()) if (part !== '' && reads.length === 3) break;
    expect(reads).toHaveLength(3);
  });

  it('are refused before the first byte where the first part fails, and break off where a later one does', async () => {
    await expect(openReports(format, (nth) => nth === 1).ask()).rejects.toThrow('gone');
    const parts = await openReports(format, (nth) => nth === 3).ask();
    const taken: string[] = [];
    const take = async () => {
      for await (const part of parts) taken.push(part);
    };
    await expect(take()).rejects.toThrow('gone');
    expect(taken).toHaveLength(2);
    if (format === 'json') expect(() => JSON.parse(taken.join('')) as unknown).toThrow();
  });
});
