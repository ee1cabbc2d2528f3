// The inserts of one created payment, for candidates without a gateway: the same columns of the same tables as the
// gateway writes. Columns that differ between payments get new values; the others are copied from a row that the
// gateway wrote.

/** A row as the gateway wrote it, each value as text. */
export type SampleRow = Readonly<Record<string, string | null>>;
export type SampleRows = Readonly<Record<TableName, SampleRow>>;
export type TableName = 'payment' | 'event' | 'idempotency' | 'api_log';

/** The values that are new in every payment. */
export interface Fresh {
  readonly paymentId: string;
  readonly eventId: string;
  readonly onceKey: string;
  readonly requestId: string;
  readonly address: string;
  readonly addressKey: string;
  readonly row: number;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** The columns that the gateway sets; the others take their defaults, here as in the gateway. */
export const COLUMNS: Readonly<Record<TableName, readonly string[]>> = {
  payment: [
    ...['id', 'merchant_id', 'currency', 'network', 'amount', 'address', 'address_key', 'derivation_account'],
    ...['derivation_index', 'status', 'version', 'test', 'merchant_order_id', 'product_name', 'customer_email'],
    ...['callback_url', 'return_url', 'metadata', 'tolerance_basis_points', 'late_payment_policy'],
    ...['required_confirmations', 'expires_at', 'created_at', 'updated_at'],
  ],
  event: ['id', 'merchant_id', 'payment_id', 'version', 'type', 'payload', 'created_at'],
  idempotency: ['scope', 'operation', 'key', 'input_digest', 'result', 'created_at'],
  api_log: [
    ...['merchant_id', 'request_id', 'at', 'key_id', 'method', 'path', 'operation', 'status', 'error_code'],
    ...['duration_ms', 'ip'],
  ],
};

/** The columns that get a fresh value, and which one. */
export const FRESH: Readonly<Record<TableName, Readonly<Record<string, keyof Fresh>>>> = {
  payment: {
    id: 'paymentId',
    address: 'address',
    address_key: 'addressKey',
    derivation_index: 'row',
    expires_at: 'expiresAt',
    created_at: 'now',
    updated_at: 'now',
  },
  event: { id: 'eventId', payment_id: 'paymentId', created_at: 'now' },
  idempotency: { key: 'onceKey', created_at: 'now' },
  api_log: { request_id: 'requestId', at: 'now' },
};

export const TABLES = Object.keys(COLUMNS) as TableName[];

/** The statements with `$n` parameters, and functions that return their values. */
export const INSERTS = TABLES.map((table) => {
  const columns = COLUMNS[table];
  const text = insertText(
    table,
    columns,
    columns.map((_, index) => `$${index + 1}`),
  );
  const values = (sample: SampleRows, fresh: Fresh) =>
    columns.map((column) => {
      const own = FRESH[table][column];
      return own === undefined ? (sample[table][column] ?? null) : fresh[own];
    });
  return { name: `insert-${table}`, text, values };
});

/** An insert statement with one expression per column. */
export function insertText(table: string, columns: readonly string[], expressions: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')}) values (${expressions.join(', ')})`;
}
