// The API log of a process: every row once, in few statements, and nobody waits for rows that they do not read.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApiLog, loggedPath, type ApiLogEntry } from '../../../src/domain/merchants/api-log.ts';
import { createSetup, type Setup } from '../book.fixture.ts';

let setup: Setup;
beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());

const AT = new Date('2026-03-01T12:00:00Z');
const entry = (requestId: string, at = AT): ApiLogEntry => ({
  ...{
    merchantId: 'mer_1',
    requestId,
    at,
    keyId: null,
    method: 'GET',
    path: '/api/v1/payments',
    operation: 'payments',
  },
  ...{ status: 200, errorCode: null, durationMs: 1, ip: '127.0.0.1' },
});

const written = async (prefix: string) =>
  (
    await setup.sql<{ request_id: string; xmin: string }>(
      `select request_id, xmin::text from api_log where request_id like $1 || '%' order by id`,
      [prefix],
    )
  ).map(({ request_id: id, xmin }) => ({ id, xmin }));

describe('the API log', () => {
  it('is complete for readers who wait, and those who wait at once share a statement', async () => {
    const log = createApiLog(setup.deps);
    const reads = Array.from({ length: 20 }, async (_, nth) => {
      log.record(entry(`a-${nth}`));
      await log.flushUntil(null);
      return (await written('a-')).map(({ id }) => id);
    });
    for (const [nth, seen] of (await Promise.all(reads)).entries()) expect(seen).toContain(`a-${nth}`);
    const rows = await written('a-');
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, nth) => `a-${nth}`));
    expect(new Set(rows.map(({ xmin }) => xmin)).size).toBeLessThanOrEqual(2);
  });

  it('lets nobody wait for rows that are later than what they read', async () => {
    const log = createApiLog(setup.deps);
    log.record(entry('b-1'));
    await log.flushUntil(AT);
    expect(await written('b-')).toEqual([]);
    await log.flushUntil(new Date(AT.getTime() + 1));
    expect(await written('b-')).toHaveLength(1);
  });

  it('is written whole at the end, however much waits', async () => {
    const log = createApiLog(setup.deps);
    for (let nth = 0; nth < 4_500; nth += 1) log.record(entry(`e-${nth}`));
    await log.flush();
    expect(await written('e-')).toHaveLength(4_500);
  });

  it('a stream that was open for months has a row like any other', async () => {
    const log = createApiLog(setup.deps);
    log.record({ ...entry('d-1'), durationMs: 200 * 86_400_000 });
    log.record(entry('d-2'));
    await log.processNext();
    expect((await written('d-')).map(({ id }) => id)).toEqual(['d-1', 'd-2']);
  });

  it('has no row for a call of an unknown caller, but reports it to those who count', async () => {
    const seen: ApiLogEntry[] = [];
    const log = createApiLog(setup.deps, (unowned) => void seen.push(unowned));
    for (let nth = 0; nth < 5_000; nth += 1) log.record({ ...entry(`f-${nth}`), merchantId: null, status: 401 });
    log.record(entry('f-known'));
    await log.flush();
    expect(await written('f-')).toMatchObject([{ id: 'f-known' }]);
    expect(seen).toHaveLength(5_000);
  });

  it('keeps 200 characters of each text that a caller chooses, in memory too', async () => {
    const log = createApiLog(setup.deps);
    const long = 'x'.repeat(90_000);
    log.record({ ...entry('g-1'), path: `/${long}`, operation: long, method: long, ip: long });
    log.record({ ...entry(`g-${long}`), operation: null });
    await log.flush();
    const rows = await setup.sql<Record<string, string | null>>(
      `select request_id, path, operation, method, ip from api_log where request_id like 'g-%' order by id`,
    );
    expect(rows.map((row) => Object.values(row).map((text) => text?.length ?? null))).toEqual([
      [3, 200, 200, 200, 200],
      [200, '/api/v1/payments'.length, null, 3, 9],
    ]);
    expect(rows[0]?.['path']).toMatch(/^\/x+…$/);
  });

  it('keeps rows that could not be written, and writes them once when it can', async () => {
    const log = createApiLog(setup.deps);
    log.record(entry('c-1'));
    await setup.sql('alter table api_log rename to api_log_away');
    await expect(log.processNext()).rejects.toThrow('api_log');
    // A reader gets what there is.
    await log.flushUntil(null);
    await setup.sql('alter table api_log_away rename to api_log');
    log.record(entry('c-2'));
    await log.processNext();
    expect((await written('c-')).map(({ id }) => id)).toEqual(['c-1', 'c-2']);
    expect(await log.processNext()).toBe(false);
  });
});

/** A database whose connection breaks once, after a statement took effect but before its answer arrives. */
function cutAfterNext({ db, log }: Setup['deps']): Pick<Setup['deps'], 'db' | 'log'> {
  let isCut = false;
  const client = db.em.getConnection().getClient();
  const executeQuery = async (...told: Parameters<typeof client.executeQuery>): Promise<unknown> => {
    const answer: unknown = await client.executeQuery(...told);
    if (isCut) return answer;
    isCut = true;
    throw new Error('the connection was cut');
  };
  const em = { getTransactionContext: () => undefined, getConnection: () => ({ getClient: () => ({ executeQuery }) }) };
  return { log, db: { ...db, em: em as unknown as typeof db.em } };
}

it('rows are written once when the connection fails before it is known that they were', async () => {
  const log = createApiLog(cutAfterNext(setup.deps));
  for (const id of ['h-1', 'h-2', 'h-2']) log.record(entry(id));
  await expect(log.processNext()).rejects.toThrow('the connection was cut');
  log.record(entry('h-3'));
  await log.flush();
  log.record(entry('h-3'));
  await log.flush();
  expect((await written('h-')).map(({ id }) => id)).toEqual(['h-1', 'h-2', 'h-2', 'h-3', 'h-3']);
});

describe('a path in the log', () => {
  it.each([
    ['/api/v1/payments?limit=1', '/api/v1/payments'],
    ['/api/v1/payments/ord_06h043x75qgv0p1t7d7t7t0mn5x24dnm', '/api/v1/payments/ord_06h043x75qgv0p1t7d7t7t0mn5x24dnm'],
    ['/api/v1/merchant/api-keys/pk_test_06h043x75q', '/api/v1/merchant/api-keys/pk_test_06h043x75q'],
    ['/api/v1/payments/sk_test_abcdefgh', '/api/v1/payments/…'],
    ['/api/v1/payments/a-word-that-is-far-too-long-to-be-one/refund', '/api/v1/payments/…/refund'],
    ['/graphql', '/graphql'],
    ['/api//v1/', '/api//v1/'],
    ['*', '…'],
  ])('%s is logged as %s', (url, path) => {
    expect(loggedPath(url)).toBe(path);
  });
});
