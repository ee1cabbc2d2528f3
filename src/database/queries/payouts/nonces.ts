// Our sending addresses and the next nonce of each. Locking a sender's row gives exclusive use of its nonces.

import { query, type EntityManager } from '../../connection.ts';

export type SenderRole = 'HOT' | 'GAS' | 'DEPOSIT';

/** The next nonce of a sender; null if it never sent. With `lock`, for a transaction that uses the nonce. */
export async function readSender(
  em: EntityManager,
  network: string,
  key: string,
  lock = false,
): Promise<number | null> {
  const [row] = await query<{ nonce: string }>(
    em,
    `select next_nonce::text as nonce from sender where (network, address_key) = ($1, $2) ${lock ? 'for update' : ''}`,
    [network, key],
  );
  return row ? Number(row.nonce) : null;
}

/** Registers a sender. `nonce` is the next one on the chain: above 0 for a restored wallet. */
export async function addSender(
  em: EntityManager,
  network: string,
  { key, role, nonce }: { key: string; role: SenderRole; nonce: number },
): Promise<void> {
  await query(
    em,
    `insert into sender (network, address_key, role, next_nonce) values ($1, $2, $3, $4) on conflict do nothing`,
    [network, key, role, nonce],
  );
}

/** Which addresses are hot or gas wallets of ours on any network, since related networks share addresses. */
export async function findWallets(em: EntityManager, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await query<{ key: string }>(
    em,
    `select address_key as key from sender where address_key = any($1) and role <> 'DEPOSIT'`,
    [keys],
  );
  return new Set(rows.map(({ key }) => key));
}

export async function setNextNonce(em: EntityManager, network: string, key: string, nonce: number): Promise<void> {
  await query(em, 'update sender set next_nonce = $3 where (network, address_key) = ($1, $2)', [network, key, nonce]);
}
