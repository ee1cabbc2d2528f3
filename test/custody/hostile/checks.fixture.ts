// The invariants of hostile histories: what must hold of payouts at every step, and at the end.

import { expect } from '@jest/globals';
import { compareInSlices } from '../../../src/domain/ledger/read-custody.ts';
import { compareCustody } from '../../../src/domain/ledger/reconciliation.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { defaultBounds } from '../../../src/values/payout-bounds.ts';
import type { RecipientKind } from './chain.fixture.ts';
import { rowsOf, type History } from './history.fixture.ts';

/** Hashes of what was signed according to the book. */
export async function signedHashes(history: History): Promise<string[]> {
  const rows = await rowsOf<{ hash: string }>(history, 'select tx_hash as hash from transfer');
  return rows.map(({ hash }) => hash);
}

/** While the chain has a transaction of ours that a restored book lacks, nothing is signed (I4). */
export async function checkSigned(history: History, send: () => Promise<void>): Promise<void> {
  const known = new Set([...(await signedHashes(history)), ...history.lost]);
  const inBook = new Set(await signedHashes(history));
  const seen: string[] = [];
  for (const hash of history.lost.filter((one) => !inBook.has(one)))
    if ((await history.chain.honest.txState(hash)).kind !== 'unknown') seen.push(hash);
  await send();
  if (seen.length === 0) return;
  const fresh = (await signedHashes(history)).filter((hash) => !known.has(hash));
  if (fresh.length > 0) throw new Error(`${fresh.join()} were signed while the book lacks ${seen.join()} (I4)`);
}

/** At every step, no address holds more than was to be paid to it (I1). */
export async function checkPaid({ chain, wanted }: History): Promise<void> {
  for (const { to, currency, units, id } of wanted) {
    const received = await chain.received(to, currency);
    if (received > units) throw new Error(`${id}: ${String(received)} were paid, and ${String(units)} were due`);
  }
}

/**
 * At every step, the sums of what was last read at each address are what all addresses hold, though only one address
 * is read besides those that have changed.
 */
export async function checkReadings({ chain: { honest }, process: { deps } }: History): Promise<void> {
  if (honest.model !== 'ACCOUNT') return;
  const compared = await compareInSlices(deps.db, honest, { sliceSize: () => 1 });
  const whole = await compareCustody(deps.db, honest);
  if (!compared || !whole || compared === 'reading') return;
  expect({ at: compared.at, lines: compared.lines }).toEqual(whole);
}

/** Payouts may wait forever for these reasons: they need money that a reorganisation took away, or an operator. */
const MAY_WAIT_FOR_EVER = ['MISSING_FUNDS', 'MISSING_GAS', 'DEPOSIT_UNSURE', 'TOO_EXPENSIVE', 'RESULT_UNCLEAR'];

interface EndRow {
  readonly id: string;
  readonly status: string;
  readonly held: string | null;
  readonly failure: string | null;
  readonly cost: string;
}

/**
 * At the end, what is COMPLETED was paid once, what FAILED was not paid, and the book is correct. Returns how many are
 * COMPLETED.
 */
export async function checkEnd(history: History): Promise<number> {
  const { chain, wanted, process } = history;
  const rows = await rowsOf<EndRow>(
    history,
    `select id, status, held_reason as held, failure, (select coalesce(sum(cost), 0)::text from transfer t
       where coalesce(t.payout_id, t.for_payout_id) = p.id) as cost from payout p`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  for (const { id, to, currency, units, recipient } of wanted) {
    const received = await chain.received(to, currency);
    checkOne({ id, recipient, units, received, row: original(byId, byId.get(id)) });
  }
  const { maxCost } = defaultBounds(chain.adapter.network);
  for (const { id, cost } of rows) if (BigInt(cost) > maxCost) throw new Error(`${id} cost ${cost} (I3)`);
  expect((await verifyLedger(process.deps.db)).faults).toEqual([]);
  const comparison = await compareCustody(process.deps.db, chain.honest);
  expect(comparison?.lines.length).toBeGreaterThan(0);
  for (const { currency, book, chain: held } of comparison?.lines ?? [])
    expect({ currency, held }).toEqual({ currency, held: book });
  return rows.filter(({ status }) => status === 'COMPLETED').length;
}

/** A payout requested again after the restore, but paid before it, ends like the payout that it repeats. */
function original(byId: ReadonlyMap<string, EndRow>, row: EndRow | undefined): EndRow | undefined {
  const [, repeated] = /^it repeats (\w+), which was paid/.exec(row?.failure ?? '') ?? [];
  return repeated === undefined ? row : byId.get(repeated);
}

interface Ended {
  readonly id: string;
  readonly recipient: RecipientKind;
  readonly units: bigint;
  readonly received: bigint;
  /** Null: the book has lost it, unsigned or with its journal. */
  readonly row: EndRow | undefined;
}

function checkOne({ id, recipient, units, received, row }: Ended): void {
  const told = { id, recipient, ...row };
  if (!row) return;
  if (row.status === 'COMPLETED') expect({ ...told, received }).toEqual({ ...told, received: units });
  else if (row.held !== 'RESULT_UNCLEAR') expect({ ...told, received }).toEqual({ ...told, received: 0n });
  // I2: each payout comes to an end, whatever earlier ones and its own recipient do.
  const isOver = row.status === 'COMPLETED' || row.status === 'FAILED';
  if (!isOver)
    expect({ ...told, mayWait: MAY_WAIT_FOR_EVER.includes(String(row.held)) }).toEqual({ ...told, mayWait: true });
}
