// Inserts a batch of quotes with their payments, events and the changes of their invoices by one statement. A quote is
// refused if its invoice has changed since it was judged, or is locked, or if its address was issued under another copy
// of the database, or before the database server last restarted.

import type { EntityManager } from '../../connection.ts';
import type { Pool } from 'pg';
import { Payment } from '../../../entities/payment.ts';
import { Quote } from '../../../entities/quote.ts';
import { rowWriter } from '../../rows.ts';
import { holdsUnder, type GivenUnder } from '../chain/address-ranges.ts';
import { EVENT_COLUMNS, eventsOf, toEventRecord, type EventRecord } from '../events/event-records.ts';

/** A quote to insert, for the invoice as it was judged. */
export interface NewQuoteRow {
  readonly invoiceId: string;
  /** The version and end of the invoice as it was judged. */
  readonly judged: number;
  readonly expiresAt: Date;
  /** Its version after this. */
  readonly version: number;
  readonly deadline: Date;
  readonly updatedAt: Date;
  readonly payment: Payment;
  readonly quote: Quote;
  readonly events: readonly EventRecord[];
  /** The copy and server run under which the payment's address was given out. */
  readonly given: GivenUnder;
}

/**
 * STALE: not stored, since its address may be another's by now. CHANGED: not stored, since its invoice is not as it was
 * judged, or is locked.
 */
export type QuoteInsertion = 'ACCEPTED' | 'STALE' | 'CHANGED';

// Every change that counts for a choice raises the version of its invoice, but for the end of its time in the sandbox,
// which moves that. The lock finds both as they are then, and passes over what another transaction holds, so that a
// batch waits for no other.
const statementOf = (ofPayment: readonly string[], ofQuote: readonly string[]) => `
with given as materialized (
  select ${holdsUnder('$2', '$3')} as holds
), command as materialized (
  select c.* from json_to_recordset($1::json) as c(
    invoice_id text, judged int, expires_at timestamptz, version int, deadline timestamptz, updated_at timestamptz, payment json, quote json,
    events json)
  where (select holds from given)
), locked as materialized (
  select c.* from command c cross join lateral (
    select id from invoice where id = c.invoice_id and version = c.judged and expires_at = c.expires_at
    offset 0 for update skip locked) i
), paid as (
  insert into payment (${ofPayment.join(', ')})
  select ${ofPayment.map((column) => `made.${column}`).join(', ')}
  from locked cross join lateral json_populate_record(null::payment, locked.payment) made
), quoted as (
  insert into quote (${ofQuote.join(', ')})
  select ${ofQuote.map((column) => `made.${column}`).join(', ')}
  from locked cross join lateral json_populate_record(null::quote, locked.quote) made
), recorded as (
  insert into event (${EVENT_COLUMNS}) select ${EVENT_COLUMNS} from (${eventsOf('locked', 'events')}) e
), changed as (
  update invoice set version = l.version, deadline = l.deadline, updated_at = l.updated_at
  from locked l where invoice.id = l.invoice_id and invoice.id = any ($4)
)
select given.holds, locked.invoice_id as id from given left join locked on true`;

/** Inserts the batch, of one choice for each invoice; returns the result of each, in order. */
export async function insertQuotes(
  db: { readonly em: EntityManager; readonly pool: Pool },
  batch: readonly NewQuoteRow[],
): Promise<QuoteInsertion[]> {
  const outcomes = new Map<string, QuoteInsertion>();
  // Almost always one group: all addresses of a process are given out under the same copy and run.
  const groups = Map.groupBy(batch, ({ given }) => `${given.epoch} ${given.serverRun}`);
  for (const group of groups.values())
    for (const [id, insertion] of await insertGroup(db, group)) outcomes.set(id, insertion);
  return batch.map(({ payment }) => outcomes.get(payment.id) ?? 'CHANGED');
}

async function insertGroup(
  { em, pool }: { readonly em: EntityManager; readonly pool: Pool },
  group: readonly NewQuoteRow[],
): Promise<[string, QuoteInsertion][]> {
  const { epoch, serverRun } = group[0]?.given ?? { epoch: '', serverRun: '' };
  const [payments, quotes] = [rowWriter(em, Payment), rowWriter(em, Quote)];
  const commands = group.map(({ invoiceId, payment, quote, events, ...row }) => ({
    ...{ invoice_id: invoiceId, judged: row.judged, expires_at: row.expiresAt },
    ...{ version: row.version, deadline: row.deadline, updated_at: row.updatedAt },
    ...{ payment: payments.toRecord(payment), quote: quotes.toRecord(quote), events: events.map(toEventRecord) },
  }));
  const { rows } = await pool.query<{ holds: boolean; id: string | null }>({
    name: 'insert-quotes',
    text: statementOf(payments.columns, quotes.columns),
    values: [JSON.stringify(commands), epoch, serverRun, group.map(({ invoiceId }) => invoiceId)],
  });
  const stored = new Set(rows.map(({ id }) => id));
  const refused: QuoteInsertion = rows[0]?.holds === true ? 'CHANGED' : 'STALE';
  return group.map(({ invoiceId, payment }) => [payment.id, stored.has(invoiceId) ? 'ACCEPTED' : refused]);
}
