// Restores what the signer's journal has and the book lacks: open transactions, and payouts that were lost. Following
// them then finds out what became of them on the chain.

import type { EntityManager } from '../../database/connection.ts';
import { readPartiesAgain } from '../../database/queries/ledger/custody-readings.ts';
import {
  findRepeats,
  forgetReference,
  insertLostPayout,
  insertLostTransaction,
  raiseNonce,
  readLost,
  readLostPayout,
  type Belonging,
  type LostPayout,
  type LostTransaction,
} from '../../database/queries/payouts/rebuild.ts';
import { compareHashes } from '../../database/queries/payouts/signing-state.ts';
import { hasPaid } from '../../database/queries/payouts/transactions.ts';
import type { Deps } from '../../domain/deps.ts';
import { failPayout, markBroadcast } from '../../domain/payouts/lifecycle.ts';
import { reserveAgain } from '../../domain/ledger/recovery-entries.ts';
import type { Network } from '../../values/assets.ts';
import type { Journal } from '../witness/journal.ts';
import type { Wallets } from '../keys/wallets.ts';

/** The context of rebuilding: `em` is the open database transaction, `say` reports what is done. */
export interface RecoveryContext {
  readonly deps: Pick<Deps, 'clock' | 'environment' | 'payUrl'>;
  readonly em: EntityManager;
  readonly network: Network;
  readonly wallets: Wallets;
  readonly say: (line: string) => void;
}

/** Rows per batch. */
const CHUNK = 200;

/** Restores every missing transaction; returns their number. */
export async function rebuildFromJournal(rebuilding: RecoveryContext, journal: Journal): Promise<number> {
  const { em, network } = rebuilding;
  const lost = new Map<string, string>();
  await journal.scan(async (lines) => {
    const { missing } = await compareHashes(
      em,
      network,
      lines.map(({ hash }) => hash),
    );
    const wanted = new Set(missing);
    for (const { hash, body } of lines) if (wanted.has(hash) && !lost.has(hash)) lost.set(hash, body);
  });
  const bodies = [...lost.values()];
  for (let first = 0; first < bodies.length; first += CHUNK)
    for (const line of await readLost(em, bodies.slice(first, first + CHUNK))) await rebuild(rebuilding, line);
  return bodies.length;
}

async function rebuild(rebuilding: RecoveryContext, line: LostTransaction): Promise<void> {
  const { deps, em, network, say } = rebuilding;
  const now = deps.clock.now();
  const belonging = await belongingOf(rebuilding, line);
  await insertLostTransaction(em, line.body, belonging, now);
  await readPartiesAgain(em, network, line.hash);
  await raiseNonce(em, network, {
    key: line.senderKey,
    role: roleOf(rebuilding.wallets, line.senderKey),
    nonce: line.nonce,
  });
  // Another transaction may have paid it while the network was halted, because open ones are still followed.
  if (belonging.payoutId !== null && !(await hasPaid(em, belonging.payoutId)))
    await markBroadcast(deps, em, belonging.payoutId, line.hash);
  say(`  ${line.hash}: ${belonging.purpose} ${belonging.payoutId ?? ''}`.trimEnd());
}

export function roleOf({ hot, gas }: Wallets, key: string): string {
  if (key === hot.key) return 'HOT';
  return key === gas.key ? 'GAS' : 'DEPOSIT';
}

/** Finds what a transaction belongs to; restores a payout that the book lacks. */
async function belongingOf(rebuilding: RecoveryContext, line: LostTransaction): Promise<Belonging> {
  if (line.payoutId === null) return { purpose: line.purpose as Belonging['purpose'], payoutId: null };
  const payout = await readLostPayout(rebuilding.em, line.body);
  if (!payout) throw new Error(`The journal has no payout for ${line.hash}`);
  if (payout.status === null && payout.hasOwner) await rebuildPayout(rebuilding, line.body, payout);
  const hasEnded = payout.status === 'FAILED' || payout.status === 'REJECTED';
  const isOpen = !hasEnded && (payout.status !== null || payout.hasOwner);
  if (isOpen) return { purpose: 'PAYOUT', payoutId: payout.id };
  const why = hasEnded
    ? 'has failed or was rejected in this book'
    : 'is of a merchant or a payment that this book does not have';
  rebuilding.say(`  ${payout.id} ${why}: what was paid is booked to the gateway's costs`);
  return { purpose: 'OUTFLOW', payoutId: null };
}

async function rebuildPayout(rebuilding: RecoveryContext, body: string, payout: LostPayout): Promise<void> {
  const { deps, em, say } = rebuilding;
  const now = deps.clock.now();
  for (const { id, status } of await findRepeats(em, body)) {
    await forgetReference(em, id);
    if (status !== 'REQUESTED' && status !== 'AWAITING_APPROVAL') continue;
    await failPayout(deps, em, id, `it repeats ${payout.id}, which was paid before the database was restored`);
    say(`  ${id} repeats ${payout.id}: it is failed and released`);
  }
  await insertLostPayout(em, body);
  const owed = await reserveAgain(em, payout, now);
  say(`  ${payout.id} is rebuilt${owed > 0n ? `; its merchant owes ${String(owed)} base units of it` : ''}`);
}
