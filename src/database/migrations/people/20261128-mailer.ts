// What becomes of a mail: when it is due, who sends it now, and how it ended.

import { Migration } from '@mikro-orm/migrations';

/**
 * lease: of the attempt under way, fenced; a mail is taken again if its lease ends before it is recorded. failure: a
 * code of SMTP or of ours, never a server's text. expires_at: when its link ends. dedupe: what makes it the only one of
 * its kind. Mails of before were shown in the mailbox of the sandbox.
 */
const COLUMNS = `alter table mail
  add column status text not null default 'SENT' check (status in ('QUEUED', 'SENT', 'FAILED', 'SKIPPED')),
  add column attempts int not null default 0,
  add column due_at timestamptz not null default now(),
  add column lease text collate "C",
  add column leased_until timestamptz,
  add column ended_at timestamptz,
  add column failure text,
  add column expires_at timestamptz,
  add column dedupe text collate "C"`;

export class MailerMigration extends Migration {
  override up(): void {
    this.addSql(COLUMNS);
    this.addSql(`alter table mail alter column status set default 'QUEUED'`);
    this.addSql(`create index mail_due on mail (due_at, id) where status = 'QUEUED'`);
    this.addSql('create unique index mail_dedupe on mail (dedupe) where dedupe is not null');
  }
}
