// What operators do with money, or want to: some of it waits for another operator.

import { Migration } from '@mikro-orm/migrations';

/**
 * amount: in base units; negative for a loss that is written off. target: the payout or payment that it is about, or
 * the payout that it made. One that waits has expired after expires_at, whatever its status says.
 */
const ACTION = `create table operator_action (
  id text collate "C" primary key,
  kind text not null check (kind in ('FAIL_PAYOUT', 'CREDIT_SUSPENSE', 'WRITE_OFF_SUSPENSE', 'WITHDRAW_FEES')),
  status text not null check (status in ('PENDING', 'DONE', 'REJECTED')),
  network text not null,
  currency text not null,
  amount numeric(78, 0) not null,
  target text collate "C",
  reason text not null,
  requested_by text not null,
  decided_by text,
  decided_at timestamptz,
  decision_reason text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((status = 'PENDING') = (decided_at is null))
)`;

export class OperatorActionsMigration extends Migration {
  override up(): void {
    this.addSql(ACTION);
  }
}
