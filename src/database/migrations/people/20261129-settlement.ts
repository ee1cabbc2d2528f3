// Rules by which a merchant's balance is paid out by itself.

import { Migration } from '@mikro-orm/migrations';

/**
 * threshold, keep: base units. runs: payouts of the rule so far. last_period: the one that was looked at last, paid or
 * not. last_payout_id: the last payout, whose state says whether one is under way. A removed rule stays, since it names
 * whom its payouts are of.
 */
const SETTLEMENT_RULE = `create table settlement_rule (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  currency text not null,
  network text not null,
  address_id text collate "C" not null references payout_address (id),
  threshold numeric(78, 0) not null check (threshold >= 0),
  keep numeric(78, 0) not null check (keep >= 0),
  schedule text not null check (schedule in ('ON_THRESHOLD', 'DAILY', 'WEEKLY', 'MONTHLY')),
  hour int check (hour between 0 and 23),
  day int check (day between 1 and 28),
  enabled boolean not null,
  runs int not null default 0,
  last_period text,
  last_payout_id text collate "C",
  skipped_at timestamptz,
  skip_reason text,
  updated_by text collate "C" not null references person (id),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  removed_at timestamptz,
  check ((schedule = 'ON_THRESHOLD') = (hour is null)),
  check ((schedule in ('WEEKLY', 'MONTHLY')) = (day is not null))
)`;

export class SettlementMigration extends Migration {
  override up(): void {
    this.addSql(SETTLEMENT_RULE);
    this.addSql(`create unique index settlement_rule_asset on settlement_rule (merchant_id, currency, network)
      where removed_at is null`);
    this.addSql(`create index settlement_rule_due on settlement_rule (coalesce(hour, -1), id)
      where enabled and removed_at is null`);
  }
}
