// Ledger entries for a recovered book: lost payouts are reserved again; outflows that belong to no payout are booked as
// costs once they are final, and reversed if their block leaves the chain.

import { postLedger } from '../../database/queries/ledger/post-ledger.ts';
import type { LostPayout } from '../../database/queries/payouts/rebuild.ts';
import type { EntityManager } from '../../database/connection.ts';
import { assetOf, type Asset } from '../../values/assets.ts';
import { newId } from '../../values/id.ts';
import { account, GATEWAY, min, posting } from './ledger.ts';

/**
 * Reserves for an already paid payout what the lost book had reserved. The merchant's balance is never overdrawn: what
 * it does not cover, because the deposits behind it are lost as well, becomes their debt. Returns that debt.
 */
export async function reserveAgain(em: EntityManager, payout: LostPayout, now: Date): Promise<bigint> {
  const asset = assetOf(payout);
  const owner = payout.merchantId ?? GATEWAY;
  const source = account(owner, payout.merchantId === null ? 'fees' : 'available', asset);
  const reserved = account(owner, 'reserved', asset);
  const receivable = account(owner, 'receivable', asset);
  const total = payout.amount + payout.networkFee;
  let owed = 0n;
  const transaction = {
    ...{ id: newId('ltx', now.getTime()), reference: `reserve/${payout.id}`, at: now },
    paymentId: payout.paymentId,
  };
  await postLedger(em, transaction, [source, reserved, receivable], (balanceOf) => {
    const covered = payout.merchantId === null ? total : min(balanceOf(source), total);
    owed = total - covered;
    return [posting(source, reserved, covered), posting(receivable, reserved, owed)];
  });
  return owed;
}

/** Money that left without a payout. */
export interface Outflow {
  readonly txHash: string;
  readonly asset: Asset;
  readonly amount: bigint;
  /** How often it has become final: more than 1 after a reorganisation. */
  readonly turn: number;
}

/** Books a final outflow to the gateway's costs. False if already booked. */
export function bookOutflow(em: EntityManager, outflow: Outflow, now: Date): Promise<boolean> {
  return postOutflow(em, 'outflow', outflow, now);
}

/** Reverses an outflow whose block left the chain. False if already reversed. */
export function reverseOutflow(em: EntityManager, outflow: Outflow, now: Date): Promise<boolean> {
  return postOutflow(em, 'outflow-reversal', outflow, now);
}

function postOutflow(
  em: EntityManager,
  step: 'outflow' | 'outflow-reversal',
  { txHash, asset, amount, turn }: Outflow,
  now: Date,
): Promise<boolean> {
  const costs = account(GATEWAY, 'costs', asset);
  const custody = account(GATEWAY, 'custody', asset);
  const [from, to] = step === 'outflow' ? [costs, custody] : [custody, costs];
  const reference = `${step}/${asset.network}/${txHash}/${String(turn)}`;
  const transaction = { id: newId('ltx', now.getTime()), reference, paymentId: null, at: now };
  return postLedger(em, transaction, [costs, custody], () => [posting(from, to, amount)]);
}
