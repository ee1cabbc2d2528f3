// Control of the money that leaves: payouts that wait for an approval, their events, the book of addresses that they
// may go to, and the policy that judges them.

import { Migration } from '@mikro-orm/migrations';

const STATUSES = `'REQUESTED', 'BROADCAST', 'COMPLETED', 'FAILED', 'AWAITING_APPROVAL', 'REJECTED'`;

/**
 * requested_by, decided_by: a key or a person. awaits_until: when it is rejected if nobody approves it. reference: what
 * asked for it once, `batch/<id>/<row>`. address_id and batch_id refer to nothing: a payout is restored from the
 * signer's journal into a book that may lack them.
 */
const COLUMNS = `alter table payout
  add column version int not null default 0,
  add column requested_by text,
  add column decided_by text,
  add column approved_at timestamptz,
  add column awaits_until timestamptz,
  add column address_id text collate "C",
  add column batch_id text collate "C",
  add column reference text collate "C",
  drop constraint payout_status_check,
  add constraint payout_status_check check (status in (${STATUSES})),
  add constraint payout_awaits_check check (status <> 'AWAITING_APPROVAL' or awaits_until is not null)`;

/** usable_at: since when payouts may go there. Removed ones stay as a record. */
const PAYOUT_ADDRESS = `create table payout_address (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  network text not null,
  address text not null,
  address_key text collate "C" not null,
  label text not null,
  created_by text collate "C" not null references person (id),
  created_at timestamptz not null,
  usable_at timestamptz not null,
  removed_at timestamptz,
  removed_by text collate "C" references person (id)
)`;

/** rules, pending: amounts in base units as texts. What holds is a function of the row and the clock. */
const PAYOUT_POLICY = `create table payout_policy (
  merchant_id text collate "C" primary key references merchant (id),
  version int not null,
  rules json not null,
  pending json,
  pending_from timestamptz,
  updated_by text collate "C" not null references person (id),
  updated_at timestamptz not null,
  check ((pending is null) = (pending_from is null))
)`;

const PAYOUT_BATCH = `create table payout_batch (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  label text,
  rows int not null check (rows > 0),
  created_at timestamptz not null
)`;

const INDEXES = [
  'create index payout_batch_of on payout_batch (merchant_id, id)',
  'create index payout_of_batch on payout (batch_id, id) where batch_id is not null',
  'create unique index payout_origin on payout (merchant_id, reference) where reference is not null',
  `create index payout_awaiting on payout (awaits_until, id) where status = 'AWAITING_APPROVAL'`,
  `create index payout_waiting on payout (merchant_id, id) where status = 'AWAITING_APPROVAL'`,
  'create index payout_state on payout (merchant_id, kind, status, id)',
  // No other statement can use it: it would be read whole by those that look for open payouts of any merchant.
  `create index payout_use on payout (merchant_id, currency, network, coalesce(approved_at, created_at))
    where coalesce(status, '') in ('REQUESTED', 'BROADCAST', 'COMPLETED')`,
  `create unique index payout_address_book on payout_address (merchant_id, network, address_key)
    where removed_at is null`,
  // As event_to_number_subject, of payouts as well: only statements that write the same expression use it. That index
  // goes with the release after this one: programs of before number events by it.
  `create index event_to_number_order on event (coalesce(payment_id, invoice_id, payout_id, id), version)
    where coalesce(position, 0) = 0`,
];

// Programs of before ask no policy. While they run beside this one they store no payouts of merchants who have one: the
// version of what they store is the default. The next release drops this.
const BESIDE = [
  `create function refuse_without_policy() returns trigger language plpgsql
   security definer set search_path from current as $$
   begin
     if exists (select from payout_policy where merchant_id = new.merchant_id) then
       raise exception 'This program does not ask the policy of payouts';
     end if;
     return new;
   end $$`,
  `create trigger payout_without_policy before insert on payout for each row when (new.version = 0)
   execute function refuse_without_policy()`,
];

export class PayoutControlMigration extends Migration {
  override up(): void {
    this.addSql(COLUMNS);
    this.addSql('alter table event add column payout_id text collate "C"');
    for (const statement of [PAYOUT_ADDRESS, PAYOUT_POLICY, PAYOUT_BATCH, ...INDEXES, ...BESIDE])
      this.addSql(statement);
  }
}
