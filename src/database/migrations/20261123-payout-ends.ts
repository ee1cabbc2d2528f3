// How payouts end that cannot go on: transactions that nodes refuse, ones of which nobody can say what they moved, and
// the blocks at which a recipient was seen to refuse.

import { Migration } from '@mikro-orm/migrations';

// UNCLEAR: mined with success, and what it moved cannot be read. `refusal` is why nodes do not take a transaction.
const TRANSFER = `
alter table transfer
  add column refusal text,
  add column refused_at timestamptz,
  drop constraint transfer_status_check,
  add constraint transfer_status_check
    check (status in ('SIGNED', 'BROADCAST', 'CONFIRMED', 'REPLACED', 'FAILED', 'EXPIRED', 'UNCLEAR'));
drop index transfer_block;
create index transfer_block on transfer (network, block_height) where status in ('CONFIRMED', 'FAILED', 'UNCLEAR');
`;

const REFUSALS = `
create table payout_refusal (
  payout_id text collate "C" not null references payout (id),
  block_hash text collate "C" not null,
  block_height bigint not null,
  primary key (payout_id, block_hash)
);
`;

// What waits: counted by reason for the metrics, and looked at when its time has come.
const HELD_PAYOUTS = `
create index payout_due on payout (network, look_at) where status in ('REQUESTED', 'BROADCAST');
create index payout_held on payout (held_reason) where held_reason is not null;
`;

export class PayoutEndsMigration extends Migration {
  override up(): void {
    this.addSql(TRANSFER);
    this.addSql(REFUSALS);
    this.addSql(HELD_PAYOUTS);
  }
}
