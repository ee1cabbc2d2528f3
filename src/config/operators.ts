// Reads from where operators may sign in, and what of theirs waits for another operator.

import { isAddressRange } from '../values/internet/address-list.ts';
import { parseThresholds, type ApprovalThresholds } from '../values/approval-thresholds.ts';
import type { Reader } from './reader.ts';

export interface OperatorsConfig {
  /** Addresses and CIDR ranges that operators sign in and call from; empty: any. */
  readonly operatorAddresses: readonly string[];
  /** Above which amounts what an operator does with money waits for another one. */
  readonly operatorApprovalAbove: ApprovalThresholds;
}

/** `OPERATOR_ADDRESSES`, comma-separated; `OPERATOR_APPROVAL_ABOVE`, which in live is `all` by default. */
export function readOperators(read: Reader, live: boolean): OperatorsConfig {
  const text = read.text('OPERATOR_APPROVAL_ABOVE', live ? 'all' : 'none');
  const thresholds = parseThresholds(text);
  if (thresholds === null)
    read.fault(
      'OPERATOR_APPROVAL_ABOVE',
      `must be none, all, or a list such as USDT/ETH=1000,ETH/ETH=0.5, not "${text}"`,
    );
  return {
    operatorAddresses: readRanges(read, 'OPERATOR_ADDRESSES'),
    operatorApprovalAbove: thresholds ?? { listed: new Map(), others: 0n },
  };
}

/** A variable of IPv4 or IPv6 addresses, or ranges of them, comma-separated. */
export function readRanges(read: Reader, name: string): string[] {
  const ranges = read.list(name);
  for (const range of ranges) {
    if (!isAddressRange(range)) read.fault(name, `must be addresses or CIDR ranges, comma-separated, not "${range}"`);
  }
  return ranges;
}
