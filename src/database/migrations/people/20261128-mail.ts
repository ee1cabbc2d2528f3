// Mails to people, what their links lead to, and invitations.

import { Migration } from '@mikro-orm/migrations';

/** params: what the template says besides; never a secret. link: what the link of the mail is made from. */
const MAIL = `create table mail (
  id text collate "C" primary key,
  template text not null,
  recipient text not null,
  locale text not null,
  params json not null,
  link text collate "C",
  created_at timestamptz not null
)`;

const MAIL_LINK = `create table mail_link (
  id text collate "C" primary key,
  kind text not null check (kind in ('RESET_PASSWORD')),
  person_id text collate "C" not null references person (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
)`;

/** ended_at: when it was accepted, revoked or replaced. */
const INVITATION = `create table invitation (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  email text not null,
  role text not null check (role in ('OWNER', 'ADMIN', 'DEVELOPER', 'ACCOUNTANT', 'SUPPORT', 'VIEWER', 'CUSTOM')),
  role_id text collate "C" references custom_role (id) on delete set null,
  invited_by text collate "C" references person (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
)`;

export class MailMigration extends Migration {
  override up(): void {
    for (const table of [MAIL, MAIL_LINK, INVITATION]) this.addSql(table);
    this.addSql('create index mail_recipient on mail (recipient, id)');
    this.addSql(`create index mail_age on mail (created_at) where recipient <> ''`);
    this.addSql('create index mail_link_person on mail_link (person_id, created_at)');
    this.addSql('create index mail_link_age on mail_link (expires_at)');
    this.addSql('create unique index invitation_open on invitation (merchant_id, email) where ended_at is null');
    this.addSql('create index invitation_merchant on invitation (merchant_id, created_at)');
    this.addSql('create index invitation_age on invitation (expires_at)');
  }
}
