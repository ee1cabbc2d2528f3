// Merchants, who acts for them (API keys, the owner's sessions), and the record of what they called and changed.

export const ACCOUNTS = `
-- While both secrets are set, deliveries are signed with the two of them, the current one first.
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
  created_at timestamptz not null,
  logo_url text,
  accent_color text,
  locale text,
  previous_webhook_secret text,
  previous_secret_expires_at timestamptz
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

-- confirmed_at: when the owner last showed their password in the console.
create table owner_session (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ip text not null,
  confirmed_at timestamptz,
  by_cookie boolean not null default false
);
create index owner_session_merchant on owner_session (merchant_id, id);
create index owner_session_age on owner_session ((least(ended_at, expires_at)));
create index owner_session_open on owner_session (merchant_id, id) where ended_at is null;

-- Failed attempts at signing in. Keys are digests. Few rows are looked for by their time, and all are gone within a
-- day.
create table sign_in_failure (
  key bytea primary key,
  failures int not null,
  counted_until timestamptz not null
);
create index sign_in_failure_age on sign_in_failure (counted_until);

-- Where an owner's latest sessions were from, as digests.
create table sign_in_address (
  account bytea not null,
  address bytea not null,
  seen_at timestamptz not null,
  primary key (account, address)
);
create index sign_in_address_age on sign_in_address (seen_at);

-- What was answered under an idempotency key, and to which input.
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
create index api_log_age on api_log (at);
create index api_log_merchant on api_log (merchant_id, at, id);

-- Who changed what. actor: an API key's id, or 'owner'. target: the id of what was changed.
create table audit_log (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  at timestamptz not null,
  actor text collate "C" not null,
  ip text not null,
  request_id text not null,
  action text not null,
  target text,
  details json not null
);
create index audit_log_merchant on audit_log (merchant_id, id);
`;
