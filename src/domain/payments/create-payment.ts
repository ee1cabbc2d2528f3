// Creating a payment order: judge the request, take a fresh address, then commit payment, event and idempotency key in
// one statement that many orders share.

import { createGroupCommit } from '../../database/group-commit.ts';
import { insertPayments, type Insertion, type NewPaymentRow } from '../../database/queries/payments/insert-payments.ts';
import { GatewayError } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import { checkWebhookUrl } from '../../values/internet/webhook-url.ts';
import { createAddressSource, type FreshAddress } from '../addresses/derive.ts';
import type { Chain, Deps } from '../deps.ts';
import type { PaymentDefaults, PaymentDefaultsCache } from '../merchants/payment-defaults.ts';
import { findAnswer, whileInFlight, type IdempotentResult, type IdempotencyKey } from '../idempotency.ts';
import { readNamedAmount, requireChain, type RequestedAmount } from '../requested-amount.ts';
import {
  fromPayload,
  payloadOf,
  snapshotPayment,
  type PaymentRow,
  type PaymentSnapshot,
} from '../snapshots/payment.ts';

/** What a merchant asks for. The schema has checked the format of each text; `amount` is a decimal string. */
export interface CreatePaymentInput {
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly merchantOrderId?: string | null;
  readonly productName?: string | null;
  readonly customerEmail?: string | null;
  readonly callbackUrl?: string | null;
  readonly returnUrl?: string | null;
  readonly metadata?: Record<string, string> | null;
  readonly test?: boolean | null;
}

export type CreatePayment = (
  merchantId: string,
  input: CreatePaymentInput,
  once: IdempotencyKey | null,
) => Promise<IdempotentResult<PaymentSnapshot>>;

/**
 * Makes the create operation of this process (specification, section 4; contract, sections 4 and 6). Nothing is
 * stored when it fails. Errors, in the order of the checks: 3001, 2001, 3002, 3003, 5001, 3007, then 2003 and 2002.
 */
export function createPaymentCreator(deps: Deps, defaults: PaymentDefaultsCache): CreatePayment {
  const takeAddress = createAddressSource(deps);
  const commits = createGroupCommit<NewPaymentRow, Insertion>({ run: (batch) => insertPayments(deps.db.pool, batch) });

  return async (merchantId, input, once) => {
    const order = parseOrder(deps, input);
    return whileInFlight(once, async () => {
      let stale: FreshAddress | undefined;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const [own, address] = await Promise.all([defaults.read(merchantId), takeAddress(order.chain, stale)]);
        // A new id for each try: the row of an earlier one, should it exist after all, has another address.
        const payment = newPayment(deps, merchantId, input, order, own, address);
        const snapshot = snapshotPayment(payment, [], { payUrl: deps.payUrl, height: 0 });
        const insertion = await commits.submit(toRow(payment, address, snapshot, once));
        if (insertion === 'REPEATED') return replay(deps, once, payment.id);
        if (insertion === 'ACCEPTED') {
          deps.signals.events();
          return { result: snapshot, replayed: false };
        }
        stale = address;
      }
      throw new GatewayError('NETWORK_UNAVAILABLE', {
        message: 'The database changes its server too often to be used',
      });
    });
  };
}

/** Tries before a database that keeps failing over counts as unavailable. */
const MOST_TRIES = 5;

interface Order extends RequestedAmount {
  readonly chain: Chain;
}

/** Judges what the merchant asks for, in the order of the errors above. */
function parseOrder(deps: Deps, input: CreatePaymentInput): Order {
  const requested = readNamedAmount('ORDER', deps.chains, input);
  if (input.callbackUrl != null) refuseBadCallback(deps, input.callbackUrl);
  return { ...requested, chain: requireChain('ORDER', deps, requested.asset) };
}

/** 5001 for a callback URL that webhooks may not be sent to. */
export function refuseBadCallback(deps: Pick<Deps, 'webhookAllowPrivate'>, callbackUrl: string): void {
  const checked = checkWebhookUrl(callbackUrl, { allowPrivate: deps.webhookAllowPrivate });
  if (checked.ok) return;
  throw new GatewayError('WEBHOOK_URL_REFUSED', { message: checked.message });
}

function newPayment(
  deps: Deps,
  merchantId: string,
  input: CreatePaymentInput,
  { asset, chain, units }: Order,
  defaults: PaymentDefaults,
  address: FreshAddress,
): PaymentRow & { merchantId: string; latePaymentPolicy: string } {
  const now = deps.clock.now();
  return {
    id: newId('ord', now.getTime()),
    merchantId,
    currency: asset.currency,
    network: asset.network,
    amount: units,
    address: address.address,
    status: 'PENDING',
    exception: null,
    test: deps.environment === 'sandbox' ? (input.test ?? false) : null,
    merchantOrderId: input.merchantOrderId ?? null,
    productName: input.productName ?? null,
    customerEmail: input.customerEmail ?? null,
    callbackUrl: input.callbackUrl ?? null,
    returnUrl: input.returnUrl ?? defaults.defaultReturnUrl,
    metadata: input.metadata ?? null,
    toleranceBasisPoints: defaults.toleranceBasisPoints,
    latePaymentPolicy: defaults.latePaymentPolicy,
    requiredConfirmations: chain.requiredConfirmations,
    amountReceived: 0n,
    amountConfirmed: 0n,
    amountRefunded: 0n,
    feeAmount: 0n,
    expiresAt: new Date(now.getTime() + defaults.expirationMinutes * 60_000),
    createdAt: now,
    updatedAt: now,
    completedAt: null,
    invoiceId: null,
  };
}

function toRow(
  payment: ReturnType<typeof newPayment>,
  address: FreshAddress,
  snapshot: PaymentSnapshot,
  once: IdempotencyKey | null,
): NewPaymentRow {
  return {
    id: payment.id,
    merchant_id: payment.merchantId,
    currency: payment.currency,
    network: payment.network,
    amount: payment.amount.toString(),
    address: address.address,
    address_key: address.key,
    derivation_account: address.account,
    derivation_index: address.index,
    test: payment.test ?? null,
    merchant_order_id: snapshot.merchantOrderId,
    product_name: snapshot.productName,
    customer_email: snapshot.customerEmail,
    callback_url: snapshot.callbackUrl,
    return_url: snapshot.returnUrl,
    metadata: snapshot.metadata,
    tolerance_basis_points: payment.toleranceBasisPoints,
    late_payment_policy: payment.latePaymentPolicy,
    required_confirmations: payment.requiredConfirmations,
    expires_at: payment.expiresAt,
    created_at: payment.createdAt,
    event_id: newId('evt', payment.createdAt.getTime()),
    payload: payloadOf(snapshot),
    once_key: once?.key ?? null,
    once_digest: once?.inputDigest.toString('hex') ?? null,
    given: address.given,
  };
}

/** The key was stored before: its answer, or this very payment if our own commit ran twice. */
async function replay(
  deps: Deps,
  once: IdempotencyKey | null,
  paymentId: string,
): Promise<IdempotentResult<PaymentSnapshot>> {
  const stored = once && (await findAnswer<Record<string, unknown>>(deps.db.em, once));
  if (!stored) throw new Error('A payment was refused by an idempotency key that is not there');
  const result = fromPayload(stored);
  return { result, replayed: result.id !== paymentId };
}
