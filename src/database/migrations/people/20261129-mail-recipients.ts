// Addresses that can be brought back, which nobody else may take meanwhile; and the merchant that a mail is about.

import { Migration } from '@mikro-orm/migrations';

export class MailRecipientsMigration extends Migration {
  override up(): void {
    // Null for mails about a person, and for those of before.
    this.addSql('alter table mail add column merchant_id text collate "C"');
    this.addSql(`create index mail_link_reverts on mail_link (email) where kind = 'REVERT_EMAIL' and used_at is null`);
  }
}
