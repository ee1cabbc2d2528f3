// Erases a customer: what names them leaves their orders and all that was made of these, in one transaction, or nothing
// does. Amounts, addresses, hashes and the books stay (contract-people-payouts, section E).

import type { EntityManager } from '../../database/connection.ts';
import * as erase from '../../database/queries/customers/erase-customer.ts';
import * as customer from '../../database/queries/customers/lock-customer.ts';
import { CUSTOMER_TEMPLATES } from '../../mail/mails.ts';
import { GatewayError, MOST_FAULTS, type Fault } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import { keyedDigest } from '../../values/secrets/keyed-digest.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import type { PersonActor } from '../actor.ts';
import type { Deps } from '../deps.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { recordAudit } from '../merchants/audit-log.ts';

/** What an erasure came to. */
export interface Erasure {
  readonly id: string;
  readonly payments: number;
  readonly events: number;
  readonly mails: number;
  readonly at: Date;
}

/** States of payments and invoices in which money is expected or judged. */
const OPEN: readonly string[] = ['PENDING', 'OPEN', 'PARTIALLY_PAID', 'CONFIRMING', 'PROCESSING'];

/**
 * Erases a customer by their address, in any case. Refused whole while something of theirs is under way. Errors: 2013
 * with each of these in `details`, by its id; 2002, 2003.
 */
export function eraseCustomer(
  deps: Pick<Deps, 'db' | 'clock'> & { readonly secrets: Pick<Secrets, 'customerKey'> },
  actor: PersonActor,
  email: string,
  once: IdempotencyKey | null,
): Promise<IdempotentResult<Erasure>> {
  const { merchantId } = actor;
  const address = email.trim().toLowerCase();
  return runIdempotent<Erasure>(deps, once, async (em, now) => {
    const found = await lockCustomer(em, merchantId, address);
    refuseInUse(found);
    const { paymentIds, invoiceIds, eventIds, mailIds } = found;
    await erase.eraseFromOrders(em, paymentIds, invoiceIds);
    await erase.eraseFromEvents(em, eventIds);
    await erase.eraseFromMails(em, mailIds);
    // As JSON writes it: an address may have a quote.
    const texts = [JSON.stringify(address).slice(1, -1), ...paymentIds, ...invoiceIds];
    const kept = await erase.lockAnswersWith(em, merchantId, texts);
    await erase.replaceAnswers(
      em,
      kept.map((answer) => ({ ...answer, result: withoutCustomer(answer.result) })),
    );
    const counts = { payments: paymentIds.length, events: eventIds.length, mails: mailIds.length };
    const erasure = { id: newId('ers', now.getTime()), ...counts, at: now };
    const digest = keyedDigest(deps.secrets.customerKey, `${merchantId} ${address}`);
    await erase.insertErasure(em, { ...erasure, merchantId, digest });
    await recordAudit(em, actor, { action: 'CUSTOMER_ERASED', target: erasure.id, details: counts }, now);
    return erasure;
  });
}

/** All of a customer, locked, and why it may not be erased. */
interface LockedCustomer {
  readonly paymentIds: readonly string[];
  readonly invoiceIds: readonly string[];
  readonly eventIds: readonly string[];
  readonly mailIds: readonly string[];
  readonly obstacles: readonly Fault[];
}

async function lockCustomer(em: EntityManager, merchantId: string, email: string): Promise<LockedCustomer> {
  const payments = await customer.lockCustomerPayments(em, merchantId, email);
  const invoices = await customer.lockCustomerInvoices(em, merchantId, email);
  const [paymentIds, invoiceIds] = [payments, invoices].map((orders) => orders.map(({ id }) => id)) as [
    string[],
    string[],
  ];
  const refunds = await customer.findOpenRefunds(em, paymentIds);
  const events = await customer.lockOrderEvents(em, paymentIds, invoiceIds);
  const eventIds = events.map(({ id }) => id);
  const waiting = new Set(await customer.findWaitingWebhooks(em, eventIds));
  const mails = await customer.lockCustomerMails(em, { merchantId, email, templates: CUSTOMER_TEMPLATES });
  const isIn = ({ id, status }: customer.CustomerOrder) => ({ path: id, message: `is ${status}` });
  return {
    ...{ paymentIds, invoiceIds, eventIds, mailIds: mails.map(({ id }) => id) },
    obstacles: [
      ...[...payments, ...invoices].filter(({ status }) => OPEN.includes(status)).map(isIn),
      ...refunds.map(isIn),
      ...events.flatMap(({ id, waits }) =>
        waits || waiting.has(id) ? { path: id, message: 'has a webhook that waits' } : [],
      ),
      ...mails.filter(({ status }) => status === 'QUEUED').map(({ id }) => ({ path: id, message: 'is to be sent' })),
    ],
  };
}

function refuseInUse({ obstacles }: LockedCustomer): void {
  if (obstacles.length === 0) return;
  const rest = obstacles.length - MOST_FAULTS;
  const more = rest > 0 ? [{ path: '', message: `There are ${rest} more` }] : [];
  throw new GatewayError('CUSTOMER_IN_USE', { details: [...obstacles.slice(0, MOST_FAULTS), ...more] });
}

/** A kept answer without what names a customer, wherever in it an order is. */
export function withoutCustomer(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCustomer);
  if (value === null || typeof value !== 'object') return value;
  const names = new Set<string>('customerEmail' in value ? erase.PERSONAL_FIELDS : []);
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, names.has(name) ? null : withoutCustomer(field)]),
  );
}
