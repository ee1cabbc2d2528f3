// What is sealed opens in its place alone, and only unchanged.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { seal, unseal } from '../../../src/values/secrets/sealed.ts';

const key = new Uint8Array(32).fill(7);

describe('a sealed text', () => {
  it('opens with its key in its place, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, place) => {
        expect(unseal(key, seal(key, text, place), place)).toBe(text);
      }),
    );
  });

  it('opens with no other key, in no other place, and with no bit changed', () => {
    const sealed = seal(key, 'JBSWY3DPEHPK3PXP', 'fct_1');
    expect(unseal(new Uint8Array(32).fill(8), sealed, 'fct_1')).toBeNull();
    expect(unseal(key, sealed, 'fct_2')).toBeNull();
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const changed = Buffer.from(sealed);
        changed[at] = (changed[at] ?? 0) ^ change;
        expect(unseal(key, changed, 'fct_1')).toBeNull();
      }),
    );
    for (let size = 0; size < sealed.length; size += 1)
      expect(unseal(key, sealed.subarray(0, size), 'fct_1')).toBeNull();
  });

  it('is another one each time, and does not show the text', () => {
    const [one, other] = [seal(key, 'JBSWY3DPEHPK3PXP', 'a'), seal(key, 'JBSWY3DPEHPK3PXP', 'a')];
    expect(one.equals(other)).toBe(false);
    expect(one.toString('latin1')).not.toContain('JBSWY3');
  });
});
