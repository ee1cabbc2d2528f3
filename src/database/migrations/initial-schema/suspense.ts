// The tables of money that arrived other than as deposits, of differences between the chain and the book, and of what
// the operator moved out of suspense.

export const SUSPENSE = `
-- What others send to the hot and the gas wallet, the gateway's working capital; and what arrives at addresses of the
-- gap, which is suspense until somebody says of an arrival whose it is: then it is explained, and ours to spend. One
-- row for each block that a transfer was in.
create table funding (
  id bigint generated always as identity primary key,
  network text not null,
  tx_hash text collate "C" not null,
  ordinal int not null,
  address_key text collate "C" not null,
  currency text not null,
  amount numeric(78, 0) not null check (amount > 0),
  block_height bigint not null,
  block_hash text collate "C" not null,
  reversed boolean not null default false,
  spent boolean not null default false,
  purpose text not null default 'capital' check (purpose in ('capital', 'suspense')),
  explained boolean not null default false
);
create index funding_block on funding (network, block_height) where not reversed;
create index funding_output on funding (network, tx_hash, ordinal);
create index funding_transaction on funding (network, tx_hash);
create index funding_unexplained on funding (network, currency)
  where purpose = 'suspense' and not explained and not reversed;
create index funding_explained on funding (network, amount)
  where purpose = 'suspense' and explained and not reversed and not spent;

-- A difference between the chain and the book, which is booked to suspense.
create table reconciliation (
  id bigint generated always as identity primary key,
  network text not null,
  currency text not null,
  book numeric(78, 0) not null,
  chain numeric(78, 0) not null,
  difference numeric(78, 0) not null check (difference = chain - book and difference <> 0),
  seen_at timestamptz not null,
  resolved_at timestamptz
);
create index reconciliation_open on reconciliation (network, currency) where resolved_at is null;

-- Addresses that hold what no deposit explains.
create table stray_address (
  network text not null,
  address_key text collate "C" not null,
  primary key (network, address_key)
);

-- Who moved what out of suspense, and why: one ledger transaction each, with the reference 'suspense/<id>'. A write-off
-- is positive when the chain held more than the book, so that the gateway gains it; a credit is always positive.
create table suspense_movement (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('CREDIT', 'WRITE_OFF')),
  network text not null,
  currency text not null,
  amount numeric(78, 0) not null check (amount <> 0),
  payment_id text collate "C" references payment (id),
  merchant_id text collate "C" references merchant (id),
  note text not null check (note <> ''),
  operator text not null,
  created_at timestamptz not null,
  funding_id bigint references funding (id),
  check ((kind = 'CREDIT') = (payment_id is not null and merchant_id is not null)),
  check (kind = 'WRITE_OFF' or amount > 0)
);
create index suspense_movement_asset on suspense_movement (network, currency);
create trigger suspense_movement_append_only before update or delete on suspense_movement
  for each row execute function refuse_change();
create trigger suspense_movement_no_truncate before truncate on suspense_movement
  for each statement execute function refuse_change();
`;
