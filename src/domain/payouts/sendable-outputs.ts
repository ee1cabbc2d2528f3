// What can be sent where money lies in outputs: those that cost too much to spend are left for a day of lower prices.

import type { UtxoAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import { HAS_NO_LIVE_TRANSACTION } from '../../database/queries/payouts/due-payouts.ts';
import { sumSpendable } from '../../database/queries/payouts/utxos.ts';
import type { Chain, Deps } from '../deps.ts';

/** Outputs spent in one transaction: some 34,000 virtual bytes; nodes pass on transactions of up to 100,000. */
export const MAX_INPUTS = 500;
/** An output that brings less than this many times what spending it costs is not spent. */
export const LEAST_WORTH = 2n;

/**
 * The price of a virtual byte, and the size of a transaction with so many inputs, with an output for change or without.
 */
export interface Prices {
  readonly rate: bigint;
  readonly sizeOf: (inputs: number, hasChange: boolean) => bigint;
}

/** What one more input costs. */
export function costOfOne({ rate, sizeOf }: Prices): bigint {
  return rate * (sizeOf(2, false) - sizeOf(1, false));
}

/** What it costs to pay once out of so many outputs, in as many transactions as that takes. */
export function costOfPaying(prices: Prices, outputs: number): bigint {
  const groups = outputs > MAX_INPUTS ? Math.ceil(outputs / MAX_INPUTS) : 0;
  return costOfOne(prices) * BigInt(outputs) + prices.rate * prices.sizeOf(1, true) * BigInt(groups + 1);
}

/**
 * The most that one withdrawal to an address can be at present prices, with what others asked for before it left to
 * them; in base units, zero or less when it is nothing. Null where nothing bounds it: money belongs to accounts, the
 * sandbox's faucet gives what lacks, or the node does not answer, and then what is asked for waits.
 */
export async function readSendable({ db }: Pick<Deps, 'db'>, chain: Chain, to: string): Promise<bigint | null> {
  const { adapter, requiredConfirmations: confirmations } = chain;
  if (adapter.model !== 'OUTPUTS' || adapter.minesOnDemand) return null;
  const rate = await readRate(adapter);
  if (rate === null) return null;
  const hotKey = await readHotKey(db.em, adapter.network);
  const prices = {
    rate,
    sizeOf: (inputs: number, hasChange: boolean) => adapter.sizeOf(inputs, hasChange ? [to, to] : [to]),
  };
  const least = LEAST_WORTH * costOfOne(prices);
  const { count, units } = await sumSpendable(db.em, adapter.network, { hotKey, confirmations }, least);
  return units - costOfPaying(prices, count) - (await readAskedFor(db.em, adapter.network));
}

async function readRate(adapter: UtxoAdapter): Promise<bigint | null> {
  try {
    return (await adapter.fees()).maxPerGas;
  } catch (error) {
    if (error instanceof ChainUnavailable) return null;
    throw error;
  }
}

/** Empty while no signer was ever started: then nothing was sent to the hot wallet either. */
async function readHotKey(em: EntityManager, network: string): Promise<string> {
  const [row] = await query<{ key: string }>(
    em,
    `select address_key as key from sender where network = $1 and role = 'HOT'`,
    [network],
  );
  return row?.key ?? '';
}

/** What payouts that nothing was signed for yet are to pay. */
async function readAskedFor(em: EntityManager, network: string): Promise<bigint> {
  const [row] = await query<{ units: string }>(
    em,
    `select coalesce(sum(amount), 0)::text as units from payout p
     where network = $1 and status in ('REQUESTED', 'BROADCAST') and ${HAS_NO_LIVE_TRANSACTION}`,
    [network],
  );
  return BigInt(row?.units ?? 0);
}
