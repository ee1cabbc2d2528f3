// The policy of a merchant's payouts, and what is asked of their use in a day.

import { Migration } from '@mikro-orm/migrations';

/** rules, pending: amounts in base units as texts. What holds is a function of the row and the clock. */
const PAYOUT_POLICY = `create table payout_policy (
  merchant_id text collate "C" primary key references merchant (id),
  version int not null,
  rules json not null,
  pending json,
  pending_from timestamptz,
  updated_by text collate "C" not null references person (id),
  updated_at timestamptz not null,
  check ((pending is null) = (pending_from is null))
)`;

export class PayoutPolicyMigration extends Migration {
  override up(): void {
    this.addSql(PAYOUT_POLICY);
    // Whether somebody who signs in has a second factor; whatever sets one up or removes it keeps this.
    this.addSql('alter table person add column has_second_factor boolean not null default false');
    this.addSql(`create index payout_use on payout (merchant_id, currency, network, coalesce(approved_at, created_at))
      where status in ('REQUESTED', 'BROADCAST', 'COMPLETED')`);
    this.addSql(`create index payout_waiting on payout (merchant_id, id) where status = 'AWAITING_APPROVAL'`);
  }
}
