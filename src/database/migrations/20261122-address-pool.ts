// Addresses that are made ahead by the signer, for accounts whose addresses cannot be derived from a public key.

import { Migration } from '@mikro-orm/migrations';

// `taken` for good: an address is issued once, and one that a process took and did not issue is left out.
const POOL = `
create table address_pool (
  account text collate "C" not null,
  index bigint not null,
  address text not null,
  address_key text collate "C" not null,
  taken boolean not null default false,
  primary key (account, index)
);
create unique index address_pool_key on address_pool (account, address_key);
create index address_pool_free on address_pool (account, index) where not taken;
`;

export class AddressPoolMigration extends Migration {
  override up(): void {
    this.addSql(POOL);
  }
}
