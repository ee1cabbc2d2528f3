// The table of seen events that the guide shows, on PostgreSQL: of many that claim an event at once, one is told `new`.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { SeenEvents } from '../../sdk/typescript/src/webhooks/index.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { fencesOf } from './guide-examples.fixture.ts';

const shown = (language: string): string =>
  fencesOf('sdks.md').find((fence) => fence.language === language && fence.marks.includes('seen-events'))?.text ?? '';

let pool: pg.Pool;
let seen: SeenEvents;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: (await createTestDatabase()).url, max: 8 });
  await pool.query(shown('sql'));
  const module = `data:text/javascript,${encodeURIComponent(shown('js'))}`;
  const { seenEvents } = (await import(module)) as { readonly seenEvents: (pool: pg.Pool) => SeenEvents };
  seen = seenEvents(pool);
});
afterAll(() => pool.end());

it('tells one of eight that an event is new, and all that come later that it is done', async () => {
  const claims = await Promise.all(Array.from({ length: 8 }, async () => seen.claim('evt_1', 60)));
  expect(claims.sort()).toEqual([...Array<string>(7).fill('busy'), 'new']);
  await seen.finish('evt_1');
  await seen.release('evt_1');
  expect(await seen.claim('evt_1', 60)).toBe('done');
});

it.each([
  ['given up', 60, () => seen.release('evt_2')],
  ['of a process that was killed', 0, () => undefined],
])('a claim %s is new again', async (_, leaseSeconds, then) => {
  expect(await seen.claim('evt_2', leaseSeconds)).toBe('new');
  await then();
  expect(await seen.claim('evt_2', 0)).toBe('new');
});
