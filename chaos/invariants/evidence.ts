// Everything that the end of a run is judged by: the receiver's log, the client's log, the database, and the API's
// answers.

import { allPages, eventsAfter, type Client, type Data } from '../load/client.ts';
import type { ReceiverLog } from '../receiver/log.ts';
import { readReceived } from './chain-balances.ts';
import type { Notes } from '../load/client-log.ts';
import type { Outage } from '../processes/kill-targets.ts';
import { findLedgerFault } from './ledger.ts';
import type { JudgedSystem } from '../processes/environment.ts';

export interface EventRow {
  readonly id: string;
  readonly merchantId: string;
  readonly paymentId: string | null;
  readonly invoiceId: string | null;
  readonly payoutId: string | null;
  readonly version: number | null;
  readonly type: string;
  /** The webhook's body, if the type has one. */
  readonly body: string | null;
}

export interface DeliveryRow {
  readonly id: string;
  readonly eventId: string;
  readonly url: string;
  readonly status: string;
  readonly attempts: number;
  /** 0 for the first sending; 1, 2, … for each resend of the event. */
  readonly resend: number;
}

export interface AttemptRow {
  readonly deliveryId: string;
  readonly attempt: number;
  /** The time it started, in Unix milliseconds. */
  readonly at: number;
  readonly responseCode: number | null;
  readonly responseTimeMs: number;
  readonly error: string | null;
}

export interface PaymentRow {
  readonly id: string;
  readonly merchantId: string;
  readonly reference: string | null;
  readonly version: number;
  readonly callbackUrl: string | null;
  /** Null for an order that was made as such. */
  readonly invoiceId: string | null;
}

export interface InvoiceRow {
  readonly id: string;
  readonly reference: string | null;
  readonly version: number;
  readonly callbackUrl: string | null;
  readonly toleranceBasisPoints: number;
}

export interface PayoutRow {
  readonly id: string;
  readonly status: string;
  readonly failure: string | null;
  /** The number of its transfers that the chain has confirmed. */
  readonly transfers: number;
}

/** What the API answers to a merchant at the end. */
export interface Told {
  /** All events of GET /events, from the first. */
  readonly events: readonly Data[];
  /** Every order as GET /payments/{id} has it, by id. */
  readonly payments: ReadonlyMap<string, Data>;
  /** The same of invoices. */
  readonly invoices: ReadonlyMap<string, Data>;
}

export interface Evidence {
  readonly notes: Notes;
  readonly book: ReceiverLog;
  readonly outages: readonly Outage[];
  readonly retryDelaysSeconds: readonly number[];
  readonly events: readonly EventRow[];
  readonly deliveries: readonly DeliveryRow[];
  readonly attempts: readonly AttemptRow[];
  readonly payments: readonly PaymentRow[];
  readonly invoices: readonly InvoiceRow[];
  readonly payouts: readonly PayoutRow[];
  /** The API's answers by merchant. */
  readonly told: ReadonlyMap<string, Told>;
  /** The balances of the payouts' addresses on the chain, in base units. */
  readonly received: ReadonlyMap<string, bigint>;
  /** The faults that `npm run ledger:verify` found; null if it found none. */
  readonly ledgerFault: string | null;
}

const EVENTS = `
select id, merchant_id as "merchantId", payment_id as "paymentId", invoice_id as "invoiceId",
  payout_id as "payoutId", version, type, body
from event order by id`;
const DELIVERIES = `
select id, event_id as "eventId", url, status, attempts, resend from webhook_delivery order by id`;
const ATTEMPTS = `
select delivery_id as "deliveryId", attempt, (extract(epoch from at) * 1000)::float8 as at,
  response_code as "responseCode", response_time_ms as "responseTimeMs", error
from webhook_attempt order by delivery_id, attempt`;
const PAYMENTS = `
select id, merchant_id as "merchantId", merchant_order_id as reference, version, callback_url as "callbackUrl",
  invoice_id as "invoiceId"
from payment order by id`;
const INVOICES = `
select id, merchant_invoice_id as reference, version, callback_url as "callbackUrl",
  tolerance_basis_points as "toleranceBasisPoints"
from invoice order by id`;
const PAYOUTS = `
select o.id, o.status, o.failure,
  (select count(*) from transfer t where t.payout_id = o.id and t.status = 'CONFIRMED')::int as transfers
from payout o order by o.id`;

interface Known {
  readonly client: Client;
  readonly notes: Notes;
  readonly outages: readonly Outage[];
  readonly retryDelaysSeconds: readonly number[];
}

/** Gathers the evidence, once everything is at rest. */
export async function gatherEvidence(system: JudgedSystem, { client, ...known }: Known): Promise<Evidence> {
  const { database, receiver } = system;
  const told = new Map<string, Told>();
  for (const { merchantId, token } of known.notes.shops) {
    const events = await eventsAfter(client, token, 0);
    const payments = await allPages(client, '/payments', token);
    const invoices = await allPages(client, '/invoices', token);
    told.set(merchantId, {
      events,
      payments: new Map(payments.map((one) => [one.orderId as string, one])),
      invoices: new Map(invoices.map((one) => [one.invoiceId as string, one])),
    });
  }
  return {
    ...known,
    told,
    received: await readReceived(await system.chainUrl(), known.notes.payouts),
    ledgerFault: await findLedgerFault(system),
    book: await receiver.readReceiverLog(),
    events: await database.rows<EventRow>(EVENTS),
    deliveries: await database.rows<DeliveryRow>(DELIVERIES),
    attempts: await database.rows<AttemptRow>(ATTEMPTS),
    payments: await database.rows<PaymentRow>(PAYMENTS),
    invoices: await database.rows<InvoiceRow>(INVOICES),
    payouts: await database.rows<PayoutRow>(PAYOUTS),
  };
}
