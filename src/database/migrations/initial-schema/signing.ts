// What the gateway signs: the transactions, what they spend and leave over, and whether a network may sign at all.

export const SIGNING = `
create table sender (
  network text not null,
  address_key text collate "C" not null,
  role text not null check (role in ('HOT', 'GAS', 'DEPOSIT')),
  next_nonce bigint not null,
  primary key (network, address_key)
);
create index sender_wallet on sender (network) where role <> 'DEPOSIT';

-- One row for each transaction that was signed, stored before it is broadcast. Two rows with one nonce are one transfer
-- whose fee was bumped: the chain takes one of them at most.
-- purpose OUTFLOW: money that left by a signature of ours and that nobody can explain.
-- status EXPIRED: in no block and never will be. UNCLEAR: mined with success, and what it moved cannot be read.
-- payer_key: another address of ours that pays the fee. valid_until: a height or milliseconds, as the chain's adapter
-- counts. turn: how often it was settled, which is more than once where its block left the chain.
-- refusal: why nodes do not take it.
-- for_payout_id: the payout that a sweep or a top-up was made for; a payout's own transactions have it as payout_id.
-- lost: what a fee of the token kept besides what was to move, booked as a cost. moved: where the token took one, what
-- left the sender, and of a payout no more than its amount. Both are in base units of the transfer's own asset.
create table transfer (
  id text collate "C" primary key,
  network text not null,
  purpose text not null check (purpose in ('PAYOUT', 'SWEEP', 'GAS', 'OUTFLOW')),
  payout_id text collate "C" references payout (id),
  sender_key text collate "C" not null,
  sender_path text not null,
  recipient_key text collate "C" not null,
  currency text not null,
  amount numeric(78, 0) not null check (amount > 0),
  nonce bigint not null,
  gas bigint not null,
  max_per_gas numeric(78, 0) not null,
  tip_per_gas numeric(78, 0),
  max_cost numeric(78, 0) not null,
  raw text not null,
  tx_hash text collate "C" not null,
  status text not null
    check (status in ('SIGNED', 'BROADCAST', 'CONFIRMED', 'REPLACED', 'FAILED', 'EXPIRED', 'UNCLEAR')),
  block_height bigint,
  block_hash text collate "C",
  cost numeric(78, 0),
  turn int not null default 0,
  broadcast_at timestamptz,
  created_at timestamptz not null,
  payer_key text collate "C",
  valid_until bigint,
  refusal text,
  refused_at timestamptz,
  for_payout_id text collate "C" references payout (id),
  lost numeric(78, 0) not null default 0 check (lost >= 0),
  moved numeric(78, 0) not null default 0 check (moved >= 0),
  check ((purpose = 'PAYOUT') = (payout_id is not null))
);
create unique index transfer_hash on transfer (network, tx_hash);
create index transfer_payout on transfer (payout_id) where payout_id is not null;
create index transfer_open on transfer (network, id) where status in ('SIGNED', 'BROADCAST');
create index transfer_nonce on transfer (network, sender_key, nonce);
create index transfer_block on transfer (network, block_height) where status in ('CONFIRMED', 'FAILED', 'UNCLEAR');
create index transfer_for_payout on transfer (for_payout_id) where for_payout_id is not null;

-- Where money lies in outputs. An output belongs to one number of the hot wallet's sequence, whatever transactions have
-- that number: so no two payouts can spend the same, and all replacements of one are rivals. One whose transactions all
-- expired is free again.
create table spent_output (
  network text not null,
  outpoint text collate "C" not null,
  sender_key text collate "C" not null,
  nonce bigint not null,
  amount numeric(78, 0) not null check (amount > 0),
  address_key text collate "C" not null,
  path text not null,
  primary key (network, outpoint)
);
create index spent_output_spender on spent_output (network, sender_key, nonce);

-- What a transaction pays back to the hot wallet.
create table change_output (
  transfer_id text collate "C" primary key references transfer (id),
  ordinal int not null,
  amount numeric(78, 0) not null check (amount > 0),
  spent boolean not null default false
);
create index change_output_unspent on change_output (transfer_id) where not spent;

-- Signed with a key of ours, and not in the book. transfers: what it moved to whom, as its block says it.
create table unknown_transaction (
  network text not null,
  tx_hash text collate "C" not null,
  signers text[] not null,
  nonce bigint,
  transfers jsonb not null,
  block_height bigint,
  block_hash text collate "C",
  seen_at timestamptz not null,
  resolved_at timestamptz,
  resolution text,
  primary key (network, tx_hash)
);
create index unknown_transaction_open on unknown_transaction (network) where resolved_at is null;

-- compared_under: the copy of the database and the run of its server in which the book was last found whole. The
-- numbers are those of cluster_change: up to which that was so, and up to which a recovery has read what the book had
-- lost.
create table signing_comparison (
  network text primary key,
  compared_under text,
  compared_change bigint not null default 0,
  recovered_change bigint not null default 0
);

-- One row while a network's signing stands still, because the book may be older than what was signed. findings: what an
-- operator is shown.
create table signing_halt (
  network text primary key,
  findings jsonb not null,
  halted_at timestamptz not null
);
`;
