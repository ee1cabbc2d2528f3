// Identifiers: unguessable, ordered by time, and recognised by their form.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { base32, isId, newId } from '../../src/values/id.ts';

describe('newId', () => {
  it('has the form that isId knows, for its own prefix only', () => {
    const id = newId('ord');
    expect(id).toMatch(/^ord_[0-9a-hjkmnp-tv-z]{32}$/);
    expect(isId('ord', id)).toBe(true);
    expect(isId('evt', id)).toBe(false);
  });

  it('sorts by time, as bytes do', () => {
    const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
    fc.assert(
      fc.property(time, time, (a, b) => {
        fc.pre(a < b);
        expect(newId('evt', a) < newId('evt', b)).toBe(true);
      }),
    );
  });

  it('has 112 random bits after the 48 of its time', () => {
    const ids = Array.from({ length: 2_000 }, () => newId('ord', 0));
    expect(new Set(ids.map((id) => id.slice(-22))).size).toBe(2_000);
    expect(new Set(ids.map((id) => id.slice(4, 13))).size).toBe(1);
    // Every position after the time can hold every letter.
    for (let at = 15; at < 36; at += 1) expect(new Set(ids.map((id) => id[at])).size).toBe(32);
  });
});

describe('isId', () => {
  const good = newId('ord');

  it.each([
    ...['', 'ord', 'ord_', good.slice(0, -1), `${good}0`, good.toUpperCase(), ` ${good}`, `${good}\n`],
    ...[`${good.slice(0, -1)}i`, `${good.slice(0, -1)}u`, `${good.slice(0, -1)}\u0000`, good.replace('_', '-')],
  ])('%j is not an id', (text) => {
    expect(isId('ord', text)).toBe(false);
  });

  it('nothing but an identifier is one', () => {
    fc.assert(
      fc.property(fc.string(), (text) => expect(isId('ord', text)).toBe(/^ord_[0-9a-hjkmnp-tv-z]{32}$/.test(text))),
    );
  });
});

describe('base32', () => {
  it('writes five bits a letter, in the order of the bytes', () => {
    expect(base32(new Uint8Array(5))).toBe('00000000');
    expect(base32(new Uint8Array(5).fill(255))).toBe('zzzzzzzz');
    expect(base32(Buffer.from('0001020304', 'hex'))).toBe('000g40r4');
  });

  it('different bytes give different texts of the same order', () => {
    const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        const [x, y] = [base32(a), base32(b)];
        expect(Math.sign(Buffer.compare(a, b))).toBe(x === y ? 0 : x < y ? -1 : 1);
      }),
    );
  });
});
