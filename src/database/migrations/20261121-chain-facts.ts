// What more is known of the chain: what a deposit's transaction uses up, and what became of money in suspense.

import { Migration } from '@mikro-orm/migrations';

// `left_height` is where a deposit was when it left the chain. `orphaned_height` starts there and is lowered when another
// transaction that spends the same turns out to be mined below; should that one leave the chain too, it is raised again.
const DEPOSITS = `
alter table deposit add column spends text collate "C", add column left_height bigint;
update deposit set left_height = orphaned_height where orphaned_height is not null;
`;

// Who moved what out of suspense, and why. One ledger transaction each, with the reference 'suspense/<id>'. A write-off
// is positive when the chain held more than the book, so that the gateway gains it; a credit is always positive.
const SUSPENSE = `
create table suspense_movement (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('CREDIT', 'WRITE_OFF')),
  network text not null,
  currency text not null,
  amount numeric(78, 0) not null check (amount <> 0),
  payment_id text collate "C" references payment (id),
  merchant_id text collate "C" references merchant (id),
  note text not null check (note <> ''),
  operator text not null,
  created_at timestamptz not null,
  check ((kind = 'CREDIT') = (payment_id is not null and merchant_id is not null)),
  check (kind = 'WRITE_OFF' or amount > 0)
);
create index suspense_movement_asset on suspense_movement (network, currency);
create trigger suspense_movement_append_only before update or delete on suspense_movement
  for each row execute function refuse_change();
create trigger suspense_movement_no_truncate before truncate on suspense_movement
  for each statement execute function refuse_change();
`;

export class ChainFactsMigration extends Migration {
  override up(): void {
    this.addSql(DEPOSITS);
    this.addSql(SUSPENSE);
  }
}
