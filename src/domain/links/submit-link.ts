// A customer's submission of a payment link's form, which makes an invoice. Nothing that decides about money comes from
// the form: neither the price of a fixed link, nor a URL.

import type { EntityManager } from '../../database/connection.ts';
import { isLinkOpen } from '../../database/queries/links/open-links.ts';
import { LINK_FIELDS, type LinkField } from '../../entities/enums.ts';
import type { PaymentLink } from '../../entities/payment-link.ts';
import { formatAmount, parseAmount } from '../../values/amount.ts';
import { GatewayError, invalid, type Fault } from '../../values/errors.ts';
import type { Deps } from '../deps.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import type { CreateInvoice } from '../invoices/requests.ts';
import { decimalsOf, type InvoiceSnapshot } from '../snapshots/invoice.ts';
import type { Submission } from './requests.ts';

interface SubmitDeps {
  readonly deps: Pick<Deps, 'clock'>;
  readonly createInvoice: CreateInvoice;
}

/** Where a form's field is in a submission. */
const NAMES = { EMAIL: 'email', NAME: 'name', PHONE: 'phone', ADDRESS: 'address', NOTE: 'note' } as const;

/**
 * Makes the invoice of a submission. Errors, in the order of the checks: 2001, 3003, 2003, 2002, 3009; a repeat under
 * its key is answered as before, even once the link takes no more.
 */
export function submitLink(
  { deps, createInvoice }: SubmitDeps,
  link: PaymentLink,
  submission: Submission,
  once: IdempotencyKey | null,
): Promise<IdempotentResult<InvoiceSnapshot>> {
  const faults = [...amountFaults(link, submission), ...fieldFaults(link, submission)];
  if (faults.length > 0) throw invalid(faults);
  const decimals = decimalsOf(link.currency);
  const { email = null, amount: asked } = submission;
  const input = {
    amount: link.amount == null ? (asked ?? '') : formatAmount(link.amount, decimals),
    currency: link.currency,
    description: link.description ?? null,
    customerEmail: email,
    returnUrl: link.returnUrl ?? null,
    callbackUrl: link.callbackUrl ?? null,
    metadata: link.metadata ?? null,
    expirationMinutes: link.expirationMinutes ?? null,
  };
  return createInvoice(link.merchantId, input, once, {
    linkId: link.id,
    customer: customerOf(submission),
    acceptedAssets: link.acceptedAssets ?? null,
    refuse: (em) => refuseClosed(em, link.id, deps.clock.now()),
  });
}

async function refuseClosed(em: EntityManager, id: string, now: Date): Promise<void> {
  if (!(await isLinkOpen(em, id, now))) throw new GatewayError('TAKES_NO_MORE');
}

/** The amount is the link's, or the customer's within its bounds. */
function amountFaults({ amount: price, currency, minAmount, maxAmount }: PaymentLink, { amount }: Submission): Fault[] {
  const fault = (message: string): Fault[] => [{ path: 'input.amount', message }];
  if (price != null) return amount == null ? [] : fault('is set by the link');
  if (amount == null) return fault('is required');
  const decimals = decimalsOf(currency);
  const units = parseAmount(amount, decimals);
  if (units === null) return fault(`${currency} has at most ${String(decimals)} decimals as a price`);
  if (minAmount != null && units < minAmount) return fault(`must be at least ${formatAmount(minAmount, decimals)}`);
  return maxAmount != null && units > maxAmount ? fault(`must be at most ${formatAmount(maxAmount, decimals)}`) : [];
}

/** What the link requires is there, and nothing that it does not ask for. */
function fieldFaults({ requiredFields, optionalFields }: PaymentLink, submission: Submission): Fault[] {
  const faultOf = (field: LinkField): string | null => {
    const isGiven = submission[NAMES[field]] != null;
    if (requiredFields.includes(field)) return isGiven ? null : 'is required';
    return isGiven && !optionalFields.includes(field) ? 'is not asked for' : null;
  };
  return LINK_FIELDS.flatMap((field) => {
    const message = faultOf(field);
    return message === null ? [] : [{ path: `input.${NAMES[field]}`, message }];
  });
}

/** What the invoice keeps of its customer besides the e-mail address; null for nothing. */
function customerOf({ name, phone, address, note }: Submission): Record<string, string> | null {
  const given = Object.entries({ name, phone, address, note }).filter(
    (entry): entry is [string, string] => entry[1] != null,
  );
  return given.length > 0 ? Object.fromEntries(given) : null;
}
