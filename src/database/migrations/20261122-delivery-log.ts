// What live updates of deliveries read: one row for all that a statement made, tried or switched off.

import { Migration } from '@mikro-orm/migrations';

// In place of three indexes, of which each delivery wrote an entry to one when it was made and to two when an attempt was
// recorded: half of what making deliveries cost, and a fifth of recording them.
const CHANGES = `
create table webhook_change (
  recorded_in xid8 not null default pg_current_xact_id(),
  recorded_at timestamptz not null default now(),
  delivery_ids text[] collate "C" not null
);
create index webhook_change_recorded on webhook_change (recorded_in);
create index webhook_change_age on webhook_change (recorded_at);
drop index webhook_delivery_made;
drop index webhook_delivery_changed;
drop index webhook_attempt_recorded;
`;

export class DeliveryLogMigration extends Migration {
  override up(): void {
    this.addSql(CHANGES);
  }
}
