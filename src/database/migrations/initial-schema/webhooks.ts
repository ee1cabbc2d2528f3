// Webhooks: where merchants want them, the deliveries with their attempts, and what dispatchers share the work by.

export const WEBHOOKS = `
-- An endpoint that was deleted stays for the deliveries that went there. failing_since: when the first of the attempts
-- started that have failed one after the other since its last success.
create table webhook_endpoint (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  url text not null,
  enabled boolean not null default true,
  events text[] not null,
  description text,
  is_primary boolean not null default false,
  disabled_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  disabled_at timestamptz,
  failing_since timestamptz
);
create index webhook_endpoint_merchant on webhook_endpoint (merchant_id);
create unique index webhook_endpoint_primary on webhook_endpoint (merchant_id) where is_primary and deleted_at is null;

-- One event on its way to one URL. Each index is one more entry for each delivery that is recorded, so there are few:
-- the lane of an endpoint's deliveries is the endpoint, and pages of all statuses are merged from those of each.
-- made_in and changed_in: the transaction that made it, and that made it or switched it off. Live updates need both:
-- what is made and switched off between two looks is shown twice.
create table webhook_delivery (
  id text collate "C" primary key,
  event_id text collate "C" not null references event (id),
  merchant_id text collate "C" not null,
  endpoint_id text collate "C" references webhook_endpoint (id),
  is_primary boolean not null,
  lane text collate "C" not null,
  url text not null,
  status text not null check (status in ('PENDING', 'RETRYING', 'SUCCESS', 'FAILED', 'DISABLED')),
  attempts int not null default 0,
  first_attempt_at timestamptz,
  last_attempt_at timestamptz,
  next_retry_at timestamptz,
  due_at timestamptz,
  response_code int,
  response_time_ms int,
  resend int not null default 0,
  created_at timestamptz not null,
  changed_in xid8 not null default pg_current_xact_id(),
  made_in xid8 not null default pg_current_xact_id()
);
create unique index webhook_delivery_destination on webhook_delivery (event_id, url, resend);
create index webhook_delivery_lane on webhook_delivery (lane, due_at) where due_at is not null;
create index webhook_delivery_status on webhook_delivery (merchant_id, status, id);

-- No foreign key: an attempt is inserted by the statement that has just locked and updated its delivery, so that the
-- check, a query for each row, could find nothing else. It was a sixth of what recording costs.
create table webhook_attempt (
  delivery_id text collate "C" not null,
  attempt int not null,
  at timestamptz not null,
  url text not null,
  response_code int,
  response_time_ms int not null,
  response_start text,
  error text,
  recorded_in xid8 not null default pg_current_xact_id(),
  status text,
  next_retry_at timestamptz,
  primary key (delivery_id, attempt)
);

-- A lane for each destination. due_at is never later than that of its earliest waiting delivery; null when nothing
-- waits. What makes a delivery due, or due earlier, moves it in the same transaction, so a claim finds due lanes
-- without a look at those that have a hundred thousand deliveries waiting.
create table webhook_lane (
  lane text collate "C" primary key,
  merchant_id text collate "C" not null,
  due_at timestamptz
) with (fillfactor = 50);
create index webhook_lane_due on webhook_lane (due_at) where due_at is not null;

-- One row for all that a dispatcher took from a lane at once. A delivery is taken while a claim names it with the
-- number of attempts it has, and did not give it back. Recording an attempt is what ends that, so nothing is written
-- twice.
create table webhook_claim (
  lane text collate "C" not null,
  lease text collate "C" not null,
  delivery_ids text[] collate "C" not null,
  attempts int[] not null,
  given_back text[] collate "C" not null default '{}',
  leased_until timestamptz not null,
  primary key (lane, lease)
);

-- What live updates of deliveries read: one row for all that a statement made, tried or switched off. What became
-- visible between two looks is what the snapshot's oldest running transaction has passed meanwhile. Indexes on the
-- deliveries and attempts instead would be half of what making deliveries costs, and a fifth of recording them.
create table webhook_change (
  recorded_in xid8 not null default pg_current_xact_id(),
  recorded_at timestamptz not null default now(),
  delivery_ids text[] collate "C" not null
);
create index webhook_change_recorded on webhook_change (recorded_in);
create index webhook_change_age on webhook_change (recorded_at);
`;
