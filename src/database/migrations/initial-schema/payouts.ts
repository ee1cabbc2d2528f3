// Payouts (withdrawals, refunds and the gateway's own fees), and what keeps one from being signed.

export const PAYOUTS = `
-- The gateway's own fees belong to no merchant. early: a refund asked for before its payment succeeded. once: the
-- idempotency key that it was asked for under, so that its answer can be found by the payout. opens_account: its fee
-- covers the account that a payment of a token opens for a recipient without one.
create table payout (
  id text collate "C" primary key,
  kind text not null check (kind in ('WITHDRAWAL', 'REFUND', 'FEES')),
  merchant_id text collate "C" references merchant (id),
  payment_id text collate "C" references payment (id),
  currency text not null,
  network text not null,
  amount numeric(78, 0) not null check (amount > 0),
  network_fee numeric(78, 0) not null check (network_fee >= 0),
  address text not null,
  status text not null check (status in ('REQUESTED', 'BROADCAST', 'COMPLETED', 'FAILED')),
  failure text,
  tx_hash text collate "C",
  merchant_withdrawal_id text,
  early boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  held_reason text,
  held_since timestamptz,
  look_at timestamptz,
  once_operation text collate "C",
  once_key text collate "C",
  opens_account boolean not null default false,
  check ((kind = 'REFUND') = (payment_id is not null)),
  constraint payout_fees_check check ((kind = 'FEES') = (merchant_id is null))
);
create index payout_merchant on payout (merchant_id, kind, id);
create unique index payout_reference on payout (merchant_id, merchant_withdrawal_id)
  where merchant_withdrawal_id is not null;
create index payout_open on payout (network, id) where status in ('REQUESTED', 'BROADCAST');
create index payout_refund on payout (payment_id, id) where payment_id is not null;
-- What waits: looked at when its time has come (look_at), and counted by reason for the metrics.
create index payout_due on payout (network, look_at) where status in ('REQUESTED', 'BROADCAST');
create index payout_held on payout (held_reason) where held_reason is not null;

-- The blocks at which a payout's recipient was seen to refuse it.
create table payout_refusal (
  payout_id text collate "C" not null references payout (id),
  block_hash text collate "C" not null,
  block_height bigint not null,
  primary key (payout_id, block_hash)
);

-- A freeze without a scope holds everything. One that was lifted stays as a record.
create table payout_freeze (
  id text collate "C" primary key,
  payout_id text collate "C" references payout (id),
  merchant_id text collate "C" references merchant (id),
  network text,
  currency text,
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  lifted_by text,
  lifted_at timestamptz
);
create index payout_freeze_standing on payout_freeze (created_at) where lifted_at is null;

-- Assets out of service. TRANSFER_FEE: the token takes a fee on transfers, so its payouts wait too. OPERATOR: only new
-- orders are refused.
create table asset_off (
  network text not null,
  currency text not null,
  cause text not null check (cause in ('OPERATOR', 'TRANSFER_FEE')),
  reason text not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (network, currency)
);
`;
