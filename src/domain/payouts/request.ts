// Requests for withdrawals and refunds: judged, stored and reserved in one transaction. What happens to them afterwards
// is in custody/send-transactions.ts, by the steps of lifecycle.ts.

import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../database/connection.ts';
import { lockUnsettled } from '../../database/queries/invoices/lock-invoices.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import { Payment } from '../../entities/payment.ts';
import { Payout } from '../../entities/payout.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, type Asset } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';
import type { IdempotentResult, IdempotencyKey } from '../idempotency.ts';
import { min } from '../ledger/ledger.ts';
import { lockAvailable } from '../ledger/payout-entries.ts';
import { ENDED_UNPAID } from '../payments/refunds.ts';
import { settlePayments } from '../payments/settle.ts';
import {
  findChain,
  readNamedAmount,
  readUnits,
  refuseFrozen,
  refuseOutOfService,
  refuseUnsendable,
  requireChain,
} from '../requested-amount.ts';
import type { PayoutSnapshot } from '../snapshots/payout.ts';
import { readPayoutFee, type PayoutFee } from './fees.ts';
import { findActive, readDestination } from './address-book.ts';
import { mustAwait, type PayoutToJudge } from './judge-payouts.ts';
import { parseRecipient, refuseWallet } from './recipient.ts';
import { readSendable } from './sendable-outputs.ts';
import { firstState, requestOnce, storePayout, type NewPayout } from './store.ts';

export interface WithdrawalRequest {
  readonly currency: string;
  readonly network: string;
  /** A decimal string, or `max`: what is available less the network fee, and no more than can be sent. */
  readonly amount: string;
  /** Exactly one of the two is given. */
  readonly address?: string | null;
  readonly addressId?: string | null;
  readonly merchantWithdrawalId?: string | null;
}

/**
 * Requests a withdrawal (specification, section 4; contract, section 5). Errors, in the order of the checks: 3001,
 * 2001, 3002, 3003, 3007 (network), 2001 and 2004 (addressId), 4002, 2003, 2002, 4005, 4009, 3007 (asset), 4003, 1014,
 * 4006, 4007, 4001. The amount of `max` is known only once the balance is: 4001, 4003, 3003 come before 4006 then, in
 * this order.
 */
export async function requestWithdrawal(
  deps: Deps,
  merchantId: string,
  request: WithdrawalRequest,
  once: IdempotencyKey | null,
): Promise<IdempotentResult<PayoutSnapshot>> {
  const { asset, units } = readNamedAmount('WITHDRAWAL', deps.chains, request);
  const chain = requireChain('WITHDRAWAL', deps, asset);
  const recipient = await readDestination(deps, merchantId, { ...request, network: asset.network });
  const { address, key } = parseRecipient(chain.adapter, recipient);
  // The node is asked before any row is locked: it may be slow.
  const fee = await readPayoutFee(chain, asset.currency, address);
  const sendable = units === null ? await readSendable(deps, chain, address) : null;
  const merchantWithdrawalId = request.merchantWithdrawalId ?? null;

  return requestOnce(deps, once, async (em, now) => {
    await refuseWallet(em, key);
    // Every withdrawal locks the balance before it writes its own row; two with the same id could deadlock otherwise.
    const available = await lockAvailable(em, merchantId, asset);
    await refuseRepeat(em, merchantId, merchantWithdrawalId);
    await refuseFrozen(em, merchantId, asset);
    await refuseOutOfService('WITHDRAWAL', em, asset);
    const amount = units ?? wholeBalance(available - fee.networkFee, sendable);
    refuseUnsendable('WITHDRAWAL', chain.adapter, asset, { address, units: amount });
    const named = request.addressId ?? null;
    const addressId = await findActive(em, merchantId, { network: asset.network, key, named }, now);
    const judged = { kind: 'WITHDRAWAL', merchantId, asset, amount } as const;
    const state = await judgeRequest(deps, em, { ...judged, isInBook: addressId !== null }, now);
    const id = newId('wdr', now.getTime());
    return storePayout(deps, em, {
      ...{ id, ...judged, paymentId: null, ...fee, address, addressId, ...state, once, now },
      ...{ early: false, beforeSettlement: false },
      merchantWithdrawalId,
    });
  });
}

/** Judges a request by the merchant's policy: whether it is on its way, or waits, and until when. */
async function judgeRequest(
  deps: Pick<Deps, 'actor' | 'approvalMs'>,
  em: EntityManager,
  { merchantId, ...payout }: PayoutToJudge & { readonly merchantId: string },
  now: Date,
): Promise<Pick<NewPayout, 'status' | 'awaitsUntil'>> {
  const judged = { merchantId, except: null, personId: deps.actor?.personId ?? null };
  return firstState(deps, await mustAwait(em, judged, [payout], now), now);
}

/** The amount of `max`, in base units: all that is left, up to what can be sent. Errors: 4001. */
function wholeBalance(left: bigint, sendable: bigint | null): bigint {
  const amount = sendable === null ? left : min(left, sendable);
  if (amount <= 0n) throw new GatewayError('INSUFFICIENT_FUNDS');
  return amount;
}

/** 4005 for an id that the merchant used before, even when that withdrawal left nothing for another. */
async function refuseRepeat(em: EntityManager, merchantId: string, merchantWithdrawalId: string | null): Promise<void> {
  if (merchantWithdrawalId === null) return;
  if ((await em.count(Payout, { merchantId, merchantWithdrawalId })) > 0)
    throw new GatewayError('DUPLICATE_WITHDRAWAL');
}

export interface RefundRequest {
  readonly paymentId: string;
  readonly address: string;
  /** A decimal string; by default all that is refundable. */
  readonly amount?: string | null;
}

/**
 * Requests a refund of a payment's confirmed money, whole or in part, from the merchant's balance; the fee is not given
 * back (contract, sections 4 and 5). Errors, in the order of the checks: 2004 (id), 2003, 2002, 2004,
 * 3007 (network), 4002, 4009, 3007 (asset), 2001, 3006, 4003, 1014, 4007, 4001.
 */
export async function requestRefund(
  deps: Deps,
  merchantId: string,
  request: RefundRequest,
  once: IdempotencyKey | null,
): Promise<IdempotentResult<PayoutSnapshot>> {
  const { paymentId } = request;
  if (!isId('ord', paymentId)) throw new GatewayError('NOT_FOUND');
  const fee = await readRefundFee(deps, merchantId, request);
  return requestOnce(deps, once, async (em, now) => {
    const payment = await em.findOne(Payment, { id: paymentId, merchantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!payment) throw new GatewayError('NOT_FOUND');
    const beforeSettlement = payment.invoiceId != null && (await lockUnsettled(em, payment.invoiceId));
    const asset = assetOf(payment);
    const { adapter } = requireChain('REFUND', deps, asset);
    const { address, key } = parseRecipient(adapter, request.address);
    await refuseWallet(em, key);
    await refuseFrozen(em, merchantId, asset);
    await refuseOutOfService('REFUND', em, asset);
    const requested = request.amount == null ? null : readUnits('REFUND', asset, request.amount);
    const amount = await judgeRefundable(em, payment, asset, requested);
    refuseUnsendable('REFUND', adapter, asset, { address, units: amount });
    // A payment that succeeded and lost its money (REORGED) is not early: if the money comes back, so does its state.
    const early = payment.completedAt == null;
    const judged = { kind: 'REFUND', merchantId, asset, amount } as const;
    const state = await judgeRequest(deps, em, { ...judged, isInBook: false }, now);
    const id = newId('rfd', now.getTime());
    const snapshot = await storePayout(deps, em, {
      ...{ id, ...judged, paymentId, ...fee, address, addressId: null, ...state, early, beforeSettlement, once, now },
      merchantWithdrawalId: null,
    });
    if (early || beforeSettlement) await settleEarly(deps, em, payment, now);
    return snapshot;
  });
}

/** Read before any row is locked. What is wrong with the request is left to the transaction; the fee is 0 then. */
async function readRefundFee(
  deps: Deps,
  merchantId: string,
  { paymentId, address }: RefundRequest,
): Promise<PayoutFee> {
  const payment = await deps.db.em.fork().findOne(Payment, { id: paymentId, merchantId });
  const chain = payment && findChain('REFUND', deps, assetOf(payment));
  if (!payment || !chain?.adapter.parseAddress(address)) return { networkFee: 0n, opensAccount: false };
  return readPayoutFee(chain, payment.currency, address);
}

/**
 * The amount of a refund, in base units: by default (null) all that is refundable, which is the payment's confirmed
 * money less its refunds that have not come to nothing. Errors: 3006.
 */
async function judgeRefundable(
  em: EntityManager,
  payment: Payment,
  asset: Asset,
  requested: bigint | null,
): Promise<bigint> {
  const refunds = await em.find(Payout, { paymentId: payment.id, status: { $nin: [...ENDED_UNPAID] } });
  const refundable = refunds.reduce((rest, refund) => rest - refund.amount, payment.amountConfirmed);
  const amount = requested ?? refundable;
  const isOpen = payment.status === 'PENDING' || payment.status === 'CONFIRMING';
  if (!isOpen && amount > 0n && amount <= refundable) return amount;
  const left = `${formatAmount(refundable > 0n ? refundable : 0n, asset.decimals)} ${asset.currency}`;
  throw new GatewayError('NOT_REFUNDABLE', { message: `${left} of this payment can be refunded as it stands` });
}

/** Money refunded before a payment or its invoice succeeded no longer counts as received: their states follow. */
async function settleEarly(deps: Deps, em: EntityManager, { id, network }: Payment, now: Date): Promise<void> {
  const height = (await readCursor(em, network))?.height ?? 0;
  await settlePayments(deps, em, [id], { network, height, clock: { now, seenUntil: null } });
}
