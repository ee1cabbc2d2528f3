// Payouts: withdrawals and refunds, and the signed transactions that carry them.

import { Migration } from '@mikro-orm/migrations';

const PAYOUTS = `
create table payout (
  id text collate "C" primary key,
  kind text not null check (kind in ('WITHDRAWAL', 'REFUND')),
  merchant_id text collate "C" not null references merchant (id),
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
  check ((kind = 'REFUND') = (payment_id is not null))
);
create index payout_merchant on payout (merchant_id, kind, id);
create unique index payout_reference on payout (merchant_id, merchant_withdrawal_id) where merchant_withdrawal_id is not null;
create index payout_payment on payout (payment_id) where payment_id is not null;
create index payout_open on payout (network, id) where status in ('REQUESTED', 'BROADCAST');
`;

// One row for each transaction that we signed, stored before it is broadcast. Two rows with one nonce are one transfer
// whose fee was bumped: the chain takes one of them at most.
const TRANSFERS = `
create table sender (
  network text not null,
  address_key text collate "C" not null,
  role text not null check (role in ('HOT', 'GAS', 'DEPOSIT')),
  next_nonce bigint not null,
  primary key (network, address_key)
);
create index sender_wallet on sender (network) where role <> 'DEPOSIT';

create table transfer (
  id text collate "C" primary key,
  network text not null,
  purpose text not null check (purpose in ('PAYOUT', 'SWEEP', 'GAS')),
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
  status text not null check (status in ('SIGNED', 'BROADCAST', 'CONFIRMED', 'REPLACED', 'FAILED')),
  block_height bigint,
  block_hash text collate "C",
  cost numeric(78, 0),
  turn int not null default 0,
  broadcast_at timestamptz,
  created_at timestamptz not null,
  check ((purpose = 'PAYOUT') = (payout_id is not null))
);
create unique index transfer_hash on transfer (network, tx_hash);
create index transfer_payout on transfer (payout_id) where payout_id is not null;
create index transfer_open on transfer (network, id) where status in ('SIGNED', 'BROADCAST');
create index transfer_block on transfer (network, block_height) where status in ('CONFIRMED', 'FAILED');
create index transfer_swept on transfer (network, currency, sender_key) where purpose = 'SWEEP' and status = 'CONFIRMED';
create index transfer_nonce on transfer (network, sender_key, nonce);
`;

// What others send to the hot and the gas wallet: the gateway's own working capital, one row for each block it was in.
const FUNDING = `
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
  reversed boolean not null default false
);
create index funding_block on funding (network, block_height) where not reversed;
`;

// Differences between the chain and the book, and addresses that hold what no deposit explains.
const RECONCILIATION = `
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

create table stray_address (
  network text not null,
  address_key text collate "C" not null,
  primary key (network, address_key)
);
`;

const SETTINGS = `
alter table merchant
  add column logo_url text,
  add column accent_color text,
  add column locale text;
`;

export class PayoutsMigration extends Migration {
  override up(): void {
    this.addSql(PAYOUTS);
    this.addSql(TRANSFERS);
    this.addSql(SETTINGS);
    this.addSql(FUNDING);
    this.addSql(RECONCILIATION);
  }
}
