// Reads what was erased, as keyed digests, and who a merchant's orders name, to erase again on a restored backup.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** An erasure as it can be repeated. */
export interface RecordedErasure {
  readonly id: string;
  readonly merchantId: string;
  readonly digest: Buffer;
  readonly at: Date;
}

/** The erasures after an id, oldest first. */
export async function readErasures(em: EntityManager, after: string, limit: number): Promise<RecordedErasure[]> {
  const rows = await query<Omit<RecordedErasure, 'at'> & { readonly at: string }>(
    em,
    `select id, merchant_id as "merchantId", digest, created_at as at from erasure
     where id > $1 order by id limit $2`,
    [after, limit],
  );
  return rows.map((row) => ({ ...row, at: toDate(row.at) }));
}

/** The next addresses that a merchant's orders name, in lower case and in order; as the index of customers has them. */
export async function readNamedAddresses(
  em: EntityManager,
  merchantId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await query<{ email: string }>(
    em,
    `select distinct substr(key, length($1) + 2) as email from (
       (${keysOf('payment')}) union all (${keysOf('invoice')})) named order by 1 limit $3`,
    [merchantId, after, limit],
  );
  return rows.map(({ email }) => email);
}

/** SQL: the next keys of the index of a merchant's customers; `!` is what follows the space in them. */
function keysOf(table: 'payment' | 'invoice'): string {
  const key = `(merchant_id || ' ' || lower(customer_email)) collate "C"`;
  return `select ${key} as key from ${table} where customer_email is not null
    and ${key} > $1::text || ' ' || $2::text and ${key} < $1::text || '!' order by ${key} limit $3`;
}
