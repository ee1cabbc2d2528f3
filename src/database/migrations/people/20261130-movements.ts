// Movements: the rate that a transaction of the ledger is valued at, and the index by which a merchant's postings are
// paged through (contract-people-payouts, section E).

import { Migration } from '@mikro-orm/migrations';

/**
 * One for each transaction that has a currency to be valued in; its rate is null for good where there was none. A
 * foreign key would cost a look for each deposit that is credited.
 */
const VALUE = `create table ledger_value (
  transaction_id text collate "C" primary key,
  fiat_currency text not null,
  fiat_rate numeric(36, 12) check (fiat_rate > 0)
)`;

export class MovementsMigration extends Migration {
  override up(): void {
    this.addSql(VALUE);
    this.addSql(`create trigger ledger_value_append_only before update or delete on ledger_value
      for each row execute function refuse_change()`);
    this.addSql(`create trigger ledger_value_no_truncate before truncate on ledger_value
      for each statement execute function refuse_change()`);
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
