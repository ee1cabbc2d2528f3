// The first schema. Text that is compared or ordered by identifier uses the "C" collation: bytes, not language.

import { Migration } from '@mikro-orm/migrations';

const MERCHANTS = `
create table merchant (
  id text collate "C" primary key,
  email text not null unique,
  company_name text not null,
  password_hash text,
  webhook_secret text not null,
  expiration_minutes int not null default 30 check (expiration_minutes between 5 and 1440),
  tolerance_basis_points int not null default 0 check (tolerance_basis_points between 0 and 5000),
  late_payment_policy text not null default 'ACCEPT' check (late_payment_policy in ('ACCEPT', 'MANUAL')),
  default_return_url text,
  created_at timestamptz not null
);

create table api_key (
  key_id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  secret_digest bytea not null,
  name text not null,
  permissions text[] not null,
  ip_whitelist text[] not null default '{}',
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_key_merchant on api_key (merchant_id);
create unique index api_key_digest on api_key (secret_digest);

create table idempotency (
  scope text collate "C" not null,
  operation text collate "C" not null,
  key text collate "C" not null,
  input_digest bytea not null,
  result json not null,
  created_at timestamptz not null,
  primary key (scope, operation, key)
);
create index idempotency_age on idempotency (created_at);

create table api_log (
  id bigint generated always as identity primary key,
  merchant_id text collate "C",
  request_id text not null,
  at timestamptz not null,
  key_id text,
  method text not null,
  path text not null,
  operation text,
  status int not null,
  error_code text,
  duration_ms int not null,
  ip text not null
);
create index api_log_merchant on api_log (merchant_id, id);
create index api_log_age on api_log (at);
`;

const PAYMENTS = `
create table derivation_account (
  account text collate "C" primary key,
  xpub text not null,
  next_index bigint not null default 0
);

create table payment (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  currency text not null,
  network text not null,
  amount numeric(78, 0) not null check (amount > 0),
  address text not null,
  address_key text collate "C" not null,
  derivation_account text collate "C" not null,
  derivation_index bigint not null,
  status text not null,
  exception text,
  version int not null,
  test boolean,
  merchant_order_id text,
  product_name text,
  customer_email text,
  callback_url text,
  return_url text,
  metadata json,
  tolerance_basis_points int not null,
  late_payment_policy text not null,
  required_confirmations int not null,
  amount_received numeric(78, 0) not null default 0 check (amount_received >= 0),
  amount_confirmed numeric(78, 0) not null default 0 check (amount_confirmed >= 0),
  amount_refunded numeric(78, 0) not null default 0 check (amount_refunded >= 0),
  fee_amount numeric(78, 0) not null default 0 check (fee_amount >= 0),
  expires_at timestamptz not null,
  confirming_since timestamptz,
  late_from_status text,
  late_from_exception text,
  lost_from_status text,
  lost_from_exception text,
  lost_at timestamptz,
  accepted_at timestamptz,
  completed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index payment_address on payment (network, address_key);
create unique index payment_derivation on payment (derivation_account, derivation_index);
create index payment_merchant on payment (merchant_id, id);
create index payment_reference on payment (merchant_id, merchant_order_id, id) where merchant_order_id is not null;
create index payment_open on payment (network, expires_at) where status in ('PENDING', 'PARTIALLY_PAID', 'CONFIRMING');

create table deposit (
  id text collate "C" primary key,
  network text not null,
  tx_hash text collate "C" not null,
  ordinal int not null,
  payment_id text collate "C" not null references payment (id),
  merchant_id text collate "C" not null references merchant (id),
  currency text not null,
  amount numeric(78, 0) not null check (amount > 0),
  status text not null check (status in ('PENDING', 'CONFIRMED', 'ORPHANED')),
  block_hash text collate "C",
  block_height bigint,
  block_time timestamptz,
  seen_at timestamptz not null,
  late boolean not null,
  orphaned_height bigint,
  gone boolean not null default false,
  credits int not null default 0,
  credited boolean not null default false,
  check ((block_hash is null) = (block_height is null)),
  check (status <> 'CONFIRMED' or block_hash is not null)
);
create unique index deposit_transfer on deposit (network, tx_hash, ordinal) where block_hash is not null;
create unique index deposit_sighting on deposit (network, tx_hash, ordinal, payment_id, currency, amount);
create index deposit_payment on deposit (payment_id);
create index deposit_unconfirmed on deposit (network, block_height) where status = 'PENDING';
create index deposit_orphaned on deposit (network, orphaned_height) where block_height is null and not gone;
create index deposit_uncredited on deposit (merchant_id) where status <> 'ORPHANED' and not credited;
create index deposit_block on deposit (network, block_height) where block_height is not null;

create table chain_cursor (
  network text primary key,
  height bigint not null,
  hash text collate "C" not null,
  block_time timestamptz not null,
  tip_height bigint not null,
  tip_read_at timestamptz
);

create table chain_block (
  network text not null,
  height bigint not null,
  hash text collate "C" not null,
  primary key (network, height)
);
`;

// A balance row exists for every account that was ever posted to; `balance` is the sum of its postings at every commit.
// The trigger makes the book append-only for everyone, us included.
const LEDGER = `
create table ledger_account (
  id bigint generated always as identity primary key,
  owner text collate "C" not null,
  purpose text not null,
  currency text not null,
  network text not null,
  balance numeric(78, 0) not null default 0,
  unique (owner, currency, network, purpose),
  check (purpose not in ('available', 'reserved') or balance >= 0),
  check (purpose <> 'receivable' or balance <= 0)
);

create table ledger_transaction (
  id text collate "C" primary key,
  reference text collate "C" not null unique,
  payment_id text collate "C",
  created_at timestamptz not null
);

create table posting (
  id bigint generated always as identity primary key,
  transaction_id text collate "C" not null references ledger_transaction (id),
  source_id bigint not null references ledger_account (id),
  destination_id bigint not null references ledger_account (id),
  amount numeric(78, 0) not null check (amount > 0),
  check (source_id <> destination_id)
);
create index posting_transaction on posting (transaction_id);
create index posting_source on posting (source_id);
create index posting_destination on posting (destination_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % on % refused', tg_op, tg_table_name;
end $$;
create trigger posting_append_only before update or delete on posting for each row execute function refuse_change();
create trigger posting_no_truncate before truncate on posting for each statement execute function refuse_change();
create trigger ledger_transaction_append_only before update or delete on ledger_transaction
  for each row execute function refuse_change();
create trigger ledger_transaction_no_truncate before truncate on ledger_transaction
  for each statement execute function refuse_change();

-- A posting joins two accounts of one asset, so every transaction is balanced in every asset by construction.
create function check_posting_asset() returns trigger language plpgsql as $$
begin
  if not exists (
    select 1 from ledger_account s join ledger_account d on (s.currency, s.network) = (d.currency, d.network)
    where s.id = new.source_id and d.id = new.destination_id
  ) then
    raise exception 'a posting joins two accounts of one asset';
  end if;
  return new;
end $$;
create trigger posting_asset before insert on posting for each row execute function check_posting_asset();
`;

const DISPATCH = `
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
  sequence bigint
);
create unique index event_sequence on event (merchant_id, sequence);
create index event_unnumbered on event (id) where position is null;
create index event_unnumbered_version on event (payment_id, version) where position is null;

create table event_counter (
  scope text collate "C" primary key,
  last bigint not null
) with (fillfactor = 50);

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
  updated_at timestamptz not null
);
create index webhook_endpoint_merchant on webhook_endpoint (merchant_id);
create unique index webhook_endpoint_primary on webhook_endpoint (merchant_id) where is_primary;

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
  lease text,
  response_code int,
  response_time_ms int,
  resend int not null default 0,
  created_at timestamptz not null
);
create unique index webhook_delivery_destination on webhook_delivery (event_id, url, resend);
create index webhook_delivery_due on webhook_delivery (due_at) where due_at is not null;
create index webhook_delivery_waiting on webhook_delivery (endpoint_id) where due_at is not null;
create index webhook_delivery_merchant on webhook_delivery (merchant_id, id);

create table webhook_attempt (
  delivery_id text collate "C" not null references webhook_delivery (id),
  attempt int not null,
  at timestamptz not null,
  url text not null,
  response_code int,
  response_time_ms int not null,
  response_start text,
  error text,
  primary key (delivery_id, attempt)
);

create table relay_cursor (
  name text primary key,
  position bigint not null
);
`;

export class FirstMigration extends Migration {
  override up(): void {
    for (const part of [MERCHANTS, PAYMENTS, LEDGER, DISPATCH]) this.addSql(part);
  }
}
