// Identities at a provider (OpenID Connect) that people sign in by, and the challenges of those sign-ins.

import { Migration } from '@mikro-orm/migrations';

/**
 * issuer, subject: as the provider names itself and the person, compared to the letter. label: the address or name that
 * the provider told when it was linked, to tell identities apart; it identifies nobody.
 */
const OIDC_IDENTITY = `create table oidc_identity (
  id text collate "C" primary key,
  person_id text collate "C" not null references person (id),
  issuer text collate "C" not null,
  subject text collate "C" not null,
  label text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  unique (issuer, subject)
)`;

export class IdentitiesMigration extends Migration {
  override up(): void {
    this.addSql(OIDC_IDENTITY);
    this.addSql('create index oidc_identity_person on oidc_identity (person_id, created_at)');
    // Programs of before ask for challenges by their purpose, and so meet none of the new ones.
    this.addSql('alter table challenge drop constraint challenge_purpose_check');
    this.addSql(`alter table challenge add constraint challenge_purpose_check check (purpose in
      ('SIGN_IN', 'PASSKEY_SIGN_IN', 'MAIL_SIGN_IN', 'CONFIRMATION', 'TOTP_SETUP', 'PASSKEY_SETUP', 'OIDC',
       'OIDC_LINK', 'OIDC_INVITATION'))`);
    // Of a CONFIRMATION: when the provider vouched for the person anew.
    this.addSql('alter table challenge add column vouched_at timestamptz');
  }
}
