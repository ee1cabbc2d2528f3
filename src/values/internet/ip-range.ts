// Internet address ranges: allow-lists of API keys, and which addresses are public. Tables only, no I/O.

import { isIPv4, isIPv6 } from 'node:net';

/** A range of IPv4 addresses: a base address as an unsigned 32-bit number, and how many leading bits are fixed. */
export interface IpRange {
  readonly base: number;
  readonly bits: number;
}

const range = (base: string, bits: number): IpRange => ({ base: numberOf(base), bits });

/**
 * Every IPv4 block that is not globally routable unicast (the IANA special-purpose registry, RFC 6890, and classes D
 * and E). The last row is Azure's wire server: it looks public, but serves a virtual machine's secrets.
 */
const NON_PUBLIC_IPV4: readonly IpRange[] = [
  range('0.0.0.0', 8), // this network
  range('10.0.0.0', 8), // private
  range('100.64.0.0', 10), // carrier-grade NAT
  range('127.0.0.0', 8), // loopback
  range('169.254.0.0', 16), // link-local, cloud metadata
  range('172.16.0.0', 12), // private
  range('192.0.0.0', 24), // protocol assignments
  range('192.0.2.0', 24), // documentation
  range('192.88.99.0', 24), // 6to4 relays
  range('192.168.0.0', 16), // private
  range('198.18.0.0', 15), // benchmarking
  range('198.51.100.0', 24), // documentation
  range('203.0.113.0', 24), // documentation
  range('224.0.0.0', 4), // multicast
  range('240.0.0.0', 4), // reserved, broadcast
  range('168.63.129.16', 32),
];

/**
 * The non-public blocks inside 2000::/3, the only IPv6 block with global unicast addresses, by the first 32 bits.
 * Blocks that embed an IPv4 address (6to4 and Teredo here; mapped, compatible and NAT64 outside 2000::/3) are refused
 * whole: judging the embedded address would trust the gateway that unwraps it.
 */
const NON_PUBLIC_IPV6: readonly IpRange[] = [
  { base: 0x20010000, bits: 23 }, // protocol assignments: Teredo, benchmarking, ORCHID
  { base: 0x20010db8, bits: 32 }, // documentation
  { base: 0x20020000, bits: 16 }, // 6to4
  { base: 0x3ffe0000, bits: 16 }, // the former 6bone
  { base: 0x3fff0000, bits: 20 }, // documentation
];

/** Whether a text is a globally routable unicast address. */
export function isPublicAddress(ip: string): boolean {
  if (isIPv4(ip)) return !within(numberOf(ip), NON_PUBLIC_IPV4);
  if (!isIPv6(ip) || ip.includes('%')) return false;
  const [first, second] = groupsOf(ip);
  return first >= 0x2000 && first < 0x4000 && !within(first * 0x10000 + second, NON_PUBLIC_IPV6);
}

/** No leading zeros: parsers that accept them read 010.0.0.1 as 8.0.0.1. */
const OCTET = '([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])';
/** An IPv4 address or CIDR range. */
export const IP_RANGE = new RegExp(`^(${OCTET}\\.){3}${OCTET}(/([0-9]|[12][0-9]|3[0-2]))?$`);

/**
 * Reads an allow-list entry: an IPv4 address or a CIDR range, strictly as the contract writes them (section 3), without
 * spaces, leading zeros or non-ASCII digits. Bits beyond the prefix are allowed and ignored. Null for anything else.
 */
export function parseIpRange(text: string): IpRange | null {
  if (!IP_RANGE.test(text)) return null;
  const [address = '', prefix = '32'] = text.split('/');
  return { base: numberOf(address), bits: Number(prefix) };
}

/** Whether an address lies in one of the ranges; `::ffff:a.b.c.d` counts as IPv4. An empty list matches nothing. */
export function matchesAny(ip: string, ranges: readonly IpRange[]): boolean {
  const canonical = canonicalIp(ip);
  return canonical !== null && isIPv4(canonical) && within(numberOf(canonical), ranges);
}

/**
 * The canonical spelling of an address: dotted IPv4 (also for IPv4-mapped IPv6 in any spelling), otherwise IPv6 as in
 * RFC 5952, without a zone. Null if the text is not an address.
 */
export function canonicalIp(text: string): string | null {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return null;
  const groups = groupsOf(text);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255].join('.');
  }
  return compressed(text);
}

function within(address: number, ranges: readonly IpRange[]): boolean {
  // A shift by 32 is a shift by 0 in JavaScript, hence the separate case for /0.
  return ranges.some(({ base, bits }) => bits === 0 || (address ^ base) >>> (32 - bits) === 0);
}

/** Converts a valid dotted IPv4 address to an unsigned number. */
function numberOf(ip: string): number {
  return ip.split('.').reduce((value, octet) => value * 256 + Number(octet), 0);
}

/** RFC 5952 through the URL parser. (ipaddr.js was rejected: it reads `::1.2.3.4` as the mapped `::ffff:1.2.3.4`.) */
function compressed(ip: string): string {
  return new URL(`http://[${ip.split('%', 1)[0] ?? ''}]/`).hostname.slice(1, -1);
}

export type Groups = [number, number, number, number, number, number, number, number];

/** The eight groups of a valid IPv6 address. */
export function groupsOf(ip: string): Groups {
  const [head = '', tail] = compressed(ip).split('::');
  const read = (part: string): number[] => (part ? part.split(':').map((group) => parseInt(group, 16)) : []);
  const left = read(head);
  const right = tail === undefined ? [] : read(tail);
  const zeros = new Array<number>(8 - left.length - right.length).fill(0);
  return [...left, ...zeros, ...right] as Groups;
}
