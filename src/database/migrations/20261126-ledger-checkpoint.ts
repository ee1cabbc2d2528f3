// Up to where the book was checked, and its balances there: what the check of the ledger goes on from.

import { Migration } from '@mikro-orm/migrations';

export class LedgerCheckpointMigration extends Migration {
  override up(): void {
    // Postings up to posting_id are sealed: all of them are committed, and the rules held for them. horizon: what was
    // recorded before it was checked with them. next_*: the place of the next seal, which waits until every
    // transaction that was under way then has ended. whole_at: when the whole book was checked last.
    this.addSql(`create table ledger_checkpoint (
      id smallint primary key default 1 check (id = 1),
      posting_id bigint not null default 0,
      horizon timestamptz not null default 'epoch',
      next_posting_id bigint,
      next_xmax bigint,
      next_horizon timestamptz,
      checked_at timestamptz,
      whole_at timestamptz,
      faults jsonb not null default '[]'
    )`);
    this.addSql('insert into ledger_checkpoint default values');
    this.addSql(`create table sealed_balance (
      account_id bigint primary key references ledger_account (id),
      total numeric(78, 0) not null
    )`);
  }
}
