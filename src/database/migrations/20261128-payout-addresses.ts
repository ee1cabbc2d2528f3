// The book of addresses that a merchant's payouts may go to, and which of them a payout goes to.

import { Migration } from '@mikro-orm/migrations';

/** usable_at: since when payouts may go there. Removed ones stay as a record. */
const PAYOUT_ADDRESS = `create table payout_address (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  network text not null,
  address text not null,
  address_key text collate "C" not null,
  label text not null,
  created_by text collate "C" not null references person (id),
  created_at timestamptz not null,
  usable_at timestamptz not null,
  removed_at timestamptz,
  removed_by text collate "C" references person (id)
)`;

export class PayoutAddressesMigration extends Migration {
  override up(): void {
    this.addSql(PAYOUT_ADDRESS);
    this.addSql(`create unique index payout_address_book on payout_address (merchant_id, network, address_key)
      where removed_at is null`);
    // No reference: a payout is restored from the signer's journal into a book that may lack the address.
    this.addSql('alter table payout add column address_id text collate "C"');
  }
}
