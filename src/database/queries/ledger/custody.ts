// What the book expects the chain to hold for us, and the differences found between the two.

import { query, type EntityManager } from '../../connection.ts';
import { transactionsOf } from '../payouts/due-payouts.ts';

/** Amounts by currency, in base units. */
export type Units = Map<string, bigint>;

/** A sum as the database returns it. */
export interface UnitsRow {
  readonly currency: string;
  readonly units: string;
}

export const toUnits = (rows: readonly UnitsRow[]): Units =>
  new Map(rows.map(({ currency, units }) => [currency, BigInt(units)]));

/** The gateway's own balances for one purpose, by currency. */
export async function readOwnBalances(
  em: EntityManager,
  network: string,
  purpose: 'custody' | 'suspense',
): Promise<Units> {
  const rows = await query<UnitsRow>(
    em,
    `select currency, balance::text as units from ledger_account
     where owner = 'gateway' and network = $1 and purpose = $2`,
    [network, purpose],
  );
  return toUnits(rows);
}

/** The deposits that custody does not show yet: mined but not credited, less those credited but off the chain now. */
export async function readDepositsUnderWay(em: EntityManager, network: string): Promise<Units> {
  const rows = await query<UnitsRow>(
    em,
    `select currency, sum(units)::text as units from (
       select currency, amount as units from deposit
       where network = $1 and status <> 'ORPHANED' and not credited and block_height is not null
       union all
       select currency, -amount from deposit
       where network = $1 and block_height is null and not gone and credited
     ) as part group by currency`,
    [network],
  );
  return toUnits(rows);
}

/** A payout on which the book and the chain may differ for the moment. */
export interface PayoutUnderWay {
  readonly id: string;
  readonly currency: string;
  readonly amount: bigint;
  /** Whether the book has it as paid. */
  readonly booked: boolean;
  /** Whether a transaction in a block that is beyond doubt paid it. */
  readonly settled: boolean;
  /** What a transaction with an unclear result, in such a block, took from us. */
  readonly moved: bigint;
}

/** The open payouts and those of `ids`. `doubtful` are the ids of transactions whose results do not count yet. */
export async function readPayoutsUnderWay(
  em: EntityManager,
  network: string,
  { ids, doubtful }: { ids: readonly string[]; doubtful: readonly string[] },
): Promise<PayoutUnderWay[]> {
  const rows = await query<Omit<PayoutUnderWay, 'amount' | 'moved'> & { amount: string; moved: string }>(
    em,
    `select id, currency, amount::text, completed_at is not null as booked, exists (
       select 1 from ${transactionsOf('o.id')} t where t.status = 'CONFIRMED' and t.id <> all($3)
     ) as settled, (
       select coalesce(sum(t.moved), 0) from ${transactionsOf('o.id')} t
       where t.status = 'UNCLEAR' and t.id <> all($3)
     )::text as moved
     from payout o where network = $1 and (status in ('REQUESTED', 'BROADCAST') or id = any($2))`,
    [network, ids, doubtful],
  );
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount), moved: BigInt(row.moved) }));
}

/** Of some addresses, those at which the book knows of nothing that ever arrived on the network. */
export async function findQuiet(
  em: EntityManager,
  { network, account }: { readonly network: string; readonly account: string },
  keys: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return [];
  const rows = await query<{ key: string }>(
    em,
    `select g.key from unnest($3::text[]) as g(key)
     where not exists (select 1 from sender s where (s.network, s.address_key) = ($1, g.key))
       and not exists (select 1 from payment p join deposit d on d.payment_id = p.id and d.network = $1
         where (p.derivation_account, p.address_key) = ($2, g.key) offset 0)`,
    [network, account, keys],
  );
  return rows.map(({ key }) => key);
}

/** Remembers addresses that hold money which no deposit explains, to show the operator whose orders they were for. */
export async function rememberStrays(em: EntityManager, network: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await query(
    em,
    'insert into stray_address (network, address_key) select $1, unnest($2::text[]) on conflict do nothing',
    [network, keys],
  );
}

/** A difference between the chain and the book, in base units; `difference` is chain minus book. */
export interface DifferenceRow {
  readonly network: string;
  readonly currency: string;
  readonly book: bigint;
  readonly chain: bigint;
  readonly difference: bigint;
}

/** Records a difference; returns its id. */
export async function insertDifference(
  em: EntityManager,
  { network, currency, book, chain, difference }: DifferenceRow,
  now: Date,
): Promise<string> {
  const [row] = await query<{ id: string }>(
    em,
    `insert into reconciliation (network, currency, book, chain, difference, seen_at) values ($1, $2, $3, $4, $5, $6)
     returning id::text`,
    [network, currency, book.toString(), chain.toString(), difference.toString(), now],
  );
  if (!row) throw new Error('A difference was not recorded');
  return row.id;
}

/** Marks differences as resolved for assets whose suspense account is empty. */
export async function resolveDifferences(em: EntityManager, network: string, now: Date): Promise<void> {
  await query(
    em,
    `update reconciliation r set resolved_at = $2 where network = $1 and resolved_at is null and not exists (
       select 1 from ledger_account a where (a.owner, a.purpose, a.network, a.currency)
         = ('gateway', 'suspense', r.network, r.currency) and a.balance <> 0)`,
    [network, now],
  );
}
