// Payment orders, the addresses that they are paid to, and the deposits that arrive there.

export const PAYMENTS = `
-- A branch of the seed, known here by its public key. Derivation without hardened indexes ends at 2^31.
create table derivation_account (
  account text collate "C" primary key,
  xpub text not null,
  next_index bigint not null default 0 check (next_index between 0 and 2147483648)
);

-- Addresses made ahead by the signer, for accounts whose addresses cannot be derived from a public key. An address is
-- issued once: 'taken' is for good, also where the process that took it did not issue it. One that was made under
-- another copy of the database (epoch) or in another run of its server is not handed out any more.
create table address_pool (
  account text collate "C" not null,
  index bigint not null,
  address text not null,
  address_key text collate "C" not null,
  taken boolean not null default false,
  epoch int not null default 0,
  server_run text not null default '',
  primary key (account, index)
);
create unique index address_pool_key on address_pool (account, address_key);
create index address_pool_free on address_pool (account, index) where not taken;

-- Addresses that may have been given to orders which a restored book has lost. What arrives there is in suspense.
create table gap_address (
  id text collate "C" not null unique,
  account text collate "C" not null,
  index bigint not null,
  address_key text collate "C" not null,
  primary key (account, index)
);
create unique index gap_address_key on gap_address (account, address_key);

-- version: incremented with every recorded change, under the row's lock. late_from: the state that a late payment left,
-- to which it falls back when the late money goes away. lost_from: the state that it had when its confirmed money was
-- lost. An address belongs to an account rather than to a network, because the networks of one account share addresses.
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
create unique index payment_derivation on payment (derivation_account, derivation_index);
create index payment_merchant on payment (merchant_id, id);
create index payment_reference on payment (merchant_id, merchant_order_id, id) where merchant_order_id is not null;
create index payment_open on payment (network, expires_at) where status in ('PENDING', 'PARTIALLY_PAID', 'CONFIRMING');
create unique index payment_account_address on payment (derivation_account, address_key);
-- One index for states, currencies and networks in every combination. A page of a list merges the ends of as many of
-- its ranges as there are kinds wanted, so that a kind which is rare, or which does not occur, costs no search.
create index payment_kind on payment (merchant_id, status, currency, network, id);

-- One transfer within one transaction to one of our addresses, perhaps on another network than the payment's; then
-- required_confirmations are that network's, and null where they are the payment's. spends: what its transaction uses
-- up. left_height: where it was when it left the chain. orphaned_height starts there and is lowered when another
-- transaction that spends the same turns out to be mined below; should that one leave the chain too, it is raised
-- again. credits: how often it was credited. It numbers the ledger references of a deposit that went and came back.
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
  spends text collate "C",
  left_height bigint,
  required_confirmations int,
  spent boolean not null default false,
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
-- Credited, and on no branch at present: few at any time. Payouts wait for them.
create index deposit_unsure on deposit (merchant_id) where credited and block_height is null;
-- What can be spent is found without a look at what was: a settled transaction's inputs are marked as spent.
create index deposit_unspent on deposit (network, amount) where credited and not spent and network in ('BTC', 'LTC');

-- What lies at an address, by the order that it was issued for: ids grow with time, so that new rows come at the end of
-- the key's index. An address of the gap has its own id in the place of a payment's. The statements that insert check
-- the payment; a foreign key would cost a look for each deposit that is credited.
create table holding (
  payment_id text collate "C" not null,
  network text collate "C" not null,
  currency text collate "C" not null,
  units numeric(78, 0) not null,
  primary key (payment_id, network, currency)
);
create index holding_largest on holding (network, currency, units desc, payment_id) where units > 0;
`;
