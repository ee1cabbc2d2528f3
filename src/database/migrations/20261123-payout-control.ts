// What keeps a payout from being signed: its own reason to wait, an operator's freeze, an asset out of service, and a
// network whose signing stopped because the book may be older than what was signed.

import { Migration } from '@mikro-orm/migrations';

const PAYOUT = `
alter table payout add column held_reason text, add column held_since timestamptz, add column look_at timestamptz;
`;

// A freeze without a scope holds everything. One that was lifted stays as a record.
const FREEZE = `
create table payout_freeze (
  id text collate "C" primary key,
  payout_id text collate "C" references payout (id),
  merchant_id text collate "C" references merchant (id),
  network text,
  currency text,
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  lifted_by text,
  lifted_at timestamptz
);
create index payout_freeze_standing on payout_freeze (created_at) where lifted_at is null;
`;

// TRANSFER_FEE: the token takes a fee on transfers, so its payouts wait too. OPERATOR: only new orders are refused.
const ASSET_OFF = `
create table asset_off (
  network text not null,
  currency text not null,
  cause text not null check (cause in ('OPERATOR', 'TRANSFER_FEE')),
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (network, currency)
);
`;

// One row while a network's signing stands still. \`findings\` is what an operator is shown.
const SIGNING_HALT = `
create table signing_halt (
  network text primary key,
  findings jsonb not null,
  halted_at timestamptz not null
);
`;

const OPERATOR_LOG = `
create table operator_log (
  id text collate "C" primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  target text,
  details jsonb not null
);
create index operator_log_at on operator_log (at);
create trigger operator_log_append_only before update or delete on operator_log
  for each row execute function refuse_change();
create trigger operator_log_no_truncate before truncate on operator_log
  for each statement execute function refuse_change();
`;

export class PayoutControlMigration extends Migration {
  override up(): void {
    this.addSql(PAYOUT);
    this.addSql(FREEZE);
    this.addSql(ASSET_OFF);
    this.addSql(SIGNING_HALT);
    this.addSql(OPERATOR_LOG);
  }
}
