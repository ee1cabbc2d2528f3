// The directory of cells: which of them an e-mail address belongs to. It is used in one database of a deployment that
// has cells (CELL_DIRECTORY_URL), and is empty in all others.

import { Migration } from '@mikro-orm/migrations';

/** An address, told by a digest under a key that only the cells have. One that its cell has long not seen is free. */
const DIRECTORY = `create table cell_directory (
  digest bytea primary key check (octet_length(digest) = 32),
  cell smallint not null check (cell between 0 and 999),
  seen_at timestamptz not null default now()
)`;
const UNSEEN = 'create index cell_directory_seen on cell_directory (cell, seen_at)';

/**
 * The cells that there are, with the address of each, and what each reported of itself last. The check tells whether
 * they have the same key.
 */
const SITES = `create table cell_site (
  cell smallint primary key check (cell between 0 and 999),
  url text not null,
  key_check bytea not null check (octet_length(key_check) = 32),
  report jsonb,
  reported_at timestamptz
)`;

export class CellDirectoryMigration extends Migration {
  override up(): void {
    for (const statement of [DIRECTORY, UNSEEN, SITES]) this.addSql(statement);
  }
}
