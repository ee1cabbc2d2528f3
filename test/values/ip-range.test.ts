// Allow-lists take IPv4 exactly as written, and only globally routable unicast counts as public.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  canonicalIp,
  isPublicAddress,
  matchesAny,
  parseIpRange,
  type IpRange,
} from '../../src/values/internet/ip-range.ts';

const rangesOf = (...texts: string[]): IpRange[] =>
  texts.map((text) => parseIpRange(text)).filter((range) => range !== null);

describe('parseIpRange', () => {
  it.each(['192.0.2.1', '0.0.0.0', '255.255.255.255', '10.0.0.0/8', '0.0.0.0/0', '10.1.2.3/32', '10.1.2.3/24'])(
    'takes %s',
    (text) => {
      expect(parseIpRange(text)).not.toBeNull();
    },
  );

  it.each([
    '',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '10.0.0.1\n',
    '010.0.0.1',
    '10.0.0.01',
    '10.0.0',
    '10.0.0.1.',
    '0x0a.0.0.1',
    '167772161',
    '256.0.0.1',
    '１０.0.0.1',
    '10.0.0.0/08',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/+8',
    '10.0.0.0/8.0',
    '10.0.0.0/8/8',
    '10.0.0.0/ 8',
    '10.0.0.0/８',
    '10.0.0.0/255.0.0.0',
    '/8',
    '::1',
    '2001:db8::/32',
    '::ffff:10.0.0.1',
    'localhost',
  ])('refuses %j', (text) => {
    expect(parseIpRange(text)).toBeNull();
  });
});

describe('matchesAny', () => {
  it.each([
    ['192.0.2.7', ['192.0.2.7'], true],
    ['192.0.2.8', ['192.0.2.7'], false],
    ['10.255.255.255', ['10.0.0.0/8'], true],
    ['11.0.0.0', ['10.0.0.0/8'], false],
    ['10.1.2.255', ['10.1.2.3/24'], true],
    ['203.0.113.200', ['203.0.113.128/25'], true],
    ['203.0.113.127', ['203.0.113.128/25'], false],
    ['255.255.255.255', ['0.0.0.0/0'], true],
    ['255.255.255.255', ['128.0.0.0/1'], true],
    ['1.2.3.4', ['10.0.0.0/8', '1.2.3.4/31'], true],
    ['::ffff:192.0.2.7', ['192.0.2.7'], true],
    ['::FFFF:c000:207', ['192.0.2.7'], true],
    ['0:0:0:0:0:ffff:c000:0207', ['192.0.2.7'], true],
    ['::192.0.2.7', ['192.0.2.7'], false],
    ['::1', ['0.0.0.0/0'], false],
    ['192.0.2.7', [], false],
    ['nonsense', ['0.0.0.0/0'], false],
    ['010.0.0.1', ['0.0.0.0/0'], false],
  ])('%s against %j: %s', (ip, texts, expected) => {
    expect(matchesAny(ip, rangesOf(...texts))).toBe(expected);
  });

  it('agrees with arithmetic for every address, base and prefix', () => {
    const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
    const address = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(address, address, fc.integer({ min: 0, max: 32 }), fc.boolean(), (base, other, bits, near) => {
        const size = 2 ** (32 - bits);
        const start = Math.floor(base / size) * size;
        const ip = near ? start + (other % size) : other;
        const expected = ip >= start && ip < start + size;
        expect(matchesAny(dotted(ip), rangesOf(`${dotted(base)}/${String(bits)}`))).toBe(expected);
      }),
    );
  });
});

describe('canonicalIp', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::192.0.2.1', '::c000:201'],
    ['::', '::'],
    ['[::1]', null],
    ['010.0.0.1', null],
    ['192.0.2.1:80', null],
    ['', null],
  ])('%j is %j', (text, expected) => {
    expect(canonicalIp(text)).toBe(expected);
  });
});

describe('isPublicAddress', () => {
  it.each([
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.255.255'],
    ...['172.32.0.0', '169.253.255.255', '192.0.1.0', '192.167.255.255', '198.17.255.255', '198.20.0.0'],
    ...['223.255.255.255', '2606:4700:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2400::1'],
  ])('%s is public', (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });

  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.100.100.200', '100.127.255.255', '127.0.0.1', '127.9.9.9'],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.192', '192.0.2.1', '192.88.99.1', '192.168.1.1'],
    ...['198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
    ...['255.255.255.255', '168.63.129.16', '::', '::1', '::127.0.0.1', '::8.8.8.8', '::ffff:127.0.0.1'],
    ...['::ffff:8.8.8.8', '::ffff:7f00:1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8'],
    ...['64:ff9b:1::a9fe:a9fe', '100::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:2::1', '2001:10::1'],
    ...['2001:20::1', '2001:db8::1', '2002:7f00:1::', '2002:a9fe:a9fe::1', '3ffe::1', '3fff::1', '3fff:fff::1'],
    ...['4000::1', '5f00::1', 'fc00::1', 'fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1', 'ff02::1'],
    ...['2606:4700::1%eth0', '010.8.8.8', '8.8.8', '[::1]', '2130706433', 'localhost', '', '8.8.8.8 '],
  ])('%s is not', (ip) => {
    expect(isPublicAddress(ip)).toBe(false);
  });
});
