// Which schema a database has, and since when: by it programs and databases that do not fit are told apart.

import { Migration } from '@mikro-orm/migrations';

/** Each later migration adds its row in its own transaction. The first one had no such table yet. */
export class SchemaVersionMigration extends Migration {
  override up(): void {
    this.addSql(`create table schema_version (
      version integer primary key,
      name text not null collate "C",
      oldest_beside integer not null,
      applied_at timestamptz not null default now(),
      applied_by text not null collate "C",
      constraint schema_version_oldest check (oldest_beside between 1 and version)
    )`);
    this.addSql(`insert into schema_version (version, name, oldest_beside, applied_at, applied_by)
      select 1, name, 1, executed_at, '0.2.0' from migration order by id limit 1`);
  }
}
