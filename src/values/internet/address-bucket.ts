// The key under which rate limits count an internet address: an IPv4 address, or the /64 of an IPv6 one.

import { isIPv4 } from 'node:net';
import { canonicalIp, groupsOf } from './ip-range.ts';

/** The first 64 bits of an IPv6 address are the subscriber's network (RFC 6177); a subscriber has 2^64 addresses. */
const NETWORK_GROUPS = 4;

/**
 * An IPv4 address as it is, an IPv6 address by its /64, written `2001:db8:0:1::/64`. An IPv4 address embedded in an
 * IPv6 one, mapped (`::ffff:0:0/96`) or translated by NAT64 (`64:ff9b::/96`), counts as IPv4, because all of them
 * share one /64. A text that is not an address is returned truncated.
 */
export function addressBucket(ip: string): string {
  const canonical = canonicalIp(ip);
  if (canonical === null) return ip.slice(0, 64);
  if (isIPv4(canonical)) return canonical;
  const groups = groupsOf(canonical);
  const [first, second, , , , , high, low] = groups;
  if (first === 0x64 && second === 0xff9b && groups.slice(2, 6).every((group) => group === 0))
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
