// Mails to customers: which a merchant sends, where answers go, which order a mail is about, and who wants no more.

import { Migration } from '@mikro-orm/migrations';

/** Nobody is mailed until their merchant says so. */
const SETTINGS = `alter table merchant
  add column customer_mails text[] not null default '{}'
    check (customer_mails <@ array['RECEIPT', 'UNDERPAID', 'REFUND']),
  add column support_email text`;

/** digest: of the merchant and the address in lower case, under a key of ours; never the address. */
const UNSUBSCRIPTION = `create table unsubscription (
  merchant_id text collate "C" not null references merchant (id),
  digest bytea not null,
  created_at timestamptz not null,
  primary key (merchant_id, digest)
)`;

export class CustomerMailsMigration extends Migration {
  override up(): void {
    this.addSql(SETTINGS);
    this.addSql(UNSUBSCRIPTION);
    // The payment or invoice that a mail to a customer is about; null for all other mails.
    this.addSql('alter table mail add column order_id text collate "C"');
    this.addSql('create index mail_order on mail (order_id) where order_id is not null');
    this.addSql(`create index mail_customer on mail (merchant_id, id)
      where order_id is not null and status <> 'SKIPPED'`);
  }
}
