// How far each network has been read, and our wallets on it.

import { query, type EntityManager } from '../../connection.ts';

export interface Wallet {
  readonly network: string;
  readonly key: string;
  readonly role: 'HOT' | 'GAS';
}

/** The hot and the gas wallet of each network, as recorded by the signer. */
export async function readWallets(em: EntityManager): Promise<Wallet[]> {
  return query<Wallet>(
    em,
    `select network, address_key as key, role from sender where role <> 'DEPOSIT' order by network, role desc, address_key`,
  );
}

/** The height up to which each network has been read. */
export async function readObservedHeights(em: EntityManager): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ network: string; height: string }>(em, 'select network, height::text from chain_cursor');
  return new Map(rows.map(({ network, height }) => [network, Number(height)]));
}
