// Dispatch at scale: a lane for each destination with its own next-due time, secrets that overlap at rotation, endpoints
// that are taken away or fail for days, and what live updates of deliveries read.

import { Migration } from '@mikro-orm/migrations';

// While both are set, deliveries are signed with the two secrets, the current one first.
const SECRETS = `
alter table merchant add column previous_webhook_secret text, add column previous_secret_expires_at timestamptz;
`;

// An endpoint that was deleted stays for the deliveries that went there. `failing_since` is when the first of the
// attempts started that have failed one after the other since its last success.
const ENDPOINTS = `
alter table webhook_endpoint add column deleted_at timestamptz, add column disabled_at timestamptz,
  add column failing_since timestamptz;
drop index webhook_endpoint_primary;
create unique index webhook_endpoint_primary on webhook_endpoint (merchant_id) where is_primary and deleted_at is null;
`;

// `due_at` is never later than that of the lane's earliest waiting delivery; null when nothing waits. What makes a
// delivery due, or due earlier, moves it in the same transaction, so a claim finds due lanes without a look at those
// that have a hundred thousand deliveries waiting.
const LANES = `
create table webhook_lane (
  lane text collate "C" primary key,
  merchant_id text collate "C" not null,
  due_at timestamptz
) with (fillfactor = 50);
create index webhook_lane_due on webhook_lane (due_at) where due_at is not null;
insert into webhook_lane (lane, merchant_id, due_at)
  select lane, min(merchant_id), min(due_at) from webhook_delivery group by lane;
create index webhook_delivery_lane on webhook_delivery (lane, due_at) where due_at is not null;
drop index webhook_delivery_due;
create index webhook_delivery_status on webhook_delivery (merchant_id, status, id);
`;

// The transaction that made a delivery or switched it off, and that recorded an attempt: what became visible between
// two looks is what the snapshot's oldest running transaction has passed meanwhile.
const CHANGES = `
alter table webhook_delivery add column changed_in xid8 not null default pg_current_xact_id();
create index webhook_delivery_changed on webhook_delivery (changed_in);
alter table webhook_attempt add column recorded_in xid8 not null default pg_current_xact_id(),
  add column status text, add column next_retry_at timestamptz;
create index webhook_attempt_recorded on webhook_attempt (recorded_in);
`;

// A test event may name the one URL that it goes to.
const TESTS = 'alter table event add column target_url text;';

export class DispatchMigration extends Migration {
  override up(): void {
    for (const part of [SECRETS, ENDPOINTS, LANES, CHANGES, TESTS]) this.addSql(part);
  }
}
