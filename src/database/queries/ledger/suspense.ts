// Suspense: unexplained differences, the addresses they may come from, and what operators moved out of suspense.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** A difference booked to suspense and not resolved yet, in base units; `difference` is chain minus book. */
export interface OpenDifference {
  readonly network: string;
  readonly currency: string;
  readonly book: bigint;
  readonly chain: bigint;
  readonly difference: bigint;
  readonly seenAt: Date;
}

/** An address that held money that no deposit explains, and the order that it was issued for. */
export interface Stray {
  readonly network: string;
  readonly addressKey: string;
  readonly paymentId: string;
  readonly merchantId: string;
  /** What credited deposits brought there, by currency, in base units. */
  readonly deposits: ReadonlyMap<string, bigint>;
}

/** A move out of suspense by the operator, in base units. A write-off is negative if the gateway bore a loss. */
export interface SuspenseMovement {
  readonly kind: 'CREDIT' | 'WRITE_OFF';
  readonly network: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly paymentId: string | null;
  readonly merchantId: string | null;
  /** The number of the gap arrival that is moved; null for money that was not seen arriving. */
  readonly arrivalId: string | null;
  readonly note: string;
  /** The operator, by the name they gave. */
  readonly operator: string;
}

/** A recorded move. */
export type MadeMovement = SuspenseMovement & { readonly id: string; readonly at: Date };

/** Suspense accounts that are not empty. */
export async function readSuspense(
  em: EntityManager,
): Promise<{ network: string; currency: string; balance: bigint }[]> {
  const rows = await query<{ network: string; currency: string; balance: string }>(
    em,
    `select network, currency, balance::text from ledger_account
     where owner = 'gateway' and purpose = 'suspense' and balance <> 0 order by network, currency`,
  );
  return rows.map((row) => ({ ...row, balance: BigInt(row.balance) }));
}

/** Differences whose suspense account is not empty yet, oldest first. */
export async function readOpenDifferences(em: EntityManager): Promise<OpenDifference[]> {
  const rows = await query<Record<'network' | 'currency' | 'book' | 'chain' | 'difference' | 'seen_at', string>>(
    em,
    `select network, currency, book::text, chain::text, difference::text, seen_at from reconciliation
     where resolved_at is null order by id`,
  );
  return rows.map(({ network, currency, seen_at, ...units }) => ({
    ...{ network, currency, seenAt: toDate(seen_at) },
    ...{ book: BigInt(units.book), chain: BigInt(units.chain), difference: BigInt(units.difference) },
  }));
}

/** The addresses of orders that held unexplained money. What they hold now is for the chain to say. */
export async function readStrays(em: EntityManager, network: string, account: string): Promise<Stray[]> {
  const rows = await query<Omit<Stray, 'deposits'> & { deposits: Record<string, string> | null }>(
    em,
    `select s.network, s.address_key as "addressKey", p.id as "paymentId", p.merchant_id as "merchantId", (
       select json_object_agg(currency, units) from (
         select currency, sum(amount)::text as units from deposit where payment_id = p.id and network = $1 and credited group by currency
       ) as part) as deposits
     from stray_address s join payment p on (p.derivation_account, p.address_key) = ($2, s.address_key)
     where s.network = $1 order by s.address_key`,
    [network, account],
  );
  return rows.map(({ deposits, ...row }) => {
    const entries = Object.entries(deposits ?? {}).map(([currency, units]) => [currency, BigInt(units)] as const);
    return { ...row, deposits: new Map(entries) };
  });
}

/** All moves so far, oldest first. */
export async function readMovements(em: EntityManager): Promise<MadeMovement[]> {
  const rows = await query<Omit<MadeMovement, 'amount' | 'at'> & { amount: string; created_at: string }>(
    em,
    `select id::text, kind, network, currency, amount::text, payment_id as "paymentId", merchant_id as "merchantId",
       funding_id::text as "arrivalId", note, operator, created_at from suspense_movement order by suspense_movement.id`,
  );
  return rows.map(({ created_at, ...row }) => ({ ...row, amount: BigInt(row.amount), at: toDate(created_at) }));
}

/** Lets one move be made at a time until the transaction ends, because each depends on those before it. */
export async function lockMovements(em: EntityManager): Promise<void> {
  await query(em, 'lock table suspense_movement in exclusive mode');
}

/**
 * The part of an asset's recorded differences that was not moved yet: surpluses, and shortfalls as a negative number.
 */
export async function readUnmoved(
  em: EntityManager,
  asset: { readonly network: string; readonly currency: string },
): Promise<{ more: bigint; less: bigint }> {
  const [row] = await query<{ more: string; less: string }>(
    em,
    `select coalesce(sum(units) filter (where sign > 0), 0)::text as more,
       coalesce(sum(units) filter (where sign < 0), 0)::text as less
     from (
       select difference as units, sign(difference) as sign from reconciliation where (network, currency) = ($1, $2)
       union all
       select -amount, sign(amount) from suspense_movement where (network, currency) = ($1, $2)
     ) as part`,
    [asset.network, asset.currency],
  );
  return { more: BigInt(row?.more ?? 0), less: BigInt(row?.less ?? 0) };
}

/** Records a move; returns its id. */
export async function insertMovement(em: EntityManager, movement: SuspenseMovement, now: Date): Promise<string> {
  const { kind, network, currency, amount, paymentId, merchantId, arrivalId, note, operator } = movement;
  const [row] = await query<{ id: string }>(
    em,
    `insert into suspense_movement
       (kind, network, currency, amount, payment_id, merchant_id, funding_id, note, operator, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) returning id::text`,
    [kind, network, currency, amount.toString(), paymentId, merchantId, arrivalId, note, operator, now],
  );
  if (!row) throw new Error('A movement was not recorded');
  return row.id;
}
