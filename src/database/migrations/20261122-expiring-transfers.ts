// Transactions that expire, and ones whose fee another address of ours pays.

import { Migration } from '@mikro-orm/migrations';

// `valid_until` is what the chain's adapter counts in, a height or milliseconds. EXPIRED: in no block and never will be.
const EXPIRING = `
alter table transfer
  add column payer_key text collate "C",
  add column valid_until bigint,
  drop constraint transfer_status_check,
  add constraint transfer_status_check
    check (status in ('SIGNED', 'BROADCAST', 'CONFIRMED', 'REPLACED', 'FAILED', 'EXPIRED'));
`;

export class ExpiringTransfersMigration extends Migration {
  override up(): void {
    this.addSql(EXPIRING);
  }
}
