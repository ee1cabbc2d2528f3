// Accepting money that came late under the MANUAL policy.

import { LockMode } from '@mikro-orm/core';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import { Deposit } from '../../entities/deposit.ts';
import { Payment } from '../../entities/payment.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import { recordActed } from '../merchants/audit-log.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { isPaidLate } from './state-machine.ts';
import type { PaymentSnapshot } from '../snapshots/payment.ts';
import { getPayment } from './read-and-cancel.ts';
import { readSetAside } from './refunds.ts';
import { settlePayments, toFacts } from './settle.ts';

const ENDED = new Set(['EXPIRED', 'FAILED', 'CANCELED']);

/**
 * Accepts a payment whose full amount arrived late. Errors: 2004; 3005 unless that is how it stands, and for
 * a payment of an invoice, which is accepted itself.
 */
export async function acceptPayment(deps: Deps, merchantId: string, id: string): Promise<PaymentSnapshot> {
  if (!isId('ord', id)) throw new GatewayError('NOT_FOUND');
  await inTransaction(deps, async (em) => {
    const payment = await em.findOne(Payment, { id, merchantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!payment) throw new GatewayError('NOT_FOUND');
    const deposits = await em.find(Deposit, { paymentId: id, currency: payment.currency, network: payment.network });
    const setAside = (await readSetAside(em, [id])).get(id) ?? 0n;
    const waits = ENDED.has(payment.status) && payment.latePaymentPolicy === 'MANUAL' && payment.invoiceId == null;
    if (!waits || !isPaidLate({ ...toFacts(payment), setAside }, deposits)) throw new GatewayError('WRONG_STATE');
    const now = deps.clock.now();
    payment.acceptedAt = now;
    await em.flush();
    const height = (await readCursor(em, payment.network))?.height ?? 0;
    await settlePayments(deps, em, [id], { network: payment.network, height, clock: { now, seenUntil: null } });
    await recordActed(em, deps, { action: 'PAYMENT_ACCEPTED', target: id }, now);
  });
  deps.signals.events();
  return getPayment(deps, merchantId, id);
}
