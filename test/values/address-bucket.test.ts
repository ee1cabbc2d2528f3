// The rate limit's bucket of a client address: IPv4 by address, IPv6 by network.

import { describe, expect, it } from '@jest/globals';
import { addressBucket } from '../../src/values/internet/address-bucket.ts';

describe('an address is counted', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['64:ff9b::1', '0.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b:1::1', '64:ff9b:1:0::/64'],
    ['unknown', 'unknown'],
    ['', ''],
  ])('%s as %s', (ip, bucket) => expect(addressBucket(ip)).toBe(bucket));

  it('by no more than 64 characters, whatever it is', () => {
    expect(addressBucket('x'.repeat(1_000))).toHaveLength(64);
  });
});
