// How long merchants keep what names their customers, and how the orders are found that still do.

import { Migration } from '@mikro-orm/migrations';

/** Orders that name somebody, oldest first; those of an invoice go with it. */
const INDEXES: readonly (readonly [name: string, on: string])[] = [
  [
    'payment_personal',
    `payment (merchant_id, id) where invoice_id is null
      and (customer_email is not null or metadata is not null or return_url is not null)`,
  ],
  [
    'invoice_personal',
    `invoice (merchant_id, id)
      where customer_email is not null or customer is not null or metadata is not null or return_url is not null`,
  ],
];

/** Made beside those who write, which no transaction may do. */
export class CustomerDataDaysMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // Null: for good.
    this.addSql(`alter table merchant add column if not exists customer_data_days int
      check (customer_data_days between 30 and 3650)`);
    for (const [name, on] of INDEXES) {
      this.addSql(`drop index concurrently if exists ${name}`);
      this.addSql(`create index concurrently ${name} on ${on}`);
    }
  }
}
