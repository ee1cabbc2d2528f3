// The index by which receipts are listed: the first credit of each deposit, by merchant. It covers those of before.

import { Migration } from '@mikro-orm/migrations';

/** Made beside those who write, which no transaction may do. One whose making was cut short is made anew. */
export class ReceiptsIndexMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql('drop index concurrently if exists ledger_first_credit');
    this.addSql(`create index concurrently ledger_first_credit on ledger_transaction (merchant_id, id)
      where reference like 'credit/%/1'`);
  }
}
