// Lists suspense: the balances, the differences behind them, the addresses that may hold them, and manual movements.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection.ts';
import { readGapArrivals } from '../../database/queries/chain/gap-arrivals.ts';
import {
  readMovements,
  readOpenDifferences,
  readStrays,
  readSuspense,
  type MadeMovement,
  type Stray,
} from '../../database/queries/ledger/suspense.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { openAdapters } from '../open-adapters.ts';

type Say = (line: string) => void;

/** Addresses queried at once. */
const CHUNK = 100;

/** Prints everything. Nodes are asked for balances; those that do not answer are named. */
export async function listSuspense(config: Config, db: Database, say: Say): Promise<void> {
  const accounts = await readSuspense(db.em);
  if (accounts.length === 0) say('Nothing is in suspense');
  for (const { network, currency, balance } of accounts) {
    const than = balance > 0n ? 'more' : 'less';
    say(`${show(network, currency, balance)} in suspense: the chain holds ${than} than the book explains`);
  }
  for (const { network, currency, book, chain, difference, seenAt } of await readOpenDifferences(db.em)) {
    const [held, booked] = [show(network, currency, chain), show(network, currency, book)];
    say(`  ${seenAt.toISOString()}  ${show(network, currency, difference)}: chain ${held}, book ${booked}`);
  }
  for (const adapter of await openAdapters(config)) await listStrays(db, adapter, say);
  const arrivals = await readGapArrivals(db.em);
  if (arrivals.length > 0) say('\nArrived at addresses of lost orders; move each by its number:');
  for (const { id, network, account, index, addressKey, txHash, currency, amount } of arrivals)
    say(
      `  arrival ${id}  ${addressKey}  ${show(network, currency, amount)} by ${txHash}, index ${index} of ${account}`,
    );
  const movements = await readMovements(db.em);
  if (movements.length > 0) say('\nMoved by hand:');
  for (const movement of movements) say(`  ${describe(movement)}`);
}

/** Addresses that hold something now, with the orders they were issued for. */
async function listStrays(db: Database, adapter: ChainAdapter, say: Say): Promise<void> {
  const { network, account } = adapter;
  const strays = await readStrays(db.em, network, account);
  if (strays.length === 0) return;
  try {
    const lines = await describeStrays(adapter, strays);
    if (lines.length === 0) return;
    say(`\nAddresses on ${network} that held what no deposit explained:`);
    for (const line of lines) say(`  ${line}`);
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    say(`\n${String(strays.length)} addresses on ${network} held what no deposit explained; ${error.message}`);
  }
}

async function describeStrays(adapter: ChainAdapter, strays: readonly Stray[]): Promise<string[]> {
  // With outputs every arrival is seen, so there are none.
  if (adapter.model === 'OUTPUTS') return [];
  const { network } = adapter;
  const lines: string[] = [];
  for (const currency of adapter.contracts.keys()) {
    for (let first = 0; first < strays.length; first += CHUNK) {
      const chunk = strays.slice(first, first + CHUNK);
      const keys = chunk.map(({ addressKey }) => addressKey);
      const held = await adapter.balances(keys, currency);
      for (const { addressKey, paymentId, merchantId, deposits } of chunk) {
        const units = held.get(addressKey) ?? 0n;
        if (units === 0n) continue;
        const booked = deposits.get(currency) ?? 0n;
        const ordinary = booked === 0n ? '' : ` (deposits brought ${show(network, currency, booked)})`;
        lines.push(`${addressKey}  ${show(network, currency, units)}${ordinary}  ${paymentId} of ${merchantId}`);
      }
    }
  }
  return lines;
}

function describe({ id, at, kind, network, currency, amount, paymentId, merchantId, ...movement }: MadeMovement) {
  const { arrivalId, operator, note } = movement;
  const what = kind === 'CREDIT' ? `credited to ${String(merchantId)} for ${String(paymentId)}` : 'written off';
  const units = `${show(network, currency, amount)}${arrivalId === null ? '' : ` (arrival ${arrivalId})`}`;
  return `suspense/${id}  ${at.toISOString()}  ${units} ${what} by ${operator}: ${note}`;
}

function show(network: string, currency: string, units: bigint): string {
  return `${formatAmount(units, assetOf({ network, currency }).decimals)} ${currency} on ${network}`;
}
