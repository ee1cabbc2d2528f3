// Reconciliation: compares what the book says we hold on the chain with what the chain says, both at the last block
// read.

import { IsolationLevel } from '@mikro-orm/core';
import type { AccountAdapter, ChainAdapter, UtxoAdapter } from '../../chain/adapter.ts';
import { StateNotKept } from '../../chain/errors.ts';
import type { Database, EntityManager } from '../../database/connection.ts';
import { readCursor, type Cursor } from '../../database/queries/chain/chain-cursor.ts';
import * as custody from '../../database/queries/ledger/custody.ts';
import { findKnownOutputs } from '../../database/queries/payouts/utxos.ts';
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
  /** Addresses that hold money although the book knows of nothing that arrived there. */
  readonly strays: readonly string[];
  /** Where the next slice begins; null if this was the last. */
  readonly next: string | null;
}

/** How many addresses are queried at once. */
const CHUNK = 100;
/** No addresses beyond those that may hold something. */
const NO_SLICE: custody.AddressSlice = { after: '', limit: 0 };
/** Nodes keep the state of the last 128 blocks; stay below that. */
const STATE_KEPT_BLOCKS = 100;

interface Book {
  readonly cursor: Cursor;
  readonly balances: custody.Units;
  readonly suspense: custody.Units;
  readonly deposits: custody.Units;
  readonly unsettled: readonly TransactionRow[];
  readonly payouts: readonly custody.PayoutUnderWay[];
  readonly addresses: readonly custody.HeldAddress[];
  /** Our possible outputs, on UTXO networks. */
  readonly outputs: readonly string[];
  readonly next: string | null;
}

/**
 * Compares all assets of a network, and looks at a slice of the quiet addresses. What those hold is added once; empty
 * ones change nothing. The book is read in one snapshot, which belongs to one block, and the chain is asked for its
 * state at that block. Null if that is not possible now: the block left the chain meanwhile, the watcher is far behind,
 * or the node has only another block's state. Throws `ChainUnavailable` if the node does not answer.
 */
export async function compareCustody(
  db: Database,
  adapter: ChainAdapter,
  slice: custody.AddressSlice = NO_SLICE,
): Promise<CustodyComparison | null> {
  try {
    return await compareNow(db, adapter, slice);
  } catch (error) {
    if (error instanceof StateNotKept) return null;
    throw error;
  }
}

async function compareNow(
  db: Database,
  adapter: ChainAdapter,
  slice: custody.AddressSlice,
): Promise<CustodyComparison | null> {
  const isolationLevel = IsolationLevel.REPEATABLE_READ;
  const read = (em: EntityManager) => readBook(em, adapter, slice);
  const book = await db.em.fork().transactional(read, { isolationLevel, readOnly: true });
  if (!book) return null;
  const { hash, height } = book.cursor;
  if ((await adapter.tip()).height - height > STATE_KEPT_BLOCKS || !(await adapter.isCanonical(book.cursor)))
    return null;
  const underWay = await readUnderWay(adapter, book);
  const strays = new Set<string>();
  const lines: CustodyLine[] = [];
  for (const currency of adapter.contracts.keys()) {
    const balance = book.balances.get(currency) ?? 0n;
    const chain =
      adapter.model === 'OUTPUTS'
        ? await sumOutputs(adapter, book)
        : await sumHoldings(adapter, book, currency, strays);
    if (chain === null) return null;
    const expected = -balance + (book.deposits.get(currency) ?? 0n) + (underWay.get(currency) ?? 0n);
    lines.push({ currency, balance, book: expected, chain, suspense: book.suspense.get(currency) ?? 0n });
  }
  if (!(await adapter.isCanonical(book.cursor))) return null;
  return { at: { hash, height }, lines, strays: [...strays], next: book.next };
}

async function readBook(
  em: EntityManager,
  { network, account, model }: ChainAdapter,
  slice: custody.AddressSlice,
): Promise<Book | null> {
  const cursor = await readCursor(em, network);
  if (!cursor) return null;
  const hasOutputs = model === 'OUTPUTS';
  const open = await findOpenTransactions(em, network);
  const doubtful = await findDoubtful(em, network);
  const unsettled = [...open, ...doubtful];
  const ids = unsettled.map(({ payoutId }) => payoutId).filter((id) => id !== null);
  return {
    ...{ cursor, unsettled },
    balances: await custody.readOwnBalances(em, network, 'custody'),
    suspense: await custody.readOwnBalances(em, network, 'suspense'),
    deposits: await custody.readDepositsUnderWay(em, network),
    payouts: await custody.readPayoutsUnderWay(em, network, { ids, doubtful: doubtful.map(({ id }) => id) }),
    addresses: hasOutputs ? [] : await custody.readHeldAddresses(em, network, account, slice),
    outputs: hasOutputs
      ? await findKnownOutputs(
          em,
          network,
          doubtful.map(({ id }) => id),
        )
      : [],
    next: slice.limit > 0 && !hasOutputs ? await custody.findSliceEnd(em, account, slice) : null,
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
async function sumOutputs(adapter: UtxoAdapter, { cursor, outputs }: Book): Promise<bigint | null> {
  const unspent = await adapter.unspent(outputs, cursor);
  return unspent && [...unspent.values()].reduce((sum, { amount }) => sum + amount, 0n);
}

async function sumHoldings(
  adapter: AccountAdapter,
  { cursor, addresses }: Book,
  currency: string,
  strays: Set<string>,
): Promise<bigint> {
  let sum = 0n;
  for (let first = 0; first < addresses.length; first += CHUNK) {
    const chunk = addresses.slice(first, first + CHUNK);
    const keys = chunk.map(({ key }) => key);
    const held = await adapter.balances(keys, currency, cursor.height);
    for (const { key, quiet } of chunk) {
      const units = held.get(key) ?? 0n;
      sum += units;
      if (quiet && units > 0n) strays.add(key);
    }
  }
  return sum;
}
