// Posts ledger transactions: first the references, which only one caller can insert, then the account locks in a fixed
// order, so that concurrent transactions wait instead of deadlocking, then balances and postings. It takes four
// statements however many transactions are posted; what a merchant's money is worth is found and stored by these.

import { isFiat } from '../../../values/prices/currencies.ts';
import { query, type EntityManager } from '../../connection.ts';
import { movedPricesOf } from '../rates/sandbox-rates.ts';

/** An account by its name. `owner` is a merchant's id or `gateway`. */
export interface AccountRef {
  readonly owner: string;
  readonly purpose: string;
  readonly currency: string;
  readonly network: string;
}

/** Moves `amount` base units, greater than zero, from source to destination. */
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

/** Decides what to post, given the balances of the locked accounts. */
export type PlanPostings = (balanceOf: (account: AccountRef) => bigint) => readonly PostingRow[];

/** A merchant, as the market's rates depend on them. */
export interface ValuedMerchant {
  readonly id: string;
  /** The prices that they moved in the sandbox: US dollars by code; null for a code without a price. */
  readonly movedPrices: Readonly<Record<string, string | null>>;
}

/** The last rate of a code in fiat that is recent at this time, a decimal string; null if there is none. */
export type LastRate = (merchant: ValuedMerchant, code: string, fiat: string, at: Date) => string | null;

/** What is kept with a transaction: the price of one unit of its asset, a decimal string, if it is known. */
interface Worth {
  readonly transactionId: string;
  readonly currency: string;
  readonly rate: string | null;
}

/** A ledger transaction to post: the accounts it may move money between, and its plan, which sees their balances. */
export interface LedgerEntry extends LedgerTransactionRow {
  readonly accounts: readonly AccountRef[];
  readonly plan: PlanPostings;
}

/**
 * Locks all accounts of the entries, plans the entries in order, each on the balances that the previous one left, and
 * posts every amount above zero. An entry whose reference exists changes nothing. A merchant's money is valued at the
 * locked rate of its order, else at `lastRate` in the currency of their books. Returns the ids posted.
 */
export async function postEntries(
  em: EntityManager,
  entries: readonly LedgerEntry[],
  lastRate: LastRate = () => null,
): Promise<ReadonlySet<string>> {
  const inserted = await insertTransactions(em, entries);
  const posted = new Set(inserted.keys());
  const fresh = entries.filter(({ id }) => posted.has(id));
  if (fresh.length === 0) return posted;
  const book = await lockAccounts(
    em,
    fresh.flatMap(({ accounts }) => accounts),
  );
  const movements = fresh.flatMap((entry) => carryOut(entry, book));
  const worths = fresh.flatMap((entry) => worthOf(entry, inserted.get(entry.id), lastRate) ?? []);
  await saveMovements(em, book, movements, worths);
  return posted;
}

function worthOf(entry: LedgerEntry, found: InsertedTransaction | undefined, lastRate: LastRate): Worth | null {
  const [merchantId, code] = [merchantOf(entry), entry.accounts[0]?.currency];
  if (!found || merchantId === null || code === undefined) return null;
  const { locked, books } = found;
  const transactionId = entry.id;
  if (locked && isFiat(locked.currency)) return { transactionId, ...locked };
  if (!books || !isFiat(books.currency)) return null;
  const { currency, movedPrices } = books;
  return { transactionId, currency, rate: lastRate({ id: merchantId, movedPrices }, code, currency, entry.at) };
}

/** Posts one transaction. False, and nothing changes, if its reference was posted before. */
export async function postLedger(
  em: EntityManager,
  transaction: LedgerTransactionRow,
  accounts: readonly AccountRef[],
  plan: PlanPostings,
  lastRate?: LastRate,
): Promise<boolean> {
  const posted = await postEntries(em, [{ ...transaction, accounts, plan }], lastRate);
  return posted.has(transaction.id);
}

/** A locked account: its balance when it was locked, and the net amount moved to it since. */
interface LockedAccount {
  readonly id: string;
  readonly balance: bigint;
  moved: bigint;
}

type Book = ReadonlyMap<string, LockedAccount>;

interface Movement {
  readonly transactionId: string;
  readonly source: LockedAccount;
  readonly destination: LockedAccount;
  readonly amount: bigint;
}

const nameOf = (account: AccountRef) => `${account.owner}/${account.currency}/${account.network}/${account.purpose}`;

function find(book: Book, account: AccountRef): LockedAccount {
  const found = book.get(nameOf(account));
  if (!found) throw new Error(`The account ${nameOf(account)} was not locked`);
  return found;
}

/** Plans an entry and moves its amounts in memory, so that the next entry sees them. */
function carryOut({ id, plan }: LedgerEntry, book: Book): Movement[] {
  const balanceOf = (account: AccountRef) => {
    const { balance, moved } = find(book, account);
    return balance + moved;
  };
  const movements = plan(balanceOf)
    .filter(({ amount }) => amount > 0n)
    .map(({ source, destination, amount }) => ({
      ...{ transactionId: id, amount },
      ...{ source: find(book, source), destination: find(book, destination) },
    }));
  for (const { source, destination, amount } of movements) {
    source.moved -= amount;
    destination.moved += amount;
  }
  return movements;
}

/** The merchant among the owners of an entry's accounts; null if only the gateway is involved. */
function merchantOf({ accounts }: LedgerEntry): string | null {
  return accounts.find(({ owner }) => owner.startsWith('mer_'))?.owner ?? null;
}

/** A transaction that is new, with what its money is valued by. */
interface InsertedTransaction {
  readonly id: string;
  /** The rate of its order's quote. */
  readonly locked: { readonly currency: string; readonly rate: string } | null;
  /** The currency of its merchant's books, and their prices in the sandbox. */
  readonly books: { readonly currency: string; readonly movedPrices: ValuedMerchant['movedPrices'] } | null;
}

/** Inserts the transactions whose references are new; returns these by their ids. */
async function insertTransactions(
  em: EntityManager,
  transactions: readonly LedgerEntry[],
): Promise<ReadonlyMap<string, InsertedTransaction>> {
  if (transactions.length === 0) return new Map();
  const inserted = await query<InsertedTransaction>(
    em,
    `insert into ledger_transaction (id, reference, payment_id, created_at, merchant_id)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::text[])
     on conflict (reference) do nothing
     returning id, (
       select json_build_object('currency', currency, 'rate', rate::text) from quote
       where payment_id = ledger_transaction.payment_id
     ) as locked, (
       select json_build_object('currency', accounting_currency, 'movedPrices', ${movedPricesOf('m.id')})
       from merchant m where id = ledger_transaction.merchant_id and accounting_currency is not null
     ) as books`,
    [
      transactions.map(({ id }) => id),
      transactions.map(({ reference }) => reference),
      transactions.map(({ paymentId }) => paymentId),
      transactions.map(({ at }) => at),
      transactions.map(merchantOf),
    ],
  );
  return new Map(inserted.map((transaction) => [transaction.id, transaction]));
}

/** Creates missing accounts and locks all of them, in id order. */
async function lockAccounts(em: EntityManager, named: readonly AccountRef[]): Promise<Book> {
  const accounts = [...new Map(named.map((account) => [nameOf(account), account])).values()];
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
       where (a.owner, a.currency, a.network, a.purpose) = (g.owner, g.currency, g.network, g.purpose) offset 0)
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
  return new Map(rows.map((row) => [nameOf(row), { id: row.id, balance: BigInt(row.balance), moved: 0n }]));
}

/** Changes the balances and inserts the postings and what they are worth, in one statement. */
async function saveMovements(
  em: EntityManager,
  book: Book,
  movements: readonly Movement[],
  worths: readonly Worth[],
): Promise<void> {
  const moved = [...book.values()].filter((account) => account.moved !== 0n);
  await query(
    em,
    `with balances as (
       update ledger_account a set balance = a.balance + d.delta
       from unnest($1::bigint[], $2::numeric[]) as d(id, delta) where a.id = d.id
     ), worths as (
       insert into ledger_value (transaction_id, fiat_currency, fiat_rate)
       select * from unnest($7::text[], $8::text[], $9::numeric[])
     )
     insert into posting (transaction_id, source_id, destination_id, amount)
     select * from unnest($3::text[], $4::bigint[], $5::bigint[], $6::numeric[])`,
    [
      moved.map(({ id }) => id),
      moved.map((account) => account.moved.toString()),
      movements.map(({ transactionId }) => transactionId),
      movements.map(({ source }) => source.id),
      movements.map(({ destination }) => destination.id),
      movements.map(({ amount }) => amount.toString()),
      worths.map(({ transactionId }) => transactionId),
      worths.map(({ currency }) => currency),
      worths.map(({ rate }) => rate),
    ],
  );
}
