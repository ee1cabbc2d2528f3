// What the chain was last seen to hold at our addresses, so that custody is compared without reading all of them.

import { Migration } from '@mikro-orm/migrations';

/**
 * The book and the chain are compared by sums. A balance changes by what the book knows of, after which it is read
 * again, or unseen, which the next pass over all addresses finds.
 */
export class CustodyReadingsMigration extends Migration {
  override up(): void {
    // Balances that are not zero, as they were last read.
    this.addSql(`create table custody_reading (
      network text not null,
      address_key text collate "C" not null,
      currency text not null,
      units numeric(78, 0) not null check (units > 0),
      primary key (network, address_key, currency)
    )`);
    // Their sums, kept in the transactions that change them.
    this.addSql(`create table custody_total (
      network text not null,
      currency text not null,
      units numeric(78, 0) not null,
      primary key (network, currency)
    )`);
    // Which addresses were read lately, after which block and in which comparison; without a hash, to be read again.
    this.addSql(`create table custody_read (
      network text not null,
      address_key text collate "C" not null,
      height bigint not null,
      hash text collate "C",
      round bigint not null,
      primary key (network, address_key)
    )`);
    // after_key, open_at, open_id: the last address of the pass over all, and the last open order looked at. addresses:
    // how many the last pass had; counted: how many this one had so far. height: the block of the last comparison.
    this.addSql(`create table custody_progress (
      network text primary key,
      height bigint not null,
      round bigint not null default 1,
      sliced boolean not null default false,
      after_key text collate "C" not null default '',
      open_at timestamptz,
      open_id text collate "C" not null default '',
      passes bigint not null default 0,
      addresses bigint not null default 0,
      counted bigint not null default 0,
      claimed_by text collate "C",
      claimed_until timestamptz
    )`);
  }
}
