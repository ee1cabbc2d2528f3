// Whose this database is, which server it was on, and what its operator did.

export const OPERATION = `
-- The sandbox's or live's, for good: the two share no database.
create table deployment (
  singleton boolean primary key default true check (singleton),
  environment text not null check (environment in ('sandbox', 'live')),
  created_at timestamptz not null default now()
);

-- Which server this database was on when it was last written, so that a copy of it is known for one. One row, written
-- whole. written_in: the transaction that wrote it, which is the row's own xmin for as long as the row was not loaded
-- from a dump. server_run: when the server was started, as text, because it is only ever compared.
create table cluster_identity (
  one boolean primary key default true check (one),
  system_identifier text not null,
  timeline int not null,
  database_oid bigint not null,
  server_run text not null,
  server_started_at timestamptz not null,
  written_in text not null,
  adoptions int not null,
  adopted_at timestamptz
);

-- What became of it since, append-only by use. cursors: how far each network was read then, such as
-- {"ETH": {"height": 7, "hash": "0x…"}}.
create table cluster_change (
  number bigint generated always as identity primary key,
  kind text not null check (kind in ('FIRST', 'RESTART', 'ADOPTION')),
  reason text not null,
  adoption int not null,
  cursors jsonb not null,
  at timestamptz not null
);

-- What an operator did, by the name they gave.
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
