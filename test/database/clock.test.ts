// The database's time, carried forward: how a process gets it when reading it is slow.

import { describe, expect, it } from '@jest/globals';
import { createClock } from '../../src/database/clock.ts';

/** A database clock that is read at the end of a slow reading, for example one that has to connect first. */
function slowDatabase(takes: readonly number[]) {
  let count = 0;
  let readings = 0;
  const start = Date.UTC(2026, 0, 1);
  return {
    count: () => count,
    readings: () => readings,
    pass: (ms: number) => void (count += ms),
    time: () => start + count,
    read: () => {
      count += takes[Math.min(readings, takes.length - 1)] ?? 0;
      readings += 1;
      return Promise.resolve(start + count);
    },
  };
}

describe('the clock', () => {
  it('goes by its quickest reading, not by the first one, which connects', async () => {
    const database = slowDatabase([1_500, 40, 2]);
    const clock = await createClock(database.read, database.count);
    expect(database.readings()).toBe(3);
    database.pass(60_000);
    expect(clock.now().getTime() - database.time()).toBe(1);
  });

  it('reads a far database five times at most, and keeps the best', async () => {
    const database = slowDatabase([80, 30, 60, 50, 70]);
    const clock = await createClock(database.read, database.count);
    expect(database.readings()).toBe(5);
    expect(clock.now().getTime() - database.time()).toBe(15);
  });

  it('that was ahead of a later reading does not go back: it waits for it at half its pace', async () => {
    const database = slowDatabase([0]);
    let aheadMs = 20;
    const clock = await createClock(async () => (await database.read()) + aheadMs, database.count);
    aheadMs = 0;
    await clock.sync();
    const ahead = () => clock.now().getTime() - database.time();
    expect(ahead()).toBe(20);
    database.pass(10);
    expect(ahead()).toBe(15);
    database.pass(100);
    expect(ahead()).toBe(0);
  });

  it('that is far ahead, as after another server has taken over, is set right at once', async () => {
    const database = slowDatabase([0]);
    let aheadMs = 1_001;
    const clock = await createClock(async () => (await database.read()) + aheadMs, database.count);
    aheadMs = 0;
    await clock.sync();
    expect(clock.now().getTime() - database.time()).toBe(0);
  });

  it('that was read anew goes by that reading', async () => {
    const database = slowDatabase([3]);
    const clock = await createClock(async () => (await database.read()) + 5_000, database.count);
    await clock.sync();
    expect(clock.now().getTime() - database.time()).toBe(5_001);
    expect(database.readings()).toBe(2);
  });
});
