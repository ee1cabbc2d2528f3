// Statements whose plans still turn: believing that most rows match, or knowing nothing, PostgreSQL reads a table once
// instead of following an index. That takes as long as the history, but not again for each row, and it ends with the
// next analysis of the table.

const WHOLE_TABLE_WAITS = 'finds all that waits, which statistics may take for the whole table';
const WHOLE_PAGE = 'without statistics, all of a merchant is taken for one page';
const DROPS =
  'drops a table, and reads all that the catalogue says of it; its own statements are measured by themselves';

/** By a part of the statement that no other has. */
const READ_ONCE: Readonly<Record<string, string>> = {
  'update address_pool p set taken = true from (select a.index': WHOLE_TABLE_WAITS,
  'update address_pool p set taken = true from known k': WHOLE_TABLE_WAITS,
  'select id from webhook_delivery where lane = $1 and due_at is not null': WHOLE_TABLE_WAITS,
  'select network, status, count(*)::int as count': WHOLE_TABLE_WAITS,
  'select network, count(*)::int as due, min(created_at) as oldest from payout': WHOLE_TABLE_WAITS,
  'select network, currency, sum(amount)::text as units from payout': WHOLE_TABLE_WAITS,
  'select network, count(*)::int as stuck from payout': WHOLE_TABLE_WAITS,
  'held_since as "heldSince", tx_hash as "txHash", created_at as "createdAt" from payout': WHOLE_TABLE_WAITS,
  'select held_reason as reason': WHOLE_TABLE_WAITS,
  "as frozen from payout p where p.status in ('REQUESTED', 'BROADCAST')": WHOLE_TABLE_WAITS,
  '(select compared_under from signing_comparison where network = $1) as "comparedUnder"': WHOLE_TABLE_WAITS,
  'order by network, id offset 0 ) open order by sender_key': WHOLE_TABLE_WAITS,
  'select outpoint, amount, key, index, settled, size, fee from (': WHOLE_TABLE_WAITS,
  'select id, payment_id as "paymentId" from deposit where id = any ($1)': WHOLE_TABLE_WAITS,
  'select id, payment_id as "paymentId" from payout where id = any ($1)': WHOLE_TABLE_WAITS,
  'select distinct payment_id as id from event where id >= $1': WHOLE_TABLE_WAITS,
  'touched as ( select network, sender_key as key from moved': WHOLE_TABLE_WAITS,
  "with needed as ( select coalesce(merchant_id, 'gateway') as owner": WHOLE_TABLE_WAITS,
  'with changed as (select key from (': WHOLE_TABLE_WAITS,
  'with first as materialized ( select id from event where position <=': WHOLE_TABLE_WAITS,
  '(merchant_id, merchant_order_id, id) >= ($1, $5, $2)': WHOLE_PAGE,
  'unnest($4::text[]) as s(status)': WHOLE_PAGE,
  'unnest($5::text[], $6::text[]) as k(status, currency)': WHOLE_PAGE,
  '(merchant_id, link_id, id) >= ($1, $5, $2)': WHOLE_PAGE,
  'select drop_partition($1, $2)': DROPS,
};

/** Whether a statement may read its tables once. */
export const mayReadOnce = (text: string): boolean => Object.keys(READ_ONCE).some((part) => text.includes(part));
