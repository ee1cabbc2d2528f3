// Whether a network may sign: its halt, the database's identity, and how far the book was compared with what was
// signed.

import { query, type EntityManager } from '../../connection.ts';
import { KNOWN_CLUSTER } from '../cluster-identity.ts';
import { IS_DOUBTFUL } from './transactions.ts';

/**
 * SQL: names this copy of the database and the run of its server; null if that is not recorded yet. A book found
 * complete under a name is complete while the name stays.
 */
const INCARNATION = `(select known.written_in || '/' || known.server_run from (${KNOWN_CLUSTER}) known)`;

/** SQL: the book of the network $1 was found complete under the present name. */
const IS_COMPARED = `exists (
  select 1 from signing_comparison where network = $1 and compared_under = ${INCARNATION})`;

/** What a signer has to know before it signs. */
export interface SigningState {
  /** Names this copy of the database and the run of its server; null if `recordCluster` must be called first. */
  readonly incarnation: string | null;
  readonly isHalted: boolean;
  /** The name under which the book was last found complete; null if it was never compared. */
  readonly comparedUnder: string | null;
  /** How many of the given hashes are transactions of the book. */
  readonly known: number;
  /** Whether nothing waits to be signed, sent or mined. */
  readonly isAtRest: boolean;
}

/** SQL: on network $1 no payout is open, no transaction may be mined, and no final one has lost its block. */
const IS_AT_REST = `not exists (select 1 from payout where network = $1 and status in ('REQUESTED', 'BROADCAST'))
  and not exists (select 1 from transfer where network = $1 and status in ('SIGNED', 'BROADCAST'))
  and not exists (select 1 from transfer t where ${IS_DOUBTFUL})`;

export async function readSigningState(
  em: EntityManager,
  network: string,
  txHashes: readonly string[],
): Promise<SigningState> {
  const [row] = await query<SigningState>(
    em,
    `select ${INCARNATION} as incarnation,
       exists (select 1 from signing_halt where network = $1) as "isHalted",
       (select compared_under from signing_comparison where network = $1) as "comparedUnder",
       (select count(*)::int from transfer where network = $1 and tx_hash = any($2)) as known,
       ${IS_AT_REST} as "isAtRest"`,
    [network, txHashes],
  );
  if (!row) throw new Error('The state of signing was not read');
  return row;
}

/** Records that the book was found complete under a name. */
export async function recordComparison(em: EntityManager, network: string, incarnation: string): Promise<void> {
  await query(
    em,
    `insert into signing_comparison (network, compared_under, compared_change)
     values ($1, $2, (select coalesce(max(number), 0) from cluster_change))
     on conflict (network) do update
     set compared_under = excluded.compared_under, compared_change = excluded.compared_change`,
    [network, incarnation],
  );
}

/**
 * The height that a network had been read to when the book may have lost what came after: the lowest by the database's
 * changes since the book was last found complete, and by the first unknown transaction; without either, that of the
 * last change not recovered from. Null if there is none.
 */
export async function readRestoreHeight(em: EntityManager, network: string): Promise<number | null> {
  const [row] = await query<{ height: string | null }>(
    em,
    `with done as (
       select coalesce(max(compared_change), 0) as compared, coalesce(max(recovered_change), 0) as recovered
       from signing_comparison where network = $1
     ), change as (
       select number, (cursors->$1->>'height')::bigint as height from cluster_change, done
       where kind <> 'FIRST' and number > done.recovered and cursors ? $1
     )
     select coalesce(
       least((select min(height) from change, done where number > done.compared),
         (select min(block_height) - 1 from unknown_transaction where network = $1 and resolved_at is null)),
       (select height from change order by number desc limit 1))::text as height`,
    [network],
  );
  return row?.height == null ? null : Number(row.height);
}

/** Whether the book was found complete since it became this copy, or its server was started. */
export async function isCompared(em: EntityManager, network: string): Promise<boolean> {
  const rows = await query(em, `select 1 where ${IS_COMPARED}`, [network]);
  return rows.length > 0;
}

/**
 * Whether the book may be older than what was signed: something was signed, or the database is another copy than at its
 * first start or its server was restarted, and the book was not found complete since.
 */
export async function mayBeOlder(em: EntityManager, network: string): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 where not ${IS_COMPARED} and (exists (select 1 from cluster_change where kind <> 'FIRST')
       or exists (select 1 from transfer where network = $1))`,
    [network],
  );
  return rows.length > 0;
}

/** Records that what the book had lost was read, so that a second recovery has nothing to do. */
export async function recordRecovery(em: EntityManager, network: string): Promise<void> {
  await query(
    em,
    `insert into signing_comparison (network, recovered_change)
     values ($1, (select coalesce(max(number), 0) from cluster_change))
     on conflict (network) do update set recovered_change = excluded.recovered_change`,
    [network],
  );
}

/** Why signing was halted, for the operator. */
export type Finding =
  | { readonly kind: 'UNKNOWN_TRANSACTION'; readonly txHash: string }
  | { readonly kind: 'NONCE_AHEAD'; readonly address: string; readonly book: number; readonly chain: number }
  | { readonly kind: 'JOURNAL_AHEAD'; readonly lines: number }
  | { readonly kind: 'JOURNAL_MISSING' }
  | { readonly kind: 'JOURNAL_DAMAGED'; readonly reason: string };

/** The most findings kept for a halt. */
const MAX_FINDINGS = 20;

/** Halts a network's signing, or adds a finding to its halt. To be called with `lockForFreezing` held. */
export async function insertHalt(em: EntityManager, network: string, finding: Finding, now: Date): Promise<void> {
  await query(
    em,
    `insert into signing_halt as h (network, findings, halted_at) values ($1, jsonb_build_array($2::jsonb), $3)
     on conflict (network) do update set findings = h.findings || excluded.findings
     where jsonb_array_length(h.findings) < $4 and not h.findings @> excluded.findings`,
    [network, JSON.stringify(finding), now, MAX_FINDINGS],
  );
}

/** A network whose signing is halted, and why. */
export interface Halt {
  readonly network: string;
  readonly findings: readonly Finding[];
  readonly haltedAt: Date;
}

export async function readHalts(em: EntityManager): Promise<Halt[]> {
  const rows = await query<{ network: string; findings: Finding[]; halted_at: string }>(
    em,
    'select network, findings, halted_at from signing_halt order by network',
  );
  return rows.map(({ halted_at, ...row }) => ({ ...row, haltedAt: new Date(halted_at) }));
}

/** Lets a network sign again. False if it was not halted. */
export async function removeHalt(em: EntityManager, network: string): Promise<boolean> {
  return (await query(em, 'delete from signing_halt where network = $1 returning 1', [network])).length > 0;
}

/** Marks the waiting payouts of a halted network as held, except those that the operator froze. */
export async function holdRequested(em: EntityManager, network: string, now: Date): Promise<void> {
  await query(
    em,
    `update payout set held_reason = 'NETWORK_HALTED', held_since = $2, look_at = null
     where network = $1 and status = 'REQUESTED' and coalesce(held_reason, '') not in ('NETWORK_HALTED', 'FROZEN')`,
    [network, now],
  );
}

/** Releases the payouts that the halt held. */
export async function releaseRequested(em: EntityManager, network: string): Promise<void> {
  await query(
    em,
    `update payout set held_reason = null, held_since = null, look_at = null
     where network = $1 and status in ('REQUESTED', 'BROADCAST') and held_reason = 'NETWORK_HALTED'`,
    [network],
  );
}

/** Of some transactions, those that the book lacks, and those that may still be mined. */
export async function compareHashes(
  em: EntityManager,
  network: string,
  txHashes: readonly string[],
): Promise<{ missing: string[]; open: string[] }> {
  const rows = await query<{ hash: string; status: string | null }>(
    em,
    `select g.hash, t.status from unnest($2::text[]) as g(hash)
     left join transfer t on (t.network, t.tx_hash) = ($1, g.hash)`,
    [network, txHashes],
  );
  return {
    missing: rows.filter(({ status }) => status === null).map(({ hash }) => hash),
    open: rows.filter(({ status }) => status === 'SIGNED' || status === 'BROADCAST').map(({ hash }) => hash),
  };
}

/** Whether the book has any signed transaction on a network. */
export async function hasTransactions(em: EntityManager, network: string): Promise<boolean> {
  const rows = await query(em, 'select 1 from transfer where network = $1 limit 1', [network]);
  return rows.length > 0;
}

/** How many remembered blocks of a network are above a height. */
export async function countBlocksAbove(em: EntityManager, network: string, height: number): Promise<number> {
  const [row] = await query<{ count: number }>(
    em,
    'select count(*)::int as count from chain_block where network = $1 and height > $2',
    [network, height],
  );
  return row?.count ?? 0;
}

/**
 * The journal lines of some transactions, each with all rows needed to restore it. JSON written by the database, so
 * that no amount passes through a float.
 */
export async function readJournalLines(
  em: EntityManager,
  ids: readonly string[],
): Promise<{ hash: string; body: string }[]> {
  return query(
    em,
    `select t.tx_hash as hash, json_build_object('hash', t.tx_hash, 'network', t.network, 'transfer', to_json(t),
       'payout', to_json(p), 'once', to_json(i), 'change', to_json(c), 'spent', (
         select json_agg(to_json(s) order by s.outpoint) from spent_output s
         where (s.network, s.sender_key, s.nonce) = (t.network, t.sender_key, t.nonce)))::text as body
     from transfer t left join payout p on p.id = t.payout_id
     left join idempotency i on (i.scope, i.operation, i.key) = (p.merchant_id, p.once_operation, p.once_key)
     left join change_output c on c.transfer_id = t.id
     where t.id = any($1) order by t.id`,
    [ids],
  );
}
