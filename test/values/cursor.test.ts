// Cursors: only one that was issued, for the list it was issued for, can be opened.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openCursor, sealCursor } from '../../src/values/cursor.ts';

const key = new Uint8Array(32).fill(7);
const SCOPE = 'payments/mer_1';

describe('a cursor', () => {
  it('opens to what was sealed', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => value.isWellFormed());
    fc.assert(fc.property(text, (value) => expect(openCursor(key, SCOPE, sealCursor(key, SCOPE, value))).toBe(value)));
  });

  it('stays shut when any of its letters is another', () => {
    const cursor = sealCursor(key, SCOPE, 'ord_06bqv6m8e8x1s5z6d8q2r5t9w3y7a0c4');
    for (let at = 0; at < cursor.length; at += 1) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      expect(openCursor(key, SCOPE, changed)).toBeNull();
    }
  });

  it('stays shut for another list, another merchant and another key', () => {
    const cursor = sealCursor(key, SCOPE, 'x');
    expect(openCursor(key, 'payments/mer_2', cursor)).toBeNull();
    expect(openCursor(key, 'events/mer_1', cursor)).toBeNull();
    expect(openCursor(new Uint8Array(32), SCOPE, cursor)).toBeNull();
  });

  it('what was never issued is null and never an error', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(openCursor(key, SCOPE, text)).toBeNull()));
    for (const text of ['', '=', 'A', `${sealCursor(key, SCOPE, 'x')}=`, sealCursor(key, SCOPE, '')])
      expect(openCursor(key, SCOPE, text)).toBeNull();
  });
});
