// Internal transfers: transactions that only move money between our own addresses.

import { query, type EntityManager } from '../../connection.ts';

/**
 * Of some transactions, the hashes of our sweeps and gas top-ups, and of transactions signed with our keys that are not
 * explained yet. Sweeps and top-ups are stored before they are sent, so none is missed.
 */
export async function findInternalTransfers(
  em: EntityManager,
  network: string,
  transfers: readonly { readonly txHash: string }[],
): Promise<Set<string>> {
  // The purpose is asked for in a form that no index has, so that the hashes are what the plan begins with.
  const rows = await query<{ hash: string }>(
    em,
    `select tx_hash as hash from transfer where network = $1 and tx_hash = any($2) and coalesce(purpose, '') in ('SWEEP', 'GAS')
     union all select tx_hash from unknown_transaction
     where network = $1 and tx_hash = any($2) and resolved_at is null`,
    [network, [...new Set(transfers.map(({ txHash }) => txHash))]],
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** Of some transactions, the hashes of ours that pay others: what these bring to our own wallet is change. */
export async function findChange(
  em: EntityManager,
  network: string,
  transfers: readonly { readonly txHash: string; readonly addressKey: string }[],
): Promise<Set<string>> {
  const rows = await query<{ hash: string }>(
    em,
    `select t.tx_hash as hash from transfer t join unnest($2::text[], $3::text[]) as a(hash, key) on t.tx_hash = a.hash
     where t.network = $1 and t.purpose in ('PAYOUT', 'OUTFLOW') and t.recipient_key <> a.key`,
    [network, transfers.map(({ txHash }) => txHash), transfers.map(({ addressKey }) => addressKey)],
  );
  return new Set(rows.map(({ hash }) => hash));
}
