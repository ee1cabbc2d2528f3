// Links that confirm an e-mail address, and those that take its change back.

import { Migration } from '@mikro-orm/migrations';

export class MailLinksMigration extends Migration {
  override up(): void {
    // The address to confirm, or to bring back; null for the other kinds.
    this.addSql('alter table mail_link add column email text');
    this.addSql('alter table mail_link drop constraint mail_link_kind_check');
    this.addSql(`alter table mail_link add constraint mail_link_kind_check
      check (kind in ('RESET_PASSWORD', 'VERIFY_EMAIL', 'REVERT_EMAIL'))`);
  }
}
