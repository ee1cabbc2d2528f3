// Which transactions only moved our own money between our own addresses.

import { query, type EntityManager } from '../connection.ts';

/** Of some transactions, the hashes of our sweeps and gas top-ups. They are stored before they are sent, so none is missed. */
export async function findOwnMoves(
  em: EntityManager,
  network: string,
  transfers: readonly { readonly txHash: string }[],
): Promise<Set<string>> {
  const rows = await query<{ hash: string }>(
    em,
    `select tx_hash as hash from transfer where network = $1 and tx_hash = any($2) and purpose in ('SWEEP', 'GAS')`,
    [network, [...new Set(transfers.map(({ txHash }) => txHash))]],
  );
  return new Set(rows.map(({ hash }) => hash));
}
