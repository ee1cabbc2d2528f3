// The paths of the signer: which payouts are due, signing and following their transactions, outputs, and halts.

import { readSpent, isAccountPaid } from '../../../../src/database/queries/payouts/costs.ts';
import * as due from '../../../../src/database/queries/payouts/due-payouts.ts';
import { markFrozen, readFreezes } from '../../../../src/database/queries/payouts/freezes.ts';
import { readHeldPayouts } from '../../../../src/database/queries/payouts/held-payouts.ts';
import { addSender, readSender, setNextNonce } from '../../../../src/database/queries/payouts/nonces.ts';
import * as open from '../../../../src/database/queries/payouts/open-payouts.ts';
import * as signing from '../../../../src/database/queries/payouts/signing-state.ts';
import { hasMoved, hasReverted, markClear } from '../../../../src/database/queries/payouts/transaction-results.ts';
import * as transactions from '../../../../src/database/queries/payouts/transactions.ts';
import * as outputs from '../../../../src/database/queries/payouts/utxos.ts';
import { findHolders } from '../../../../src/database/queries/ledger/holdings.ts';
import { completePayout, endHold, markBroadcast } from '../../../../src/domain/payouts/lifecycle.ts';
import { isDue, mayTransact } from '../../../../src/domain/payouts/signing-gate.ts';
import { hashOf, HOT, idOf, keyOf, TIP } from './history.fixture.ts';
import type { Path, World } from './world.fixture.ts';

/** A payout that is REQUESTED on ETH, and one that is BROADCAST; a number of steps back from the last. */
const requested = ({ last }: World, back = 0) => last - (last % 20) - 19 - 20 * back;
const broadcast = ({ last }: World, back = 0) => last - (last % 20) - 16 - 20 * back;
const idOfWaiting = (n: number) => idOf('wdr', n, true);

async function lookAtDue(world: World): Promise<void> {
  const { db, now, deps, commit } = world;
  const { em } = db;
  await due.findDuePayouts(em, 'LTC', { now, limit: 50 });
  const found = await due.findDuePayouts(em, 'ETH', { now, limit: 50 });
  if (found.length === 0) throw new Error('No payout is due');
  const id = idOfWaiting(requested(world));
  await due.sendToTheEnd(em, [id], { since: now, now });
  await due.addRefusal(em, id, { hash: hashOf(TIP), height: TIP });
  await due.clearRefusals(em, id);
  await isAccountPaid(em, id);
  await readSpent(em, id, { senderKey: HOT, nonce: 1 });
  await commit(async (inside) => {
    await mayTransact(inside, 'ETH');
    await isDue(deps, inside, id);
    await due.hasLiveTransaction(inside, id);
    await markBroadcast(deps, inside, id, hashOf(1));
    await completePayout(deps, inside, idOfWaiting(broadcast(world)), hashOf(2));
    await endHold(inside, idOfWaiting(requested(world, 1)), ['MISSING_FUNDS']);
  });
}

const signedBy = (nonce: number, payoutId: string) => ({
  ...{ id: `trf_new${nonce}`, purpose: 'PAYOUT' as const, payoutId, forPayoutId: null, senderKey: HOT, senderPath: '' },
  ...{ payerKey: null, recipientKey: keyOf(5), currency: 'USDT', amount: 1n, nonce, gas: 1n, maxPerGas: 1n },
  ...{ tipPerGas: null, maxCost: 1n, validUntil: null, raw: '', txHash: hashOf(99_000_000 + nonce) },
});

async function sign(world: World): Promise<void> {
  const { commit, now } = world;
  await commit(async (em) => {
    const nonce = await readSender(em, 'ETH', HOT, true);
    await addSender(em, 'ETH', { key: keyOf(3), role: 'DEPOSIT', nonce: 0 });
    await setNextNonce(em, 'ETH', HOT, (nonce ?? 0) + 1);
    await transactions.insertTransaction(em, 'ETH', signedBy(2_000_000, idOfWaiting(requested(world, 2))), now);
  });
}

async function followTransactions(world: World): Promise<void> {
  const { db, now } = world;
  const { em } = db;
  const [one, two] = [broadcast(world, 3), broadcast(world, 4)];
  const place = { senderKey: HOT, nonce: one };
  const row = (await transactions.findOpenTransactions(em, 'ETH')).find(({ nonce }) => nonce === one);
  if (!row) throw new Error('A transaction of the history is not open');
  await transactions.findDoubtful(em, 'ETH');
  await transactions.findNewestOfNonce(em, 'ETH', place);
  await transactions.countOfNonce(em, 'ETH', place);
  await transactions.holdsUpOthers(em, 'ETH', row);
  await transactions.countOpenFor(em, 'ETH', idOfWaiting(one), { senderKey: HOT, nonce: 1 });
  await transactions.markSent(em, row.id, now);
  await transactions.markRefused(em, row.id, 'too cheap', now);
  await transactions.markExpired(em, idOf('trf', two, true));
  await transactions.markLoss(em, row.id, { moved: 1n, lost: 0n });
  const outcome = { status: 'UNCLEAR' as const, block: { hash: hashOf(TIP), height: TIP }, cost: 1n };
  const turn = await transactions.markFinal(em, 'ETH', row, outcome);
  if (turn === null) throw new Error('A transaction was final already');
  await transactions.reopen(em, 'ETH', { ...row, turn });
  for (const ask of [transactions.hasPaid, hasReverted, hasMoved]) await ask(em, idOfWaiting(one));
  await markClear(em, idOfWaiting(one), 'FAILED');
}

async function spendOutputs(world: World): Promise<void> {
  const { db, commit, last } = world;
  const wallet = { hotKey: HOT, confirmations: 3 };
  await outputs.findSpendable(db.em, 'LTC', wallet, { limit: 20 });
  await outputs.findSpendable(db.em, 'LTC', wallet, { limit: 20, smallest: true });
  await outputs.sumSpendable(db.em, 'LTC', wallet, 10n);
  const spender = { senderKey: HOT, nonce: 3_000_000 };
  const spent = [{ outpoint: `${hashOf(7)}:1`, amount: 1n, addressKey: keyOf(7), path: '' }];
  await commit(async (em) => {
    await outputs.takeOutputs(em, 'LTC', spender, spent);
    await outputs.findSpent(em, 'LTC', spender);
    await outputs.markSpent(em, 'LTC', spender, [`${hashOf(7)}:1`, `${hashOf(11)}:1`], true);
    await outputs.markSpent(em, 'LTC', { senderKey: HOT, nonce: 7 }, [`${hashOf(7)}:1`], false);
    await outputs.insertChange(em, idOf('trf', last - (last % 4), true), { ordinal: 1, amount: 1n });
  });
  await outputs.isChangeSpent(db.em, 'LTC', idOf('trf', 7));
  await outputs.findOwnParents(db.em, 'LTC', [hashOf(7)], TIP);
  await outputs.readRecipient(db.em, idOf('wdr', 7));
}

async function mayWeSign({ db, now, commit }: World): Promise<void> {
  const { em } = db;
  await signing.readSigningState(em, 'ETH', [hashOf(1), hashOf(2)]);
  await signing.isCompared(em, 'ETH');
  await signing.mayBeOlder(em, 'ETH');
  await signing.readRestoreHeight(em, 'ETH');
  await signing.recordComparison(em, 'ETH', 'name');
  await signing.compareHashes(em, 'ETH', [hashOf(1), hashOf(2)]);
  await signing.hasTransactions(em, 'ETH');
  await signing.hasTransactions(em, 'TRON');
  await signing.countBlocksAbove(em, 'ETH', TIP - 5);
  await signing.readJournalLines(em, [idOf('trf', 1), idOf('trf', 2)]);
  await commit(async (inside) => {
    await signing.insertHalt(inside, 'ETH', { kind: 'JOURNAL_MISSING' }, now);
    await signing.holdRequested(inside, 'ETH', now);
  });
  await signing.readHalts(em);
  await signing.releaseRequested(em, 'ETH');
  await signing.removeHalt(em, 'ETH');
}

async function countPayouts({ db, now }: World): Promise<void> {
  const { em } = db;
  await open.readDueCounts(em);
  await open.countOpen(em);
  await open.sumDue(em);
  await open.countStuck(em, now);
  await open.readOldestStuck(em, now, 5);
  await open.readOpenPayouts(em, { network: 'ETH', until: now });
  await open.readOpenPayouts(em, { network: null, until: now });
  await readHeldPayouts(em);
  await readFreezes(em);
  await markFrozen(em, now);
  await findHolders(em, 'ETH', 'USDT', 20);
}

export const PAYOUT_PATHS: readonly Path[] = [
  { name: 'payouts are counted', run: countPayouts },
  { name: 'the signer looks whether it may sign', run: mayWeSign },
  { name: 'the signer looks at what is due', run: lookAtDue },
  { name: 'the signer signs', run: sign },
  { name: 'the signer follows what it sent', run: followTransactions },
  { name: 'the signer chooses and spends outputs', run: spendOutputs },
];
