// The two transactions of pgbench that write what creating an invoice and choosing its coin write: the same columns of
// the same rows, and the invoice's new state.

import type { SampleRow } from '../inserts.ts';
import { insertsOf, type PgbenchScript, type RowInsert } from '../../shared/pgbench.ts';
import { TABLE_OF, type InvoiceSample } from './sample.ts';

// New in each transaction, as long as the gateway's: identifiers ascend, addresses and keys are scattered.
const idOf = (prefix: string, nth = '') =>
  `'${prefix}_' || lpad(:row::text, ${String(32 - nth.length)}, '0') || '${nth}'`;
const INVOICE = idOf('inv');
const PAYMENT = idOf('ord');
const REFERENCE = `'BK-' || lpad(:row::text, 13, '0')`;
const ADDRESS = `'0x' || md5(:row::text) || '01234567'`;
const KEY = 'md5(:row::text)::uuid::text';
const IN_QUARTER = `now() + interval '15 min'`;
const IN_HOUR = `now() + interval '60 min'`;
const DATED = { created_at: 'now()', updated_at: 'now()' };

const FRESH: Readonly<Record<keyof InvoiceSample, Readonly<Record<string, string>>>> = {
  invoice: { ...DATED, id: INVOICE, merchant_invoice_id: REFERENCE, expires_at: IN_HOUR, deadline: IN_HOUR },
  created: { id: idOf('evt', '1'), invoice_id: INVOICE, created_at: 'now()' },
  idempotency: { key: KEY, created_at: 'now()' },
  createCall: { request_id: KEY, at: 'now()' },
  payment: {
    ...{ ...DATED, id: PAYMENT, invoice_id: INVOICE, merchant_order_id: REFERENCE, expires_at: IN_HOUR },
    ...{ address: ADDRESS, address_key: ADDRESS, derivation_index: ':row' },
  },
  quote: { payment_id: PAYMENT, invoice_id: INVOICE, quoted_at: 'now()', ends_at: IN_QUARTER },
  paymentCreated: { id: idOf('evt', '2'), payment_id: PAYMENT, created_at: 'now()' },
  updated: { id: idOf('evt', '3'), invoice_id: INVOICE, created_at: 'now()' },
  chooseCall: { request_id: KEY, at: 'now()' },
};

const CREATING = ['invoice', 'created', 'idempotency', 'createCall'] as const;
const CHOOSING = ['payment', 'quote', 'paymentCreated', 'updated', 'chooseCall'] as const;

/** The script; the inserts of each call are a transaction. */
export function writeInvoiceScript(sample: InvoiceSample): Pick<PgbenchScript, 'statements' | 'variables'> {
  const toInsert = (name: keyof InvoiceSample): RowInsert => ({
    name,
    table: TABLE_OF[name],
    row: row(name),
    fresh: FRESH[name],
  });
  const row = (name: keyof InvoiceSample): SampleRow => sample[name];
  const [creating, choosing] = [insertsOf(CREATING.map(toInsert)), insertsOf(CHOOSING.map(toInsert))];
  const change = `update invoice set version = 2, updated_at = now(), deadline = ${IN_HOUR} where id = ${INVOICE}`;
  return {
    statements: [...creating.statements, 'commit', 'begin', ...choosing.statements, change],
    variables: { ...creating.variables, ...choosing.variables },
  };
}
