// Second factors of people, the challenges that ask for them, and what sessions say about themselves.

import { Migration } from '@mikro-orm/migrations';

/**
 * TOTP: `sealed_secret`, and `last_step`, the last step of 30 seconds whose code was used. PASSKEY: its credential, and
 * the counter that it showed last.
 */
const FACTOR = `create table factor (
  id text collate "C" primary key,
  person_id text collate "C" not null references person (id),
  kind text not null check (kind in ('TOTP', 'PASSKEY')),
  label text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  sealed_secret bytea,
  last_step bigint,
  credential_id text unique,
  public_key bytea,
  counter bigint,
  transports text[],
  check ((kind = 'TOTP') = (sealed_secret is not null and last_step is not null)),
  check ((kind = 'PASSKEY') = (credential_id is not null and public_key is not null and counter is not null))
)`;

/** digest: SHA-256 of a code of 80 random bits. */
const RECOVERY_CODE = `create table recovery_code (
  person_id text collate "C" not null references person (id),
  digest bytea not null,
  used_at timestamptz,
  primary key (person_id, digest)
)`;

/**
 * Something that waits for an answer. person_id: null for a sign-in by passkey, which says itself whose it is.
 * session_id: the session that asked, the only one that can answer. webauthn: the random text that a passkey signs.
 */
const CHALLENGE = `create table challenge (
  id text collate "C" primary key,
  purpose text not null
    check (purpose in ('SIGN_IN', 'PASSKEY_SIGN_IN', 'CONFIRMATION', 'TOTP_SETUP', 'PASSKEY_SETUP')),
  person_id text collate "C" references person (id),
  session_id text collate "C",
  webauthn text,
  sealed_secret bytea,
  tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
)`;

// Programs of before ask for no factor. While they run beside this one they sign in nobody who has one: a session of
// theirs does not say when it was seen. The next release drops this.
const BESIDE = [
  `create function refuse_without_factor() returns trigger language plpgsql
   security definer set search_path from current as $$
   begin
     if exists (select from factor where person_id = new.person_id) then
       raise exception 'This program does not ask for the second factor';
     end if;
     return new;
   end $$`,
  `create trigger owner_session_without_factor before insert on owner_session for each row
   when (new.last_seen_at is null) execute function refuse_without_factor()`,
];

export class FactorsMigration extends Migration {
  override up(): void {
    for (const table of [FACTOR, RECOVERY_CODE, CHALLENGE]) this.addSql(table);
    this.addSql('create index factor_person on factor (person_id, created_at)');
    this.addSql('create index challenge_age on challenge (expires_at)');
    this.addSql('alter table owner_session add column user_agent text');
    this.addSql('alter table owner_session add column last_seen_at timestamptz');
    this.addSql(`alter table owner_session add column factors text[] not null default '{}'`);
    for (const statement of BESIDE) this.addSql(statement);
  }
}
