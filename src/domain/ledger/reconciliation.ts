// Reconciliation: compares what the book says we hold on the chain with what the chain says, both at the last block
// read. Here all addresses are read for it; `read-custody.ts` reads those that have changed, and the others in slices.

import { IsolationLevel } from '@mikro-orm/core';
import type { ChainAdapter, UtxoAdapter } from '../../chain/adapter.ts';
import { StateNotKept } from '../../chain/errors.ts';
import type { Database, EntityManager } from '../../database/connection.ts';
import { readCursor, type Cursor } from '../../database/queries/chain/chain-cursor.ts';
import { findAddresses } from '../../database/queries/ledger/custody-progress.ts';
import * as custody from '../../database/queries/ledger/custody.ts';
import { findKnownOutputs } from '../../database/queries/payouts/known-outputs.ts';
import {
  findDoubtful,
  findOpenTransactions,
  type TransactionRow,
} from '../../database/queries/payouts/transactions.ts';
import { judgeReceipt } from '../../chain/judge-receipt.ts';
import { NETWORKS } from '../../values/assets.ts';

/** The comparison of one asset, in base units. */
export interface CustodyLine {
  readonly currency: string;
  /** The balance of the book's custody account: minus what it says we hold. */
  readonly balance: bigint;
  /** What the book expects at our addresses, adjusted for known deposits and payouts in progress. */
  readonly book: bigint;
  readonly chain: bigint;
  /** The suspense account: differences booked earlier. */
  readonly suspense: bigint;
}

export interface CustodyComparison {
  /** The block at which both sides were read. */
  readonly at: { readonly hash: string; readonly height: number };
  readonly lines: readonly CustodyLine[];
}

/** How many outputs are queried at once. */
const OUTPUTS_CHUNK = 1_000;
/** Nodes keep the state of the last 128 blocks; stay below that. */
const STATE_KEPT_BLOCKS = 100;

/** The book's side of a comparison, in one snapshot. */
export interface Book {
  readonly cursor: Cursor;
  readonly balances: custody.Units;
  readonly suspense: custody.Units;
  readonly deposits: custody.Units;
  readonly unsettled: readonly TransactionRow[];
  /** The ids of transactions whose results do not count yet. */
  readonly doubtful: readonly string[];
  readonly payouts: readonly custody.PayoutUnderWay[];
}

/** How the chain's side of a comparison is read. */
export interface ChainSide<Plan> {
  /** Reads, in the book's snapshot, what has to be asked. */
  plan(em: EntityManager, book: Book): Promise<Plan>;
  /** What the chain holds for us after the block at the cursor, by currency; null if it cannot be known now. */
  read(cursor: Cursor, plan: Plan): Promise<custody.Units | null>;
}

/**
 * Compares all assets of a network by reading every address ever issued, some at a time, or every output. Null if that
 * is not possible now: the block left the chain meanwhile, the watcher is far behind, or the node no longer has the
 * state of that block. Throws `ChainUnavailable` if the node does not answer.
 */
export async function compareCustody(db: Database, adapter: ChainAdapter): Promise<CustodyComparison | null> {
  if (adapter.model === 'OUTPUTS') {
    const plan = (em: EntityManager, { doubtful }: Book) => findKnownOutputs(em, adapter.network, doubtful);
    return compare(db, adapter, { plan, read: (cursor, outputs) => sumOutputs(adapter, cursor, outputs) });
  }
  return compare(db, adapter, {
    plan: () => Promise.resolve(),
    read: async ({ height }) => {
      const sums: custody.Units = new Map();
      for (let after: string | undefined = ''; after !== undefined;) {
        const keys: string[] = await findAddresses(db.em, adapter, after, adapter.balancesAtOnce);
        for (const currency of adapter.contracts.keys())
          for (const units of (await adapter.balances(keys, currency, height)).values())
            sums.set(currency, (sums.get(currency) ?? 0n) + units);
        after = keys.at(-1);
      }
      return sums;
    },
  });
}

/**
 * Compares the book with what `side` reads of the chain. The book is read in one snapshot, which belongs to one block.
 * Null if it is not possible now, as for `compareCustody`.
 */
export async function compare<Plan>(
  db: Database,
  adapter: ChainAdapter,
  side: ChainSide<Plan>,
): Promise<CustodyComparison | null> {
  try {
    return await compareNow(db, adapter, side);
  } catch (error) {
    if (error instanceof StateNotKept) return null;
    throw error;
  }
}

async function compareNow<Plan>(
  db: Database,
  adapter: ChainAdapter,
  side: ChainSide<Plan>,
): Promise<CustodyComparison | null> {
  const isolationLevel = IsolationLevel.REPEATABLE_READ;
  const read = async (em: EntityManager) => {
    const book = await readBook(em, adapter.network);
    return book && { book, plan: await side.plan(em, book) };
  };
  const found = await db.em.fork().transactional(read, { isolationLevel, readOnly: true });
  if (!found) return null;
  const { book, plan } = found;
  const { hash, height } = book.cursor;
  if ((await adapter.tip()).height - height > STATE_KEPT_BLOCKS || !(await adapter.isCanonical(book.cursor)))
    return null;
  const underWay = await readUnderWay(adapter, book);
  const held = await side.read(book.cursor, plan);
  if (!held || !(await adapter.isCanonical(book.cursor))) return null;
  const lines = [...adapter.contracts.keys()].map((currency): CustodyLine => {
    const balance = book.balances.get(currency) ?? 0n;
    const expected = -balance + (book.deposits.get(currency) ?? 0n) + (underWay.get(currency) ?? 0n);
    const [chain, suspense] = [held.get(currency) ?? 0n, book.suspense.get(currency) ?? 0n];
    return { currency, balance, book: expected, chain, suspense };
  });
  return { at: { hash, height }, lines };
}

async function readBook(em: EntityManager, network: string): Promise<Book | null> {
  const cursor = await readCursor(em, network);
  if (!cursor) return null;
  const open = await findOpenTransactions(em, network);
  const unsure = await findDoubtful(em, network);
  const doubtful = unsure.map(({ id }) => id);
  const unsettled = [...open, ...unsure];
  const ids = unsettled.map(({ payoutId }) => payoutId).filter((id) => id !== null);
  return {
    ...{ cursor, unsettled, doubtful },
    balances: await custody.readOwnBalances(em, network, 'custody'),
    suspense: await custody.readOwnBalances(em, network, 'suspense'),
    deposits: await custody.readDepositsUnderWay(em, network),
    payouts: await custody.readPayoutsUnderWay(em, network, { ids, doubtful }),
  };
}

/**
 * How our own transactions change what the book expects: adds those booked but not on this branch, less the opposite.
 */
async function readUnderWay(adapter: ChainAdapter, { cursor, unsettled, payouts }: Book): Promise<custody.Units> {
  const { coin } = NETWORKS[adapter.network];
  const units: custody.Units = new Map();
  const add = (currency: string, amount: bigint) => void units.set(currency, (units.get(currency) ?? 0n) + amount);
  const carriedOut = new Set(payouts.filter(({ settled }) => settled).map(({ id }) => id));
  for (const row of unsettled) {
    const found = await adapter.receipt(row.txHash, row.recipientKey);
    const receipt = found && found.block.height <= cursor.height ? found : null;
    add(coin, (row.cost ?? 0n) - (receipt?.cost ?? 0n));
    add(row.currency, row.lost);
    const isOutflow = row.purpose === 'OUTFLOW';
    if (isOutflow && row.status === 'CONFIRMED') add(row.currency, row.amount);
    if (!receipt) continue;
    const { verdict, left, arrived } = judgeReceipt(row, receipt, coin);
    if (isOutflow && verdict === 'PAID') add(row.currency, -row.amount);
    if (row.payoutId !== null && verdict === 'PAID') carriedOut.add(row.payoutId);
    // A token with a fee: for a payout, all that left the sender is gone; for our own moves, what did not arrive.
    if (verdict === 'FEE_TAKEN') add(row.currency, row.payoutId === null ? arrived - left : -left);
  }
  for (const { id, currency, amount, booked, moved } of payouts) {
    if (booked) add(currency, amount);
    add(currency, carriedOut.has(id) ? -amount : -moved);
  }
  return units;
}

/** The sum of our outputs in the chain's state at the last block read; null if the node is at another block. */
async function sumOutputs(
  adapter: UtxoAdapter,
  cursor: Cursor,
  outputs: readonly string[],
): Promise<custody.Units | null> {
  let sum = 0n;
  for (let first = 0; first < outputs.length; first += OUTPUTS_CHUNK) {
    const unspent = await adapter.unspent(outputs.slice(first, first + OUTPUTS_CHUNK), cursor);
    if (!unspent) return null;
    for (const { amount } of unspent.values()) sum += amount;
  }
  return new Map([[NETWORKS[adapter.network].coin, sum]]);
}
