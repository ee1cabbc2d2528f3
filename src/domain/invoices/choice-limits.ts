// Limits on what payers make without a token: nobody can use up a merchant's addresses by choosing coins.

import { readPayersInvoice, type PayersInvoice } from '../../database/queries/invoices/choice.ts';
import { countUnpaidChoices } from '../../database/queries/invoices/count-choices.ts';
import { GatewayError } from '../../values/errors.ts';
import { isId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';
import { findNamedAsset } from '../requested-amount.ts';
import type { NamedAsset } from './requests.ts';

/** Payments that nobody pays end within their invoice's time; a minute later there may be room. */
const RETRY_AFTER_SECONDS = 60;

/** Whose invoice it is, and whether a quote of that coin still holds; null if there is no such invoice. */
export async function findPayersInvoice(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { invoiceId, currency, network }: NamedAsset & { readonly invoiceId: string },
): Promise<PayersInvoice | null> {
  if (!isId('inv', invoiceId)) return null;
  return await readPayersInvoice(db.em, invoiceId, findNamedAsset(currency, network), clock.now());
}

/** 9001 while a merchant has this many unpaid quotes that were made without a token (contract-invoices, section 12). */
export async function refuseTooManyUnpaid({ db }: Pick<Deps, 'db'>, merchantId: string, limit: number): Promise<void> {
  if ((await countUnpaidChoices(db.em, merchantId, limit)) < limit) return;
  throw new GatewayError('RATE_LIMITED', {
    message: 'Too many payments of this merchant wait for their customers; try again later',
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
