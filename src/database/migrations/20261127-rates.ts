// What a merchant's quotes depend on besides the market: their spread, their fixed rates, and the prices that they set
// in the sandbox.

import { Migration } from '@mikro-orm/migrations';

export class RatesMigration extends Migration {
  override up(): void {
    this.addSql('alter table merchant add column rate_spread int not null default 0, add column fixed_rates json');
    // usd: what one unit of the code costs in US dollars; null where it has no price.
    this.addSql(`create table sandbox_rate (
      merchant_id text collate "C" not null references merchant (id),
      code text collate "C" not null,
      usd numeric(36, 18) check (usd > 0),
      primary key (merchant_id, code)
    )`);
  }
}
