// What recording an attempt need not pay for.

import { Migration } from '@mikro-orm/migrations';

// An attempt is inserted by the statement that has just locked and updated its delivery, so that the check of the foreign
// key, a query for each row, can find nothing else. It was a sixth of what recording costs.
const ATTEMPTS = 'alter table webhook_attempt drop constraint webhook_attempt_delivery_id_fkey;';

export class SendingMigration extends Migration {
  override up(): void {
    this.addSql(ATTEMPTS);
  }
}
