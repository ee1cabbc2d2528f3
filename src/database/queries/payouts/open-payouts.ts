// Open payouts as an operator sees them: listed, counted by network, and counted as stuck.

import { query, toDate, type EntityManager } from '../../connection.ts';
import type { PayoutKind } from '../../../entities/payout.ts';
import { HAS_LIVE_TRANSACTION } from './due-payouts.ts';

/** A payout that is neither paid nor failed. Amount in base units. */
export interface OpenPayout {
  readonly id: string;
  readonly kind: PayoutKind;
  /** Null for the gateway's own fees. */
  readonly merchantId: string | null;
  readonly currency: string;
  readonly network: string;
  readonly amount: bigint;
  readonly address: string;
  readonly status: 'REQUESTED' | 'BROADCAST';
  readonly heldReason: string | null;
  readonly heldSince: Date | null;
  readonly txHash: string | null;
  readonly createdAt: Date;
}

type Row = Omit<OpenPayout, 'amount' | 'heldSince' | 'createdAt'> & {
  readonly amount: string;
  readonly heldSince: string | null;
  readonly createdAt: string;
};

/** Open payouts of one network, or of all, requested no later than `until`, oldest first. */
export async function readOpenPayouts(
  em: EntityManager,
  { network, until }: { network: string | null; until: Date },
): Promise<OpenPayout[]> {
  const rows = await query<Row>(
    em,
    `select id, kind, merchant_id as "merchantId", currency, network, amount::text, address, status,
       held_reason as "heldReason", held_since as "heldSince", tx_hash as "txHash", created_at as "createdAt"
     from payout where status in ('REQUESTED', 'BROADCAST') and ($1::text is null or network = $1) and created_at <= $2
     order by created_at, id`,
    [network, until],
  );
  return rows.map(({ amount, heldSince, createdAt, ...row }) => ({
    ...row,
    amount: BigInt(amount),
    heldSince: toDate(heldSince),
    createdAt: toDate(createdAt),
  }));
}

/** By network: how many payouts need a transaction, and since when the oldest does. */
export async function readDueCounts(
  em: EntityManager,
): Promise<{ network: string; payoutsDue: number; oldestDueAt: Date | null }[]> {
  const rows = await query<{ network: string; due: number; oldest: string | null }>(
    em,
    `select network, count(*)::int as due, min(created_at) as oldest from payout p
     where status in ('REQUESTED', 'BROADCAST') and not ${HAS_LIVE_TRANSACTION} group by network order by network`,
  );
  return rows.map(({ network, due, oldest }) => ({ network, payoutsDue: due, oldestDueAt: toDate(oldest) }));
}

/** Open payouts of one network in one state. */
export interface OpenCount {
  readonly network: string;
  readonly status: OpenPayout['status'];
  readonly count: number;
  /** The age of the oldest. */
  readonly seconds: number;
}

/** By network and state: how many payouts are open, and for how long the oldest has been. */
export async function countOpen(em: EntityManager): Promise<OpenCount[]> {
  return query<OpenCount>(
    em,
    `select network, status, count(*)::int as count,
       greatest(0, extract(epoch from now() - min(created_at)))::float8 as seconds
     from payout where status in ('REQUESTED', 'BROADCAST') group by network, status`,
  );
}

/** By asset: what payouts without a transaction will take out of the wallets, in base units. */
export async function sumDue(
  em: EntityManager,
): Promise<{ readonly network: string; readonly currency: string; readonly units: bigint }[]> {
  const rows = await query<{ network: string; currency: string; units: string }>(
    em,
    `select network, currency, sum(amount)::text as units from payout p
     where status in ('REQUESTED', 'BROADCAST') and not ${HAS_LIVE_TRANSACTION} group by network, currency`,
  );
  return rows.map((row) => ({ ...row, units: BigInt(row.units) }));
}

/** By network: how many payouts have been open since before a time. */
export async function countStuck(em: EntityManager, until: Date): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ network: string; stuck: number }>(
    em,
    `select network, count(*)::int as stuck from payout
     where status in ('REQUESTED', 'BROADCAST') and created_at <= $1 group by network`,
    [until],
  );
  return new Map(rows.map(({ network, stuck }) => [network, stuck]));
}

/** A payout that has been open since before a time, with how many are on its network. */
export interface StuckPayout extends Pick<OpenPayout, 'id' | 'currency' | 'network' | 'amount' | 'createdAt'> {
  readonly count: number;
}

/** The oldest `most` of each network that have been open since before a time. */
export async function readOldestStuck(em: EntityManager, until: Date, most: number): Promise<StuckPayout[]> {
  const rows = await query<Omit<StuckPayout, 'amount' | 'createdAt'> & { amount: string; createdAt: string }>(
    em,
    `select id, currency, network, amount::text, created_at as "createdAt", count from (
       select *, row_number() over (partition by network order by created_at, id) as place,
         count(*) over (partition by network)::int as count
       from payout where status in ('REQUESTED', 'BROADCAST') and created_at <= $1) stuck
     where place <= $2 order by network, place`,
    [until, most],
  );
  return rows.map(({ amount, createdAt, ...row }) => ({
    ...row,
    amount: BigInt(amount),
    createdAt: toDate(createdAt),
  }));
}

/** The payment page's URL as its latest event gave it; null if no event is kept. */
export async function readPaymentUrl(em: EntityManager, paymentId: string): Promise<string | null> {
  const [row] = await query<{ url: string | null }>(
    em,
    `select payload->>'paymentUrl' as url from event where payment_id = $1 order by version desc limit 1`,
    [paymentId],
  );
  return row?.url ?? null;
}
