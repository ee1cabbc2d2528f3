// Invitations by operators to register a merchant, which belong to no merchant yet; and an index by which operators are
// found, who are few among the people.

import { Migration } from '@mikro-orm/migrations';

export class MerchantInvitationsMigration extends Migration {
  override up(): void {
    this.addSql('alter table invitation alter column merchant_id drop not null');
    // Whether its link was mailed: only then does using it show that the address is theirs.
    this.addSql('alter table invitation add column mailed boolean not null default true');
    this.addSql(`create unique index invitation_to_register on invitation (email)
      where merchant_id is null and ended_at is null`);
    this.addSql('create index person_operator on person (id) where is_operator');
  }
}
