// Payment links: what their pages ask for, what the invoices made from them begin with, and how often they were used.

import { Migration } from '@mikro-orm/migrations';

/**
 * amount, min_amount, max_amount: in minor units of the currency; a link without an amount is open. uses: how many of
 * its invoices are processing, settled or refunded; it moves with their states.
 */
const PAYMENT_LINK = `create table payment_link (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  name text not null,
  description text,
  amount numeric(78, 0) check (amount > 0),
  currency text not null,
  min_amount numeric(78, 0) check (min_amount > 0),
  max_amount numeric(78, 0) check (max_amount >= coalesce(min_amount, 1)),
  accepted_assets json,
  required_fields json not null,
  optional_fields json not null,
  max_uses int check (max_uses > 0),
  uses int not null default 0 check (uses >= 0),
  ends_at timestamptz,
  enabled boolean not null,
  return_url text,
  callback_url text,
  metadata json,
  expiration_minutes int,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (amount is null or (min_amount is null and max_amount is null))
)`;

export class PaymentLinksMigration extends Migration {
  override up(): void {
    this.addSql(PAYMENT_LINK);
    this.addSql('create index payment_link_merchant on payment_link (merchant_id, id)');
  }
}
