// Inserts a batch of new invoices with their events and idempotency keys by one statement. It is safe to retry: what an
// earlier attempt stored is left as it is.

import type { EntityManager } from '../../connection.ts';
import type { Pool } from 'pg';
import { Invoice } from '../../../entities/invoice.ts';
import { rowWriter } from '../../rows.ts';
import { EVENT_COLUMNS, eventsOf, toEventRecord, type EventRecord } from '../events/event-records.ts';

/** An invoice to insert with its event, and the key and answer to keep. */
export interface NewInvoiceRow {
  readonly invoice: Invoice;
  readonly event: EventRecord;
  readonly once: {
    readonly scope: string;
    readonly operation: string;
    readonly key: string;
    /** Names the key for its lock. */
    readonly lock: string;
    readonly inputDigest: Buffer;
    /** As JSON. */
    readonly result: string;
  } | null;
}

/**
 * REFUSED: nothing was stored, since its key or its reference was used before, or another process works on the key at
 * this moment.
 */
export type InvoiceInsertion = 'ACCEPTED' | 'REFUSED';

// Each question is a look-up of its own: joins could be planned over the tables. Invoices come before keys, as in
// transactions that insert one of each, so that none of two waits for the other for ever.
const statementOf = (columns: readonly string[]) => `
with command as materialized (
  select c.* from json_to_recordset($1::json) as c(
    id text, merchant_id text, reference text, invoice json, event json, created_at timestamptz, scope text,
    operation text, key text, lock text, digest text, result text)
), taken as materialized (
  select * from command where key is null or pg_try_advisory_xact_lock(hashtextextended(lock, 0))
), judged as materialized (
  select t.*, (select true from invoice i where i.id = t.id) as is_stored,
    coalesce((select true from invoice i where i.merchant_id = t.merchant_id and i.merchant_invoice_id = t.reference),
      (select true from idempotency k where k.scope = t.scope and k.operation = t.operation and k.key = t.key),
      false) as is_used
  from taken t
), fresh as materialized (
  select * from judged where is_stored is null and not is_used
), inserted as (
  insert into invoice (${columns.join(', ')})
  select ${columns.map((column) => `made.${column}`).join(', ')}
  from fresh cross join lateral json_populate_record(null::invoice, fresh.invoice) made
  order by fresh.merchant_id, fresh.reference
  returning invoice.id
), recorded as (
  insert into event (${EVENT_COLUMNS}) select ${EVENT_COLUMNS} from (${eventsOf('fresh', 'event')}) e
), kept as (
  insert into idempotency (scope, operation, key, input_digest, result, created_at)
  select f.scope, f.operation, f.key, decode(f.digest, 'hex'), f.result::json, f.created_at
  from fresh f join inserted on inserted.id = f.id where f.key is not null
  order by f.scope, f.operation, f.key
)
select id from fresh union all select id from judged where is_stored`;

/** Inserts the batch; returns the result of each, in order. Throws if one that is committed meanwhile is in the way. */
export async function insertInvoices(
  { em, pool }: { readonly em: EntityManager; readonly pool: Pool },
  batch: readonly NewInvoiceRow[],
): Promise<InvoiceInsertion[]> {
  const { columns, toRecord } = rowWriter(em, Invoice);
  const references = new Set<string>();
  // A second one under a reference would fail the statement.
  const commands = batch.filter(({ invoice: { merchantId, merchantInvoiceId } }) => {
    if (merchantInvoiceId == null) return true;
    const name = JSON.stringify([merchantId, merchantInvoiceId]);
    const isFirst = !references.has(name);
    references.add(name);
    return isFirst;
  });
  const given = commands.map(({ invoice, event, once }) => ({
    ...{ id: invoice.id, merchant_id: invoice.merchantId, reference: invoice.merchantInvoiceId },
    ...{ invoice: toRecord(invoice), event: [toEventRecord(event)], created_at: invoice.createdAt },
    ...(once && { scope: once.scope, operation: once.operation, key: once.key, lock: once.lock, result: once.result }),
    digest: once?.inputDigest.toString('hex'),
  }));
  const { rows } = await pool.query<{ id: string }>({
    name: 'insert-invoices',
    text: statementOf(columns),
    values: [JSON.stringify(given)],
  });
  const stored = new Set(rows.map(({ id }) => id));
  return batch.map(({ invoice }) => (stored.has(invoice.id) ? 'ACCEPTED' : 'REFUSED'));
}
