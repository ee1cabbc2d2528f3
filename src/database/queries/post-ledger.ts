// Posts one ledger transaction: the reference first, which only one caller can insert, then the accounts in a fixed
// order, so that concurrent transactions wait for each other instead of deadlocking, then balances and postings.

import { query, type EntityManager } from '../connection.ts';

/** An account by its name. `owner` is a merchant's id or `gateway`. */
export interface AccountRef {
  readonly owner: string;
  readonly purpose: string;
  readonly currency: string;
  readonly network: string;
}

/** `amount` base units, greater than zero, moved from source to destination. */
export interface PostingRow {
  readonly source: AccountRef;
  readonly destination: AccountRef;
  readonly amount: bigint;
}

interface LedgerTransactionRow {
  readonly id: string;
  readonly reference: string;
  readonly paymentId: string | null;
  readonly at: Date;
}

const nameOf = (account: AccountRef) => `${account.owner}/${account.currency}/${account.network}/${account.purpose}`;

/** Says what to post, given the balances of the locked accounts. */
export type PlanPostings = (balanceOf: (account: AccountRef) => bigint) => readonly PostingRow[];

/**
 * Locks `accounts`, plans the postings between them by their balances, and posts those of more than nothing.
 * False when a transaction with this reference was posted before, and then nothing is changed.
 */
export async function postLedger(
  em: EntityManager,
  transaction: LedgerTransactionRow,
  accounts: readonly AccountRef[],
  plan: PlanPostings,
): Promise<boolean> {
  const inserted = await query(
    em,
    `insert into ledger_transaction (id, reference, payment_id, created_at) values ($1, $2, $3, $4)
     on conflict (reference) do nothing returning id`,
    [transaction.id, transaction.reference, transaction.paymentId, transaction.at],
  );
  if (inserted.length === 0) return false;
  const locked = await lockAccounts(em, accounts);
  const find = (account: AccountRef): LockedAccount => {
    const found = locked.get(nameOf(account));
    if (!found) throw new Error(`The account ${nameOf(account)} was not locked`);
    return found;
  };
  const postings = plan((account) => find(account).balance).filter(({ amount }) => amount > 0n);
  const idOf = (account: AccountRef) => find(account).id;
  await moveBalances(em, idOf, postings);
  await query(
    em,
    `insert into posting (transaction_id, source_id, destination_id, amount)
     select $1, * from unnest($2::bigint[], $3::bigint[], $4::numeric[])`,
    [
      transaction.id,
      postings.map(({ source }) => idOf(source)),
      postings.map(({ destination }) => idOf(destination)),
      postings.map(({ amount }) => amount.toString()),
    ],
  );
  return true;
}

interface LockedAccount {
  readonly id: string;
  readonly balance: bigint;
}

/** Makes the accounts that are new and locks all of them, in the order of their ids. */
async function lockAccounts(em: EntityManager, accounts: readonly AccountRef[]): Promise<Map<string, LockedAccount>> {
  const columns = [
    accounts.map(({ owner }) => owner),
    accounts.map(({ purpose }) => purpose),
    accounts.map(({ currency }) => currency),
    accounts.map(({ network }) => network),
  ];
  const given = 'unnest($1::text[], $2::text[], $3::text[], $4::text[]) as g(owner, purpose, currency, network)';
  await query(
    em,
    `insert into ledger_account (owner, purpose, currency, network)
     select g.* from ${given} where not exists (select 1 from ledger_account a
       where (a.owner, a.currency, a.network, a.purpose) = (g.owner, g.currency, g.network, g.purpose))
     order by 1, 3, 4, 2
     on conflict do nothing`,
    columns,
  );
  const rows = await query<AccountRef & { id: string; balance: string }>(
    em,
    `select a.id::text, a.balance::text, a.owner, a.purpose, a.currency, a.network from ledger_account a join ${given}
     on (a.owner, a.currency, a.network, a.purpose) = (g.owner, g.currency, g.network, g.purpose)
     order by a.id for update of a`,
    columns,
  );
  return new Map(rows.map((row) => [nameOf(row), { id: row.id, balance: BigInt(row.balance) }]));
}

async function moveBalances(
  em: EntityManager,
  idOf: (account: AccountRef) => string,
  postings: readonly PostingRow[],
): Promise<void> {
  const deltas = new Map<string, bigint>();
  const add = (account: AccountRef, amount: bigint) =>
    deltas.set(idOf(account), (deltas.get(idOf(account)) ?? 0n) + amount);
  for (const { source, destination, amount } of postings) {
    add(source, -amount);
    add(destination, amount);
  }
  await query(
    em,
    `update ledger_account a set balance = a.balance + d.delta
     from unnest($1::bigint[], $2::numeric[]) as d(id, delta) where a.id = d.id`,
    [[...deltas.keys()], [...deltas.values()].map((delta) => delta.toString())],
  );
}
