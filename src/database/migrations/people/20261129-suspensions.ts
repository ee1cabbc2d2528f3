// Merchants whom the operator has suspended.

import { Migration } from '@mikro-orm/migrations';

export class SuspensionsMigration extends Migration {
  override up(): void {
    // suspend_freeze: what holds their payouts for as long, and is lifted with it.
    this.addSql(`alter table merchant
      add column suspended_at timestamptz,
      add column suspend_reason text,
      add column suspend_freeze text collate "C",
      add constraint merchant_suspended_check
        check ((suspended_at is null) = (suspend_reason is null) and (suspended_at is null) = (suspend_freeze is null))
        not valid`);
  }
}
