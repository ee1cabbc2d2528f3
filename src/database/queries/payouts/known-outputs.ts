// Every output that is ours on the chain by the book, on UTXO networks.

import { query, type EntityManager } from '../../connection.ts';

/**
 * Every output that we may have on the chain: deposits and funding in blocks that were read, and the change of all our
 * transactions, except what a final transaction spent. `doubtful` are the ids of transactions not to be treated as
 * final.
 */
export async function findKnownOutputs(
  em: EntityManager,
  network: string,
  doubtful: readonly string[],
): Promise<string[]> {
  const rows = await query<{ outpoint: string }>(
    em,
    `select outpoint from (
       select tx_hash || ':' || ordinal as outpoint from deposit
       where network = $1 and status <> 'ORPHANED' and block_height is not null
       union select tx_hash || ':' || ordinal from funding where network = $1 and not reversed
       union select t.tx_hash || ':' || c.ordinal from change_output c join transfer t on t.id = c.transfer_id
       where t.network = $1
     ) own
     where not exists (select 1 from spent_output s join transfer t
       on (t.network, t.sender_key, t.nonce) = (s.network, s.sender_key, s.nonce)
       where s.network = $1 and s.outpoint = own.outpoint and t.status = 'CONFIRMED' and t.id <> all($2))
     order by outpoint`,
    [network, doubtful],
  );
  return rows.map(({ outpoint }) => outpoint);
}
