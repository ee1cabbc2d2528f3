// In which form an endpoint's webhooks are written: ours, or that of BTCPay Server's Greenfield API (decision 0089).

import { Migration } from '@mikro-orm/migrations';

export class WebhookFormsMigration extends Migration {
  override up(): void {
    this.addSql(`alter table webhook_endpoint add column form text not null default 'TURNPIKE'
      check (form in ('TURNPIKE', 'GREENFIELD'))`);
  }
}
