// The operator's log can be paged through: without what was only looked at, however much that is.

import { Migration } from '@mikro-orm/migrations';

/** Made beside those who write, which no transaction may do. */
export class OperatorLogMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists operator_log_done');
    this.addSql(`create index concurrently operator_log_done on operator_log (id) where action not like '%\\_READ'`);
  }
}
