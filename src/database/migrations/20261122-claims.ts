// A claim of webhook deliveries is a row of its own, not a change to each of them.

import { Migration } from '@mikro-orm/migrations';

// One row for all that a sender took from a lane at once. A delivery is taken while a claim names it with the number of
// attempts it has, and did not give it back: recording an attempt is what ends that, so nothing is written twice.
// What senders of the version before held is due again when its lease ends, as it would have been.
const CLAIMS = `
create table webhook_claim (
  lane text collate "C" not null,
  lease text collate "C" not null,
  delivery_ids text[] collate "C" not null,
  attempts int[] not null,
  given_back text[] collate "C" not null default '{}',
  leased_until timestamptz not null,
  primary key (lane, lease)
);
alter table webhook_delivery drop column lease;
`;

// Each index less is one entry less for each delivery that is recorded. The lane of an endpoint's deliveries is the
// endpoint, and pages of all statuses are merged from those of each.
const INDEXES = `
drop index webhook_delivery_waiting;
drop index webhook_delivery_merchant;
`;

export class ClaimsMigration extends Migration {
  override up(): void {
    for (const part of [CLAIMS, INDEXES]) this.addSql(part);
  }
}
