// Withdrawals and refunds as merchants ask for them: checked, stored and reserved in one transaction. The signer does
// the rest (custody/send-transfers), by way of domain/payout-steps.

import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { EntityManager } from '../../database/connection.ts';
import { listPayouts, type PayoutListFilter } from '../../database/queries/payouts/list-payouts.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import { isFrozen, isPayoutAssetOff, lockForSigning } from '../../database/queries/payouts/obstacles.ts';
import { isWallet } from '../../database/queries/payouts/nonces.ts';
import type { ParsedAddress } from '../../chain/adapter.ts';
import { Payment } from '../../entities/payment.ts';
import { Payout } from '../../entities/payout.ts';
import { formatAmount, parseAmount } from '../../values/amount.ts';
import { assetOf, findAsset, leastOf, limitsOf, parseNetwork, type Asset } from '../../values/assets.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import { recordActed, type AuditedChange } from '../merchants/audit.ts';
import { chainFor, inTransaction, type Chain, type Deps } from '../deps.ts';
import { storeAnswer, takeKey, whileInFlight, type IdempotentResult, type IdempotencyKey } from '../idempotency.ts';
import { min } from '../ledger/ledger.ts';
import { readPayoutFee, type PayoutFee } from './fees.ts';
import { lockAvailable, reservePayout } from '../ledger/payout-entries.ts';
import { readSendable } from './sendable.ts';
import { snapshotPayout, type PayoutSnapshot } from '../snapshots/payout.ts';
import { settlePayments } from '../payments/settle.ts';

export interface WithdrawalRequest {
  readonly currency: string;
  readonly network: string;
  /** A decimal string, or `max`: all that is available less the network fee, and no more than can be sent. */
  readonly amount: string;
  readonly address: string;
  readonly merchantWithdrawalId?: string | null;
}

/** Asks for a withdrawal. Errors: 2001, 2002, 2003, 3001, 3002, 3003, 3007, 4001, 4002, 4003, 4005, 4009. */
export async function requestWithdrawal(
  deps: Deps,
  merchantId: string,
  request: WithdrawalRequest,
  once: IdempotencyKey | null,
): Promise<IdempotentResult<PayoutSnapshot>> {
  const network = parseNetwork(request.network);
  const asset = network && findAsset(request.currency, network);
  if (!asset) throw new GatewayError('UNSUPPORTED_ASSET');
  const asked = request.amount === 'max' ? null : parseUnits(asset, request.amount);
  if (asked !== null) checkLimits(deps, asset, asked);
  const chain = chainOf(deps, asset);
  const { address, key } = parseRecipient(chain, request.address);
  // Asked before any row is locked: a node may take its time.
  const fee = await readPayoutFee(chain, asset.currency, address);
  const sendable = asked === null ? await readSendable(deps, chain, address) : null;

  return inOneTransaction(deps, once, async (em, now) => {
    if (await isWallet(em, key)) throw new GatewayError('BAD_ADDRESS');
    // The balance before the row, for everybody: else two withdrawals under one id could wait for each other.
    const available = await lockAvailable(em, merchantId, asset);
    await refuseRepeat(em, merchantId, request.merchantWithdrawalId ?? null);
    await refuseFrozen(em, merchantId, asset);
    await refuseOff(em, asset);
    const whole = available - fee.networkFee;
    const amount = asked ?? wholeBalance(deps, asset, sendable === null ? whole : min(whole, sendable));
    refuseDust(chain, asset, address, amount);
    return store(em, once, {
      id: newId('wdr', now.getTime()),
      kind: 'WITHDRAWAL',
      merchantId,
      paymentId: null,
      asset,
      amount,
      ...fee,
      address,
      merchantWithdrawalId: request.merchantWithdrawalId ?? null,
      early: false,
      now,
    });
  });
}

export interface RefundRequest {
  readonly paymentId: string;
  readonly address: string;
  /** A decimal string; all that is refundable, if left out. */
  readonly amount?: string | null;
}

/**
 * Asks for a refund of a payment's confirmed money, whole or in part, from the merchant's balance; the fee is not given
 * back. Errors: 2001, 2002, 2003, 2004, 3006, 3007, 4001, 4002, 4003, 4009.
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
  const answer = await inOneTransaction(deps, once, async (em, now) => {
    const payment = await em.findOne(Payment, { id: paymentId, merchantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!payment) throw new GatewayError('NOT_FOUND');
    const asset = assetOf(payment);
    const chain = chainOf(deps, asset);
    const { address, key } = parseRecipient(chain, request.address);
    if (await isWallet(em, key)) throw new GatewayError('BAD_ADDRESS');
    await refuseFrozen(em, merchantId, asset);
    await refuseOff(em, asset);
    const asked = request.amount == null ? null : parseUnits(asset, request.amount);
    const refundable = await refundableOf(em, payment);
    const amount = asked ?? refundable;
    if (payment.status === 'PENDING' || payment.status === 'CONFIRMING' || amount <= 0n || amount > refundable) {
      const left = `${formatAmount(refundable > 0n ? refundable : 0n, asset.decimals)} ${asset.currency}`;
      throw new GatewayError('NOT_REFUNDABLE', { message: `${left} of this payment can be refunded as it stands` });
    }
    refuseDust(chain, asset, address, amount);
    // One that succeeded and then lost money (REORGED) is not early: should the money come back, it is what it was
    // before.
    const early = payment.completedAt == null;
    const id = newId('rfd', now.getTime());
    const snapshot = await store(em, once, {
      ...{ id, kind: 'REFUND', merchantId, paymentId, asset, amount, ...fee, address, early, now },
      merchantWithdrawalId: null,
    });
    if (early) {
      const height = (await readCursor(em, payment.network))?.height ?? 0;
      await settlePayments(deps, em, [paymentId], {
        network: payment.network,
        height,
        clock: { now, seenUntil: null },
      });
    }
    return snapshot;
  });
  deps.signals.events();
  return answer;
}

/** Before any row is locked; what is wrong with the request is found when its payment is. */
async function readRefundFee(
  deps: Deps,
  merchantId: string,
  { paymentId, address }: RefundRequest,
): Promise<PayoutFee> {
  const payment = await deps.db.em.fork().findOne(Payment, { id: paymentId, merchantId });
  const chain = payment && chainFor(deps, assetOf(payment));
  if (!payment || !chain?.adapter.parseAddress(address)) return { networkFee: 0n, opensAccount: false };
  return readPayoutFee(chain, payment.currency, address);
}

/** The frame of both: the idempotency key, one transaction, and word to the signer. */
async function inOneTransaction(
  deps: Deps,
  once: IdempotencyKey | null,
  work: (em: EntityManager, now: Date) => Promise<PayoutSnapshot>,
): Promise<IdempotentResult<PayoutSnapshot>> {
  const answer = await whileInFlight(once, () =>
    inTransaction(deps, async (em) => {
      const earlier = once && (await takeKey<PayoutSnapshot>(em, once));
      if (earlier) return { result: earlier, replayed: true };
      // Before any row: a freeze waits for this transaction, or is seen by it.
      await lockForSigning(em);
      const now = deps.clock.now();
      const result = await work(em, now);
      await recordActed(em, deps, auditOf(result), now);
      // Another process answered the same key meanwhile: nothing of this one may stay.
      if (once && !(await storeAnswer(em, once, result, now))) throw new GatewayError('IDEMPOTENCY_IN_FLIGHT');
      return { result, replayed: false };
    }),
  );
  deps.signals.payouts(answer.result.network);
  return answer;
}

function auditOf({ id, paymentId, amount, currency, network, address }: PayoutSnapshot): AuditedChange {
  const action = paymentId === null ? 'WITHDRAWAL_REQUESTED' : 'REFUND_REQUESTED';
  return { action, target: id, details: { amount, currency, network, address } };
}

interface NewPayout {
  readonly id: string;
  readonly kind: 'WITHDRAWAL' | 'REFUND';
  readonly merchantId: string;
  readonly paymentId: string | null;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly networkFee: bigint;
  readonly opensAccount: boolean;
  readonly address: string;
  readonly merchantWithdrawalId: string | null;
  readonly early: boolean;
  readonly now: Date;
}

/** Stores a payout and reserves its money: 4005 when the merchant used the id before, 4001 when it is not there. */
async function store(
  em: EntityManager,
  once: IdempotencyKey | null,
  { asset, now, ...fields }: NewPayout,
): Promise<PayoutSnapshot> {
  const payout = em.create(Payout, {
    ...fields,
    currency: asset.currency,
    network: asset.network,
    status: 'REQUESTED',
    failure: null,
    heldReason: null,
    heldSince: null,
    lookAt: null,
    txHash: null,
    onceOperation: once?.operation ?? null,
    onceKey: once?.key ?? null,
    createdAt: now,
    updatedAt: now,
    completedAt: null,
  });
  try {
    await em.persist(payout).flush();
  } catch (error) {
    if (error instanceof UniqueConstraintViolationException)
      throw new GatewayError('DUPLICATE_WITHDRAWAL', { cause: error });
    throw error;
  }
  await reservePayout(em, { ...fields, currency: asset.currency, network: asset.network }, now);
  return snapshotPayout(payout);
}

function parseUnits(asset: Asset, text: string): bigint {
  const units = parseAmount(text, asset.decimals);
  if (units !== null) return units;
  const message = `${asset.currency} has at most ${asset.decimals} decimals here`;
  throw invalid([{ path: 'input.amount', message }]);
}

function checkLimits({ chains }: Deps, asset: Asset, units: bigint): void {
  const { min, max } = limitsOf(asset, chains.has(asset.network));
  const say = (limit: bigint) => `${formatAmount(limit, asset.decimals)} ${asset.currency}`;
  if (units < min) throw new GatewayError('BELOW_MINIMUM', { message: `The least amount is ${say(min)}` });
  if (units > max) throw new GatewayError('ABOVE_MAXIMUM', { message: `The greatest amount is ${say(max)}` });
}

function chainOf(deps: Deps, asset: Asset): Chain {
  const chain = chainFor(deps, asset);
  if (!chain) throw new GatewayError('NETWORK_UNAVAILABLE');
  return chain;
}

/** 3007 while the asset's token takes a fee: less would arrive than is asked for. */
async function refuseOff(em: EntityManager, asset: Asset): Promise<void> {
  const message = `${asset.currency} on ${asset.network} is out of service`;
  if (await isPayoutAssetOff(em, asset)) throw new GatewayError('NETWORK_UNAVAILABLE', { message });
}

/**
 * An address that money may be sent to: a valid one that is not a token's contract, where it would be lost. Nor may it
 * be our own hot or gas wallet, which is for the callers to ask: it would come back as the gateway's capital.
 */
export function parseRecipient({ adapter }: Pick<Chain, 'adapter'>, text: string): ParsedAddress {
  const parsed = adapter.parseAddress(text);
  const contracts = [...adapter.contracts.values()].map((contract) => contract && adapter.parseAddress(contract)?.key);
  if (!parsed || /^0x0{40}$/.test(parsed.key) || contracts.includes(parsed.key)) throw new GatewayError('BAD_ADDRESS');
  return parsed;
}

/** 4003 below the least amount, and below what nodes pass on to an address where they have a say in that. */
export function refuseDust({ adapter }: Pick<Chain, 'adapter'>, asset: Asset, address: string, amount: bigint): void {
  if (amount < leastOf(asset)) throw new GatewayError('DUST');
  if (adapter.model === 'OUTPUTS' && amount < adapter.dustOf(address)) throw new GatewayError('DUST');
}

/** 4009 while the operator has frozen such payouts. */
export async function refuseFrozen(
  em: EntityManager,
  merchantId: string | null,
  { currency, network }: Asset,
): Promise<void> {
  if (await isFrozen(em, { id: null, merchantId, currency, network })) throw new GatewayError('PAYOUTS_FROZEN');
}

/** 4005 when the merchant used the id before, also where the first withdrawal has left nothing for a second. */
async function refuseRepeat(em: EntityManager, merchantId: string, merchantWithdrawalId: string | null): Promise<void> {
  if (merchantWithdrawalId === null) return;
  if ((await em.count(Payout, { merchantId, merchantWithdrawalId })) > 0)
    throw new GatewayError('DUPLICATE_WITHDRAWAL');
}

/** All that is there, less the network's fee. */
function wholeBalance(deps: Deps, asset: Asset, amount: bigint): bigint {
  if (amount <= 0n) throw new GatewayError('INSUFFICIENT_FUNDS');
  if (amount < leastOf(asset)) throw new GatewayError('DUST');
  checkLimits(deps, asset, amount);
  return amount;
}

/** A payment's confirmed money less its refunds that have not failed. */
async function refundableOf(em: EntityManager, payment: Payment): Promise<bigint> {
  const refunds = await em.find(Payout, { paymentId: payment.id, status: { $ne: 'FAILED' } });
  return refunds.reduce((rest, refund) => rest - refund.amount, payment.amountConfirmed);
}

/** A page of a merchant's withdrawals, newest first, below the id `before`. */
export async function findWithdrawals(deps: Pick<Deps, 'db'>, merchantId: string, page: Page): Promise<PayoutPage> {
  return findPayouts(deps, { merchantId, kind: 'WITHDRAWAL' }, page);
}

/** A page of a merchant's refunds, or of those of one payment, newest first, below the id `before`. */
export async function findRefunds(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  paymentId: string | null,
  page: Page,
): Promise<PayoutPage> {
  if (paymentId !== null && !isId('ord', paymentId)) return { nodes: [], hasMore: false };
  return findPayouts(deps, { merchantId, kind: 'REFUND', paymentId }, page);
}

interface Page {
  readonly limit: number;
  readonly before: string | null;
}

interface PayoutPage {
  readonly nodes: PayoutSnapshot[];
  readonly hasMore: boolean;
}

async function findPayouts(
  { db }: Pick<Deps, 'db'>,
  filter: PayoutListFilter,
  { limit, before }: Page,
): Promise<PayoutPage> {
  const rows = await listPayouts(db.pool, filter, { limit: limit + 1, before });
  return { nodes: rows.slice(0, limit).map(snapshotPayout), hasMore: rows.length > limit };
}

/** One of a merchant's withdrawals. Errors: 2004. */
export async function getWithdrawal(deps: Pick<Deps, 'db'>, merchantId: string, id: string): Promise<PayoutSnapshot> {
  const where = { id, merchantId, kind: 'WITHDRAWAL' as const };
  const row = isId('wdr', id) ? await deps.db.em.fork().findOne(Payout, where) : null;
  if (!row) throw new GatewayError('NOT_FOUND');
  return snapshotPayout(row);
}
