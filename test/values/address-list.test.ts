// Lists of addresses and ranges of both families.

import { describe, expect, it } from '@jest/globals';
import { addressList, isAddressRange, isIn } from '../../src/values/internet/address-list.ts';

describe('a list of addresses', () => {
  const list = addressList(['192.0.2.7', '198.51.100.0/24', '2001:db8::/32', '::1']);

  it.each([
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['198.51.100.255', true],
    ['198.51.101.0', false],
    ['2001:db8:ffff::1', true],
    ['2001:db9::1', false],
    ['::1', true],
    ['unknown', false],
    ['', false],
  ])('%s: %s', (address, is) => expect(isIn(list, address)).toBe(is));

  it('of ranges with no bits fixed has every address of their family', () => {
    expect(isIn(addressList(['0.0.0.0/0']), '203.0.113.1')).toBe(true);
    expect(isIn(addressList(['0.0.0.0/0']), '2001:db8::1')).toBe(false);
  });
});

describe('an address or range', () => {
  it.each([
    ['192.0.2.7', true],
    ['192.0.2.0/24', true],
    ['2001:db8::/32', true],
    ['192.0.2.0/33', false],
    ['2001:db8::/129', false],
    ['192.0.2.0/', false],
    ['192.0.2.0/24/8', false],
    ['example.org', false],
  ])('%s: %s', (text, is) => expect(isAddressRange(text)).toBe(is));
});
