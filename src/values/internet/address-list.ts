// Lists of addresses and CIDR ranges, IPv4 and IPv6, that something may come from.

import { BlockList, isIP } from 'node:net';

/** Whether a text is an address or a CIDR range. */
export function isAddressRange(text: string): boolean {
  const [base = '', bits, ...rest] = text.split('/');
  const most = isIP(base) === 6 ? 128 : 32;
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return isIP(base) !== 0 && isRange && rest.length === 0;
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** A list of ranges, each of which `isAddressRange`. */
export function addressList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(base, familyOf(base));
    else list.addSubnet(base, Number(bits), familyOf(base));
  }
  return list;
}

/** Whether an address is in a list. */
export const isIn = (list: BlockList, address: string): boolean =>
  isIP(address) !== 0 && list.check(address, familyOf(address));
