// What live updates of deliveries need besides the transaction that changed a row: the one that made it. A delivery that
// is made and switched off between two looks must be shown twice, and by `changed_in` alone its making is not to be seen.

import { Migration } from '@mikro-orm/migrations';

// `changed_in` is looked for only where it is not that same transaction, so the two indexes together hold each delivery
// once, and those that were switched off twice.
const MADE = `
alter table webhook_delivery add column made_in xid8;
update webhook_delivery set made_in = changed_in;
alter table webhook_delivery alter column made_in set not null, alter column made_in set default pg_current_xact_id();
create index webhook_delivery_made on webhook_delivery (made_in);
drop index webhook_delivery_changed;
create index webhook_delivery_changed on webhook_delivery (changed_in) where changed_in <> made_in;
`;

export class LiveMigration extends Migration {
  override up(): void {
    this.addSql(MADE);
  }
}
