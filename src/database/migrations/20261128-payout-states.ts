// Payouts that wait for an approval, who asked for and decided them, and events of payouts.

import { Migration } from '@mikro-orm/migrations';

const STATUSES = `'REQUESTED', 'BROADCAST', 'COMPLETED', 'FAILED', 'AWAITING_APPROVAL', 'REJECTED'`;

/** requested_by, decided_by: a key or a person. awaits_until: when it is rejected if nobody approves it. */
const COLUMNS = `alter table payout
  add column version int not null default 0,
  add column requested_by text,
  add column decided_by text,
  add column approved_at timestamptz,
  add column awaits_until timestamptz,
  drop constraint payout_status_check,
  add constraint payout_status_check check (status in (${STATUSES})),
  add constraint payout_awaits_check check (status <> 'AWAITING_APPROVAL' or awaits_until is not null)`;

const INDEXES = [
  `create index payout_awaiting on payout (awaits_until, id) where status = 'AWAITING_APPROVAL'`,
  'create index payout_state on payout (merchant_id, kind, status, id)',
  // As event_to_number_subject, of payouts as well: only statements that write the same expression use it.
  `create index event_to_number_order on event (coalesce(payment_id, invoice_id, payout_id, id), version)
    where coalesce(position, 0) = 0`,
  'drop index event_to_number_subject',
];

export class PayoutStatesMigration extends Migration {
  override up(): void {
    this.addSql(COLUMNS);
    this.addSql('alter table event add column payout_id text collate "C"');
    for (const index of INDEXES) this.addSql(index);
  }
}
