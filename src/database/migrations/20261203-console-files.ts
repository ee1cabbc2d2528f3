// The files of the builds of the console that ran within the last day: a page that was opened before an upgrade asks
// for the parts of its own build.

import { Migration } from '@mikro-orm/migrations';

export class ConsoleFilesMigration extends Migration {
  override up(): void {
    this.addSql(`create table console_file (
      path text primary key,
      body bytea not null,
      seal bytea not null,
      kept_at timestamptz not null
    )`);
    // As it is: the program that reads it compresses it for each answer.
    this.addSql('alter table console_file alter column body set storage external');
    this.addSql('create index console_file_kept_at on console_file (kept_at)');
  }
}
