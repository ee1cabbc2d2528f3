// The payment snapshot: the full payment at one moment (contract, section 4), one shape for answers, events and
// webhooks.

import type { DepositStatus, PaymentException, PaymentStatus } from '../../entities/enums.ts';
import type { Deposit } from '../../entities/deposit.ts';
import type { Payment } from '../../entities/payment.ts';
import { formatAmount, lessTolerance } from '../../values/amount.ts';
import { assetOf, type Network } from '../../values/assets.ts';

/** A transaction that pays a payment. `confirmations` is 0 in the mempool and off the chain. */
export interface TransactionSnapshot {
  readonly txHash: string;
  readonly amount: string;
  readonly status: DepositStatus;
  readonly confirmations: number;
  readonly blockNumber: number | null;
  readonly seenAt: Date;
}

/** The full payment. Amounts are canonical decimal strings. Dates are texts if it was read back from an event. */
export interface PaymentSnapshot {
  readonly id: string;
  readonly address: string;
  readonly amount: string;
  readonly currency: string;
  readonly network: Network;
  readonly paymentUrl: string;
  readonly expiresAt: Date;
  readonly status: PaymentStatus;
  readonly createdAt: Date;
  readonly exception: PaymentException | null;
  readonly test: boolean | null;
  readonly merchantOrderId: string | null;
  readonly productName: string | null;
  readonly customerEmail: string | null;
  readonly callbackUrl: string | null;
  readonly returnUrl: string | null;
  readonly metadata: Record<string, string> | null;
  readonly amountReceived: string;
  readonly amountConfirmed: string;
  readonly amountRefunded: string;
  readonly feeAmount: string;
  readonly confirmations: number;
  readonly requiredConfirmations: number;
  readonly transactions: readonly TransactionSnapshot[];
  readonly updatedAt: Date;
  readonly completedAt: Date | null;
  /** The invoice that it belongs to; null for one of its own. */
  readonly invoiceId: string | null;
}

/** The columns that a snapshot needs; entities and raw rows both have them. */
export type PaymentRow = Pick<
  Payment,
  | Exclude<keyof PaymentSnapshot, 'paymentUrl' | 'confirmations' | 'transactions' | 'metadata'>
  | 'metadata'
  | 'toleranceBasisPoints'
>;
export type DepositRow = Pick<
  Deposit,
  'txHash' | 'network' | 'currency' | 'amount' | 'status' | 'blockHeight' | 'seenAt' | 'ordinal'
>;

/** Further inputs of a snapshot: the base URL of payment pages, and the height up to which the chain was read. */
export interface SnapshotContext {
  readonly payUrl: string;
  readonly height: number;
}

/** Makes the snapshot from rows. Deposits of another asset are credited, but are not transactions of the payment. */
export function snapshotPayment(
  payment: PaymentRow,
  deposits: readonly DepositRow[],
  { payUrl, height }: SnapshotContext,
): PaymentSnapshot {
  const { decimals } = assetOf(payment);
  const own = deposits.filter((deposit) => isOwn(payment, deposit));
  const transactions = own.map((deposit) => snapshotTransaction(deposit, decimals, height));
  const needed = lessTolerance(payment.amount, payment.toleranceBasisPoints);
  return {
    id: payment.id,
    address: payment.address,
    amount: formatAmount(payment.amount, decimals),
    currency: payment.currency,
    network: payment.network,
    paymentUrl: `${payUrl}/${payment.invoiceId ?? payment.id}`,
    expiresAt: payment.expiresAt,
    status: payment.status,
    createdAt: payment.createdAt,
    exception: payment.exception ?? null,
    test: payment.test ?? null,
    merchantOrderId: payment.merchantOrderId ?? null,
    productName: payment.productName ?? null,
    customerEmail: payment.customerEmail ?? null,
    callbackUrl: payment.callbackUrl ?? null,
    returnUrl: payment.returnUrl ?? null,
    metadata: payment.metadata ?? null,
    amountReceived: formatAmount(payment.amountReceived, decimals),
    amountConfirmed: formatAmount(payment.amountConfirmed, decimals),
    amountRefunded: formatAmount(payment.amountRefunded, decimals),
    feeAmount: formatAmount(payment.feeAmount, decimals),
    confirmations: confirmationsOf(own, needed, height),
    requiredConfirmations: payment.requiredConfirmations,
    transactions,
    updatedAt: payment.updatedAt,
    completedAt: payment.completedAt ?? null,
    invoiceId: payment.invoiceId ?? null,
  };
}

/** Whether a deposit is in the payment's own asset. Others are credited as well, but do not affect the payment. */
export function isOwn(
  payment: Pick<PaymentRow, 'currency' | 'network'>,
  deposit: Pick<DepositRow, 'currency' | 'network'>,
): boolean {
  return deposit.currency === payment.currency && deposit.network === payment.network;
}

/** A deposit as a transaction of its payment. */
export function snapshotTransaction(deposit: DepositRow, decimals: number, height: number): TransactionSnapshot {
  const onChain = deposit.status !== 'ORPHANED' && deposit.blockHeight != null;
  return {
    txHash: deposit.txHash,
    amount: formatAmount(deposit.amount, decimals),
    status: deposit.status,
    confirmations: confirmationsAt(deposit, height),
    blockNumber: onChain ? (deposit.blockHeight ?? null) : null,
    seenAt: deposit.seenAt,
  };
}

function confirmationsAt(deposit: DepositRow, height: number): number {
  if (deposit.status === 'ORPHANED' || deposit.blockHeight == null) return 0;
  return Math.max(0, height - deposit.blockHeight + 1);
}

/**
 * The confirmations of a payment: those of the last transaction needed, best-confirmed first, to reach the amount due;
 * until it is reached, those of the least confirmed one. A later surplus does not reduce the count.
 */
function confirmationsOf(deposits: readonly DepositRow[], needed: bigint, height: number): number {
  const counted = deposits
    .filter((deposit) => deposit.status !== 'ORPHANED')
    .map((deposit) => ({ amount: deposit.amount, confirmations: confirmationsAt(deposit, height) }));
  return confirmationsNeeded(counted, needed);
}

/** The same from the amounts that count, in base units, and their confirmations. */
export function confirmationsNeeded(
  counted: readonly { readonly amount: bigint; readonly confirmations: number }[],
  needed: bigint,
): number {
  const best = counted.toSorted((a, b) => b.confirmations - a.confirmations);
  let sum = 0n;
  for (const { amount, confirmations } of best) {
    sum += amount;
    if (sum >= needed) return confirmations;
  }
  return best.at(-1)?.confirmations ?? 0;
}

/** The snapshot under its REST names, as events store it and webhooks carry it. */
export function payloadOf({ id, ...rest }: PaymentSnapshot): object {
  return { orderId: id, ...rest };
}

/** The same as JSON text. */
export const toPayload = (payment: PaymentSnapshot): string => JSON.stringify(payloadOf(payment));

/** Reads a stored payload back. Dates stay ISO texts, which the date scalar passes through. */
export function fromPayload(payload: Record<string, unknown>): PaymentSnapshot {
  const { orderId, ...rest } = payload;
  return { id: orderId, ...rest } as unknown as PaymentSnapshot;
}
