// The book: accounts, transactions and postings, append-only by trigger and balanced in every asset by construction.

export const LEDGER = `
-- A row exists for every account that was ever posted to. Its balance is the sum of its postings at every commit.
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

-- reference: what it books, so that nothing is booked twice. merchant_id: whose business it is, for reports; null where
-- it is the gateway's own.
create table ledger_transaction (
  id text collate "C" primary key,
  reference text collate "C" not null unique,
  payment_id text collate "C",
  created_at timestamptz not null,
  merchant_id text collate "C"
);
create index ledger_transaction_merchant on ledger_transaction (merchant_id, created_at) where merchant_id is not null;

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

-- For everyone, the gateway included. Other records that are only ever added to use it too.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % on % refused', tg_op, tg_table_name;
end $$;
create trigger posting_append_only before update or delete on posting
  for each row execute function refuse_change();
create trigger posting_no_truncate before truncate on posting
  for each statement execute function refuse_change();
create trigger ledger_transaction_append_only before update or delete on ledger_transaction
  for each row execute function refuse_change();
create trigger ledger_transaction_no_truncate before truncate on ledger_transaction
  for each statement execute function refuse_change();

-- A posting joins two accounts of one asset, so every transaction is balanced in every asset.
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
create trigger posting_asset before insert on posting
  for each row execute function check_posting_asset();
`;
