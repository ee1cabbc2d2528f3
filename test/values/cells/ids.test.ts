// Identifiers that are made in a cell: as long and as ordered as the others, never taken for them, and readable.

import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cellOf, firstIdOf, isId, newId } from '../../../src/values/id.ts';
import { useCell } from '../../../src/values/cells/own-cell.ts';

afterEach(() => useCell(null));

/** The years in which databases become cells, and what is made in them. */
const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2054, 0, 1) });
const cell = fc.integer({ min: 0, max: 999 });

/** An identifier made at an instant by a process of a database that is a cell since another. */
function idAt(at: number, own: { cell: number; since: number }): string {
  useCell(at < own.since ? null : own);
  const id = newId('ord', at);
  useCell(own);
  return id;
}

describe('an identifier of a cell', () => {
  it('has the form and the length of any other, and says its cell', () => {
    fc.assert(
      fc.property(instant, cell, (at, number) => {
        useCell({ cell: number, since: 0 });
        const id = newId('evt', at);
        expect(isId('evt', id)).toBe(true);
        expect(cellOf(id)).toBe(number);
      }),
    );
  });

  it('is never read from one that was made without, until the year 2248', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2248, 0, 1) }), (at) => {
        expect(cellOf(newId('ord', at))).toBeNull();
      }),
    );
  });

  it.each(['', 'ord', 'ord_6', `ord_${'z'.repeat(32)}`, `ord_${'6'.repeat(33)}`, `ord_${'6'.repeat(31)}u`, 'console'])(
    'is not read from %j',
    (text) => {
      expect(cellOf(text)).toBeNull();
    },
  );

  it('sorts by time, and after all that was made before the database was a cell', () => {
    fc.assert(
      fc.property(instant, instant, instant, cell, (a, b, since, number) => {
        fc.pre(a < b);
        const own = { cell: number, since };
        expect(idAt(a, own) < idAt(b, own)).toBe(true);
      }),
    );
  });

  it('has 110 random bits after its time and its cell', () => {
    useCell({ cell: 517, since: 0 });
    const ids = Array.from({ length: 2_000 }, () => newId('ord', Date.UTC(2027, 0, 1)));
    expect(new Set(ids.map((id) => id.slice(-22))).size).toBe(2_000);
    expect(new Set(ids.map((id) => id.slice(4, 14))).size).toBe(1);
    for (let at = 14; at < 36; at += 1) expect(new Set(ids.map((id) => id[at])).size).toBe(32);
  });

  it('is never older than the cell, whatever the clock says', () => {
    const since = Date.UTC(2027, 0, 1);
    useCell({ cell: 7, since });
    expect(newId('ord', since - 60_000) >= firstIdOf('ord', since)).toBe(true);
  });
});

describe('firstIdOf', () => {
  it('parts what was made before an instant from the rest, across the day on which the database became a cell', () => {
    fc.assert(
      fc.property(fc.array(instant, { maxLength: 20 }), instant, instant, cell, (made, at, since, number) => {
        const own = { cell: number, since };
        for (const one of [...made, at - 1, at, since - 1, since]) {
          const id = idAt(one, own);
          expect(id >= firstIdOf('ord', at)).toBe(one >= at);
        }
      }),
    );
  });

  it('is a bound for any instant, however early or late', () => {
    useCell({ cell: 7, since: Date.UTC(2027, 0, 1) });
    expect(firstIdOf('ord', 0) < newId('ord')).toBe(true);
    expect(firstIdOf('ord', Date.UTC(9999, 0, 1)) > newId('ord')).toBe(true);
  });
});
