// Erases a customer: what names them leaves their orders and all that was made of these, in one transaction, or nothing
// does. Amounts, addresses, hashes and the books stay (contract-people-payouts, section E).

import type { EntityManager } from '../../database/connection.ts';
import * as erase from '../../database/queries/customers/erase-customer.ts';
import { findCustomerOrders, type Customer } from '../../database/queries/customers/lock-customer.ts';
import { GatewayError, MOST_FAULTS, type Fault } from '../../values/errors.ts';
import { newId } from '../../values/id.ts';
import { keyedDigest } from '../../values/secrets/keyed-digest.ts';
import type { Secrets } from '../../values/secrets/keys.ts';
import type { PersonActor } from '../actor.ts';
import type { Deps } from '../deps.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { eraseOrders, lockOrders } from './shared-erasure.ts';

/** What an erasure came to. */
export interface Erasure {
  readonly id: string;
  readonly payments: number;
  readonly events: number;
  readonly mails: number;
  readonly at: Date;
}

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
  return runIdempotent<Erasure>(deps, once, async (em, now) => {
    const customer = { merchantId, email: email.trim().toLowerCase(), until: null };
    const counts = await eraseFound(em, customer);
    const erasure = { id: newId('ers', now.getTime()), ...counts, at: now };
    await erase.insertErasure(em, { ...erasure, merchantId, digest: digestOf(deps.secrets, customer) });
    await recordAudit(em, actor, { action: 'CUSTOMER_ERASED', target: erasure.id, details: counts }, now);
    return erasure;
  });
}

/** What stands for a customer in the row of an erasure. */
export const digestOf = (
  { customerKey }: Pick<Secrets, 'customerKey'>,
  { merchantId, email }: Pick<Customer, 'merchantId' | 'email'>,
): Buffer => keyedDigest(customerKey, `${merchantId} ${email}`);

/** Erases what there is of a customer, in the current transaction. Errors: 2013. */
export async function eraseFound(
  em: EntityManager,
  customer: Customer,
): Promise<Pick<Erasure, 'payments' | 'events' | 'mails'>> {
  const ids = await findCustomerOrders(em, customer);
  const found = await lockOrders(em, ids);
  refuseInUse(found.obstacles);
  const counts = await eraseOrders(em, found);
  // As JSON writes it: an address may have a quote.
  const texts = [JSON.stringify(customer.email).slice(1, -1), ...ids.paymentIds, ...ids.invoiceIds];
  const kept = await erase.lockAnswersWith(em, customer.merchantId, texts);
  await erase.replaceAnswers(
    em,
    kept.map((answer) => ({ ...answer, result: withoutCustomer(answer.result) })),
  );
  return counts;
}

function refuseInUse(obstacles: readonly Fault[]): void {
  if (obstacles.length === 0) return;
  const rest = obstacles.length - MOST_FAULTS;
  const more = rest > 0 ? [{ path: '', message: `There are ${rest} more` }] : [];
  const details = obstacles.slice(0, MOST_FAULTS).map(({ path, message }) => ({ path, message }));
  throw new GatewayError('CUSTOMER_IN_USE', { details: [...details, ...more] });
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
