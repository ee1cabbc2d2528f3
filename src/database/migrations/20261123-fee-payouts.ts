// Payouts of the gateway's own fees: they belong to no merchant.

import { Migration } from '@mikro-orm/migrations';

const FEES = `
alter table payout
  alter column merchant_id drop not null,
  drop constraint payout_kind_check,
  add constraint payout_kind_check check (kind in ('WITHDRAWAL', 'REFUND', 'FEES')),
  add constraint payout_fees_check check ((kind = 'FEES') = (merchant_id is null));
`;

export class FeePayoutsMigration extends Migration {
  override up(): void {
    this.addSql(FEES);
  }
}
