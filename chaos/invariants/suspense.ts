// Money paid to orders that the older copy of the database has lost: reads what of it is in suspense, and writes it off
// as an operator would.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { formatUnits, parseUnits } from 'viem/utils';
import { DECIMALS } from './chain-balances.ts';
import type { Notes } from '../load/client-log.ts';
import type { System } from '../processes/environment.ts';

/** Base units in suspense on ETH, and the bounds that follow from what the customers paid. */
export interface Suspended {
  readonly currency: string;
  readonly amount: bigint;
  /** The sum of the deposits to lost orders that were answered. */
  readonly least: bigint;
  /** The sum of the deposits to lost orders that were requested. */
  readonly most: bigint;
}

const PROGRAM = fileURLToPath(new URL('../../src/cli/ledger/ledger.js', import.meta.url));
const WITHIN_MS = 60_000;
const run = promisify(execFile);

const SUSPENSE = `
select currency, balance::text from ledger_account
where owner = 'gateway' and purpose = 'suspense' and network = 'ETH'`;

/** Reads what is in suspense in each currency. */
export async function readSuspended({ database }: System, { deposits }: Notes): Promise<Suspended[]> {
  const known = await database.rows<{ id: string }>('select id from payment');
  const ids = new Set(known.map(({ id }) => id));
  const lost = deposits.filter(({ orderId }) => !ids.has(orderId));
  const rows = await database.rows<{ currency: string; balance: string }>(SUSPENSE);
  const balances = new Map(rows.map((row) => [row.currency, BigInt(row.balance)]));
  return Object.entries(DECIMALS).map(([currency, decimals]) => {
    const here = lost.filter((deposit) => deposit.currency === currency);
    const sum = (some: typeof here) => some.reduce((total, { amount }) => total + parseUnits(amount, decimals), 0n);
    const least = sum(here.filter(({ answered }) => answered));
    return { currency, amount: balances.get(currency) ?? 0n, least, most: sum(here) };
  });
}

/** Money that came to addresses of lost orders; it is written off by the number of its arrival. */
const ARRIVALS = `
select id::text, currency, amount::text from funding
where network = 'ETH' and purpose = 'suspense' and not explained and not reversed order by funding.id`;

/** Writes off everything in suspense by `npm run ledger`; the ledger must be complete without it. */
export async function writeOff(system: System, suspended: readonly Suspended[]): Promise<void> {
  const left = new Map(suspended.map(({ currency, amount }) => [currency, amount]));
  const arrivals = await system.database.rows<{ id: string; currency: string; amount: string }>(ARRIVALS);
  for (const { id, currency, amount } of arrivals) {
    await writeOffOne(system, currency, BigInt(amount), ['--arrival', id]);
    left.set(currency, (left.get(currency) ?? 0n) - BigInt(amount));
  }
  for (const [currency, amount] of left) if (amount !== 0n) await writeOffOne(system, currency, amount);
}

async function writeOffOne(
  { environment }: System,
  currency: string,
  amount: bigint,
  more: readonly string[] = [],
): Promise<void> {
  const decimal = formatUnits(amount, DECIMALS[currency] ?? 0);
  const wish = ['--network', 'ETH', '--currency', currency, `--amount=${decimal}`, '--note', 'orders that were lost'];
  const args = ['--enable-source-maps', PROGRAM, 'suspense', 'write-off', ...wish, ...more];
  await run(process.execPath, args, { env: { ...environment }, timeout: WITHIN_MS });
}
