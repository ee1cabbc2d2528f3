// Above which amounts what an operator does waits for another: `none`, `all`, or a list such as `USDT/ETH=1000`.

import { parseAmount } from './amount.ts';
import { findAsset, parseNetwork, type Asset } from './assets.ts';

/** Amounts in base units. */
export interface ApprovalThresholds {
  /** By `currency/network`. */
  readonly listed: ReadonlyMap<string, bigint>;
  /** Of every other asset; null if nothing of it waits. */
  readonly others: bigint | null;
}

const NONE: ApprovalThresholds = { listed: new Map(), others: null };
const ALL: ApprovalThresholds = { listed: new Map(), others: 0n };

/** Reads `none`, `all` or a list, whose unlisted assets all wait; null for anything else. */
export function parseThresholds(text: string): ApprovalThresholds | null {
  if (text === 'none') return NONE;
  if (text === 'all') return ALL;
  const listed = new Map<string, bigint>();
  for (const item of text.split(',')) {
    const [, currency = '', name = '', amount = ''] = /^\s*(\w+)\/(\w+)\s*=\s*(\S+)\s*$/.exec(item) ?? [];
    const network = parseNetwork(name);
    const asset = network && findAsset(currency, network);
    const units = asset && parseAmount(amount, asset.decimals);
    if (asset == null || units == null || listed.has(keyOf(asset))) return null;
    listed.set(keyOf(asset), units);
  }
  return { listed, others: 0n };
}

const keyOf = ({ currency, network }: Pick<Asset, 'currency' | 'network'>) => `${currency}/${network}`;

/** Whether an amount waits for another operator; a loss counts like a gain. */
export function needsApproval(
  { listed, others }: ApprovalThresholds,
  asset: Pick<Asset, 'currency' | 'network'>,
  units: bigint,
): boolean {
  const most = listed.get(keyOf(asset)) ?? others;
  return most !== null && (units < 0n ? -units : units) > most;
}
