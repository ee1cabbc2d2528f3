// Reads from where operators may sign in.

import { isAddressRange } from '../values/internet/address-list.ts';
import type { Reader } from './reader.ts';

export interface OperatorsConfig {
  /** Addresses and CIDR ranges that operators sign in and call from; empty: any. */
  readonly operatorAddresses: readonly string[];
}

/** `OPERATOR_ADDRESSES`, comma-separated. */
export function readOperators(read: Reader): OperatorsConfig {
  return { operatorAddresses: readRanges(read, 'OPERATOR_ADDRESSES') };
}

/** A variable of IPv4 or IPv6 addresses, or ranges of them, comma-separated. */
export function readRanges(read: Reader, name: string): string[] {
  const ranges = read.list(name);
  for (const range of ranges) {
    if (!isAddressRange(range)) read.fault(name, `must be addresses or CIDR ranges, comma-separated, not "${range}"`);
  }
  return ranges;
}
