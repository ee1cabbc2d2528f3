// What tells that the database is older than what was signed, and what recovering it needs.

import { Migration } from '@mikro-orm/migrations';

// Under which key a payout was asked for, so that its answer can be found by the payout.
const PAYOUT = `
alter table payout add column once_operation text collate "C", add column once_key text collate "C";
`;

// OUTFLOW: money that left by a signature of ours and that nobody can explain.
const TRANSFER = `
alter table transfer drop constraint transfer_purpose_check,
  add constraint transfer_purpose_check check (purpose in ('PAYOUT', 'SWEEP', 'GAS', 'OUTFLOW'));
`;

// compared_under: the copy of the database and the run of its server in which the book was last found whole. The numbers are
// those of cluster_change up to which that was so, and up to which a recovery has read what the book had lost.
const COMPARISON = `
create table signing_comparison (
  network text primary key,
  compared_under text,
  compared_change bigint not null default 0,
  recovered_change bigint not null default 0
);
`;

// Signed with a key of ours, and not in the book. transfers: what it moved to whom, as its block says it.
const UNKNOWN = `
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
`;

// Addresses that may have been given to orders which the book has lost. What arrives there is suspense, until somebody says
// of an arrival whose it is: then it is explained, and ours to spend. What lies there is kept in holding, by the address's id
// in the place of a payment's; where money lies in outputs, by what arrived and is not spent.
const GAP = `
create table gap_address (
  id text collate "C" not null unique,
  account text collate "C" not null,
  index bigint not null,
  address_key text collate "C" not null,
  primary key (account, index)
);
create unique index gap_address_key on gap_address (account, address_key);
alter table funding add column purpose text not null default 'capital' check (purpose in ('capital', 'suspense'));
create index funding_transaction on funding (network, tx_hash);
alter table funding add column explained boolean not null default false;
create index funding_unexplained on funding (network, currency)
  where purpose = 'suspense' and not explained and not reversed;
create index funding_explained on funding (network, amount)
  where purpose = 'suspense' and explained and not reversed and not spent;
alter table suspense_movement add column funding_id bigint references funding (id);
`;

export class SigningWitnessMigration extends Migration {
  override up(): void {
    for (const part of [PAYOUT, TRANSFER, COMPARISON, UNKNOWN, GAP]) this.addSql(part);
  }
}
