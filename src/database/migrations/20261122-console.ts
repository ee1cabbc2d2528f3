// When the owner last showed their password in a session of the console.

import { Migration } from '@mikro-orm/migrations';

export class ConsoleMigration extends Migration {
  override up(): void {
    this.addSql('alter table owner_session add column confirmed_at timestamptz');
  }
}
