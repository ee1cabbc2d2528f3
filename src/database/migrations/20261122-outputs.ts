// What our own transactions spend and leave over where money lies in outputs of transactions.

import { Migration } from '@mikro-orm/migrations';

// An output belongs to one number of the hot wallet's sequence, whatever transactions have that number: so no two
// payouts can spend the same, and all replacements of one are rivals. One whose transactions all expired is free again.
const SPENT = `
create table spent_output (
  network text not null,
  outpoint text collate "C" not null,
  sender_key text collate "C" not null,
  nonce bigint not null,
  amount numeric(78, 0) not null check (amount > 0),
  address_key text collate "C" not null,
  path text not null,
  primary key (network, outpoint)
);
create index spent_output_spender on spent_output (network, sender_key, nonce);
`;

// What a transaction pays back to the hot wallet.
const CHANGE = `
create table change_output (
  transfer_id text collate "C" primary key references transfer (id),
  ordinal int not null,
  amount numeric(78, 0) not null check (amount > 0)
);
`;

export class OutputsMigration extends Migration {
  override up(): void {
    this.addSql(SPENT);
    this.addSql(CHANGE);
  }
}
