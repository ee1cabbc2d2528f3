// Receipts: what a deposit was worth in the currency of a merchant's books when it was first credited
// (contract-invoices, section 10), and what that depends on.

import { Migration } from '@mikro-orm/migrations';

/**
 * One for each deposit that has a currency to be valued in; figures are in its minor units, null for good where there
 * was no rate. That it was credited, and when, the ledger says: so deposits of before need no row. A foreign key would
 * cost a look for each deposit that is credited.
 */
const RECEIPT = `create table receipt (
  deposit_id text collate "C" primary key,
  fiat_currency text not null,
  rate numeric(36, 12) check (rate > 0),
  rate_at timestamptz,
  fiat_amount numeric(78, 0),
  fiat_fee numeric(78, 0),
  check (num_nulls(rate, rate_at, fiat_amount, fiat_fee) in (0, 4))
)`;

export class ReceiptsMigration extends Migration {
  override up(): void {
    this.addSql(RECEIPT);
    this.addSql('alter table merchant add column accounting_currency text');
    // Prices that a merchant moves in the sandbox keep their past, as a deposit is valued at the time of its block.
    // is_default: from then on the sandbox's own price counts again.
    this.addSql(`alter table sandbox_rate add column moved_at timestamptz not null default '-infinity',
      add column is_default boolean not null default false, drop constraint sandbox_rate_pkey,
      add primary key (merchant_id, code, moved_at)`);
  }
}
