// The event log, which is the outbox: an event is a row of the transaction that makes the change, and gets its numbers
// after the commit.

export const EVENTS = `
-- position numbers the whole log, sequence that of a merchant. body: that of the webhook, where one is made of it.
-- target_url: the one URL that a test event goes to.
create table event (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  payment_id text collate "C",
  version int,
  type text not null,
  payload json,
  body text,
  created_at timestamptz not null,
  position bigint unique,
  sequence bigint,
  target_url text
);
create unique index event_sequence on event (merchant_id, sequence);
create index event_unnumbered on event (id) where position is null;
create index event_unnumbered_version on event (payment_id, version) where position is null;
-- Only events that become webhooks: a payment has one or two of them, and many that tell of each change.
create index event_payment on event (payment_id, id) where body is not null and payment_id is not null;

-- The last number that was given out: under 'position' for the whole log, under a merchant's id for theirs.
create table event_counter (
  scope text collate "C" primary key,
  last bigint not null
) with (fillfactor = 50);

-- The position up to which events were made into deliveries.
create table relay_cursor (
  name text primary key,
  position bigint not null
);
`;
