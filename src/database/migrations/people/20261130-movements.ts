// Movements: the rate that a posting is valued at, and the index by which a merchant's postings are paged through
// (contract-people-payouts, section E).

import { Migration } from '@mikro-orm/migrations';

/** Null for those of before, for the gateway's own, and without a currency; the rate also where there was none. */
export class MovementsMigration extends Migration {
  override up(): void {
    this.addSql(`alter table posting add column fiat_currency text,
      add column fiat_rate numeric(36, 12)`);
  }
}

/** Made beside those who write, which no transaction may do. It takes the place of the one without the id. */
export class MovementsIndexMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists ledger_transaction_time');
    this.addSql(`create index concurrently ledger_transaction_time on ledger_transaction (merchant_id, created_at, id)
      where merchant_id is not null`);
    this.addSql('drop index concurrently if exists ledger_transaction_merchant');
  }
}
