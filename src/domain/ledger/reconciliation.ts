// Holds what the book says the chain holds for us against what the chain says, both at the block that was read last.

import { IsolationLevel } from '@mikro-orm/core';
import type { AccountAdapter, ChainAdapter, UtxoAdapter } from '../../chain/adapter.ts';
import { StateNotKept } from '../../chain/errors.ts';
import type { Database, EntityManager } from '../../database/connection.ts';
import { readCursor, type Cursor } from '../../database/queries/chain/chain-cursor.ts';
import * as custody from '../../database/queries/ledger/custody.ts';
import { findKnownOutputs } from '../../database/queries/payouts/utxos.ts';
import { findDoubtful, findOpenTransfers, type TransferRow } from '../../database/queries/payouts/transactions.ts';
import { judgeReceipt } from '../../chain/judge-receipt.ts';
import { NETWORKS } from '../../values/assets.ts';

/** One asset, amounts in base units. */
export interface CustodyLine {
  readonly currency: string;
  /** The balance of the book's custody account: minus what it says we hold. */
  readonly balance: bigint;
  /** What the book expects at our addresses, what is known to be under way counted in. */
  readonly book: bigint;
  readonly chain: bigint;
  /** What waits in the suspense account: differences that were booked there. */
  readonly suspense: bigint;
}

export interface CustodyComparison {
  /** The block that both sides are read at. */
  readonly at: { readonly hash: string; readonly height: number };
  readonly lines: readonly CustodyLine[];
  /** Addresses that hold something though the book knows of nothing that arrived there. */
  readonly strays: readonly string[];
  /** Where the next slice begins; null when this one was the last. */
  readonly next: string | null;
}

/** Addresses asked for at once. */
const CHUNK = 100;
/** No address besides those that may hold something. */
const NO_SLICE: custody.AddressSlice = { after: '', limit: 0 };
/** Nodes keep the state of the last 128 blocks. */
const STATE_KEPT_BLOCKS = 100;

interface Book {
  readonly cursor: Cursor;
  readonly balances: custody.Units;
  readonly suspense: custody.Units;
  readonly deposits: custody.Units;
  readonly unsettled: readonly TransferRow[];
  readonly payouts: readonly custody.PayoutUnderWay[];
  readonly addresses: readonly custody.HeldAddress[];
  /** What we may have where money lies in outputs of transactions. */
  readonly outputs: readonly string[];
  readonly next: string | null;
}

/**
 * Compares all assets of a network, with a look at a slice of the quiet addresses besides: what they hold is in the sums,
 * once, and those that hold nothing change nothing. The book is read in one snapshot, which belongs to one block, and the
 * chain is asked for its state at that block. Null when that cannot be said just now: the block left the chain meanwhile,
 * the watcher is far behind, or the node knows the state of another block only. Throws `ChainUnavailable` when the node
 * does not answer.
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
  const open = await findOpenTransfers(em, network);
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

/** What our own transactions add to the book's custody: booked and not on this branch, less carried out and not booked. */
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
    // A token that takes a fee: all that left a payout's sender is gone, and of our own what did not arrive.
    if (verdict === 'FEE_TAKEN') add(row.currency, row.payoutId === null ? arrived - left : -left);
  }
  for (const { id, currency, amount, booked, moved } of payouts) {
    if (booked) add(currency, amount);
    add(currency, carriedOut.has(id) ? -amount : -moved);
  }
  return units;
}

/** What the chain's state has of our outputs after the block that was read last; null when the node is at another. */
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
