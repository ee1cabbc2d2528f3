// Sign-ins that a mailed code is asked for, while an account is attacked.

import { Migration } from '@mikro-orm/migrations';

export class MailedCodesMigration extends Migration {
  override up(): void {
    this.addSql('alter table challenge drop constraint challenge_purpose_check');
    this.addSql(`alter table challenge add constraint challenge_purpose_check check (purpose in
      ('SIGN_IN', 'PASSKEY_SIGN_IN', 'MAIL_SIGN_IN', 'CONFIRMATION', 'TOTP_SETUP', 'PASSKEY_SETUP'))`);
    // Of a MAIL_SIGN_IN: the address that was given, under which its tries count; whether it has a person or not.
    this.addSql('alter table challenge add column email text');
    this.addSql('alter table challenge add column mail_shown_at timestamptz');
    // Strangers open challenges of nobody as they like; those of a person are found without them.
    this.addSql(`create index challenge_open on challenge (person_id, id)
      where person_id is not null and used_at is null`);
  }
}
