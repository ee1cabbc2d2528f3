// What a payout costs: which payout a sweep or a top-up was made for, and what of the asset a transfer lost on its way.

import { Migration } from '@mikro-orm/migrations';

// A payout's own transactions have it as payout_id; what was signed before this is no payout's.
const FOR_PAYOUT = `
alter table transfer add column for_payout_id text collate "C" references payout (id);
create index transfer_for_payout on transfer (for_payout_id) where for_payout_id is not null;
`;

// In base units of the transfer's own asset: what a fee of the token kept besides what was to move, booked as a cost;
// and where the token took one, what left the sender, and of a payout no more than its amount.
const LOST = `
alter table transfer add column lost numeric(78, 0) not null default 0 check (lost >= 0),
  add column moved numeric(78, 0) not null default 0 check (moved >= 0);
`;

// Its fee covers the account that a payment of a token opens for its recipient where they have none.
const OPENS_ACCOUNT = `
alter table payout add column opens_account boolean not null default false;
`;

export class PayoutCostsMigration extends Migration {
  override up(): void {
    this.addSql(FOR_PAYOUT);
    this.addSql(LOST);
    this.addSql(OPENS_ACCOUNT);
  }
}
