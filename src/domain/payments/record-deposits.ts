// Records deposits: stores the transfers that a block or the mempool makes to our addresses.

import type { BlockHead, Transfer } from '../../chain/blocks.ts';
import { Deposit } from '../../entities/deposit.ts';
import { findInternalTransfers } from '../../database/queries/chain/internal-transfers.ts';
import { findReceivers, type Receiver } from '../../database/queries/payments/find-payments.ts';
import type { EntityManager } from '../../database/connection.ts';
import { insertRows, readRows, updateRows } from '../../database/rows.ts';
import { NETWORKS, type Network } from '../../values/assets.ts';
import { earlierTime } from '../../values/earlier-time.ts';
import { newId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';
import { rateOfMined, rateOfNew, readDepositRates, type DepositRates } from './deposit-rates.ts';

const ENDED = new Set(['EXPIRED', 'FAILED', 'CANCELED']);

export interface Recorded {
  /** The payments whose deposits are new or changed. */
  readonly touched: readonly string[];
  /** The transfers to addresses that no payment has. */
  readonly others: readonly Transfer[];
}

/** Stores transfers to the addresses of payments. */
export async function recordDeposits(
  deps: Deps,
  em: EntityManager,
  network: Network,
  transfers: readonly Transfer[],
  block: BlockHead | null,
): Promise<Recorded> {
  const { account } = NETWORKS[network];
  const receivers = await findReceivers(em, account, [...new Set(transfers.map(({ addressKey }) => addressKey))]);
  const arrived = transfers.filter(({ addressKey }) => receivers.has(addressKey));
  const others = transfers.filter(({ addressKey }) => !receivers.has(addressKey));
  if (arrived.length === 0) return { touched: [], others };
  // Gas that we send for a sweep is our own money; a withdrawal to one of our addresses belongs to its receiver.
  // Unexplained transactions wait until they are explained.
  const moves = await findInternalTransfers(em, network, arrived);
  const ours = arrived.filter(({ txHash }) => !moves.has(txHash));
  if (ours.length === 0) return { touched: [], others };
  const found = await readRows(em, Deposit, 'where network = $1 and tx_hash = any($2)', [
    network,
    ours.map(({ txHash }) => txHash),
  ]);
  const ofInvoices = [...receivers.values()].filter(({ invoiceId }) => invoiceId !== null);
  const rates = await readDepositRates(
    deps,
    em,
    ofInvoices.map(({ paymentId }) => paymentId),
  );
  const known = found.map((deposit) => ({ ...deposit }));
  const touched: string[] = [];
  for (const transfer of ours) {
    const receiver = receivers.get(transfer.addressKey);
    const sightings = known.filter(({ txHash }) => txHash === transfer.txHash);
    // The mempool never overrides a block.
    if (!receiver || (block === null && sightings.some(({ blockHash }) => blockHash != null))) continue;
    const earlier = findSighting(sightings, transfer, receiver);
    const rate = rates.get(receiver.paymentId);
    if (earlier && !sightAgain(earlier, transfer, receiver, block, rate)) continue;
    if (!earlier) known.push(newDeposit(deps, network, transfer, receiver, block, rate));
    touched.push(receiver.paymentId);
  }
  if (block !== null) touched.push(...supersede(known));
  await insertRows(em, Deposit, known.slice(found.length));
  const changes = found.map((before, index) => ({ before, after: known[index] ?? before }));
  await updateRows(em, Deposit, changes);
  return { touched, others };
}

/**
 * Finds the deposit of this transfer: same payment, asset and amount, at the same ordinal, or at any ordinal if it is
 * not mined yet. What a transaction is expected to pay may differ from what it pays (a token with a fee, a contract
 * that behaves differently in another block), and only the latter is ever credited.
 */
function findSighting(sightings: readonly Deposit[], transfer: Transfer, receiver: Receiver): Deposit | undefined {
  const same = sightings.filter(
    ({ paymentId, currency, amount }) =>
      paymentId === receiver.paymentId && currency === transfer.currency && amount === transfer.amount,
  );
  return same.find(({ ordinal }) => ordinal === transfer.ordinal) ?? same.find(({ blockHash }) => blockHash == null);
}

/** Updates a deposit that is seen again; returns whether that changes anything. */
function sightAgain(
  deposit: Deposit,
  transfer: Transfer,
  receiver: Receiver,
  block: BlockHead | null,
  rates: DepositRates | undefined,
): boolean {
  if (block === null) {
    if (deposit.status !== 'ORPHANED') return false;
    deposit.status = 'PENDING';
    return true;
  }
  if (deposit.blockHash === block.hash) return false;
  Object.assign(deposit, {
    ordinal: transfer.ordinal,
    spends: transfer.spends ?? deposit.spends ?? null,
    status: 'PENDING',
    blockHash: block.hash,
    blockHeight: block.height,
    blockTime: block.time,
    late: deposit.late && isLate(receiver, block.time),
    orphanedHeight: null,
    gone: false,
    valueRate: rateOfMined(rates, deposit.valueRate ?? null, block.time),
  });
  return true;
}

/**
 * A mined transaction pays what its block says: orphans deposits that were expected from it but are not in the block.
 */
function supersede(known: readonly Deposit[]): string[] {
  const guesses = known.filter(({ status, blockHash }) => status === 'PENDING' && blockHash == null);
  for (const deposit of guesses) deposit.status = 'ORPHANED';
  return guesses.map(({ paymentId }) => paymentId);
}

/** Late: first seen, and mined, after the payment's expiry; or the payment had already ended. */
function isLate(receiver: Receiver, arrivedAt: Date): boolean {
  return arrivedAt > receiver.expiresAt || ENDED.has(receiver.status);
}

function newDeposit(
  { clock, chains }: Deps,
  network: Network,
  transfer: Transfer,
  receiver: Receiver,
  block: BlockHead | null,
  rates: DepositRates | undefined,
): Deposit {
  const now = clock.now();
  const confirmations = chains.get(network)?.requiredConfirmations ?? NETWORKS[network].confirmations;
  const arrivedAt = block === null ? now : earlierTime(block.time, now);
  const { txHash, ordinal, currency, amount } = transfer;
  return {
    id: newId('dep', now.getTime()),
    network,
    txHash,
    ordinal,
    currency,
    amount,
    paymentId: receiver.paymentId,
    merchantId: receiver.merchantId,
    status: 'PENDING',
    blockHash: block?.hash ?? null,
    blockHeight: block?.height ?? null,
    blockTime: block?.time ?? null,
    seenAt: now,
    late: isLate(receiver, arrivedAt),
    spends: transfer.spends ?? null,
    orphanedHeight: null,
    requiredConfirmations: network === receiver.network ? null : confirmations,
    gone: false,
    credits: 0,
    credited: false,
    valueRate: rateOfNew(rates, { currency, network }, arrivedAt),
  };
}
