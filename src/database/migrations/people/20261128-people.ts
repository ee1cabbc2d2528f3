// People: who signs in, for which merchants, and as what. Each merchant of before becomes one person, their owner.

import { Migration } from '@mikro-orm/migrations';

/** email: in lower case. held_until: until then they approve nothing and loosen nothing. */
const PERSON = `create table person (
  id text collate "C" primary key,
  email text not null unique,
  email_verified_at timestamptz,
  password_hash text,
  name text not null,
  locale text,
  held_until timestamptz,
  last_merchant_id text collate "C" references merchant (id),
  created_at timestamptz not null
)`;

const CUSTOM_ROLE = `create table custom_role (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  name text not null,
  permissions text[] not null check (cardinality(permissions) > 0),
  created_at timestamptz not null
)`;

/** approves_from: since when they may approve payouts; null if they never could. */
const MEMBERSHIP = `create table membership (
  merchant_id text collate "C" not null references merchant (id),
  person_id text collate "C" not null references person (id),
  role text not null check (role in ('OWNER', 'ADMIN', 'DEVELOPER', 'ACCOUNTANT', 'SUPPORT', 'VIEWER', 'CUSTOM')),
  role_id text collate "C" references custom_role (id),
  approves_from timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, person_id),
  check ((role = 'CUSTOM') = (role_id is not null))
)`;

/** A merchant and their person end alike, which makes the id of one that of the other. */
const OWNERS = [
  `insert into person (id, email, password_hash, name, last_merchant_id, created_at)
   select 'usr_' || substr(id, 5), email, password_hash, '', id, created_at from merchant`,
  `insert into membership (merchant_id, person_id, role, approves_from, created_at)
   select id, 'usr_' || substr(id, 5), 'OWNER', created_at, created_at from merchant`,
  `update owner_session set person_id = 'usr_' || substr(merchant_id, 5)`,
  `update api_key set created_by = 'usr_' || substr(merchant_id, 5)`,
];

// Programs of before know only the columns of a merchant. While they run beside this one, what they write is brought
// over, and the password back; the next release drops this with the columns. It says of the merchants that it makes
// itself that they have people. No role needs rights of its own for what the triggers do.
const BESIDE = [
  `create function owner_of_merchant() returns trigger language plpgsql
   security definer set search_path from current as $$
   begin
     insert into person (id, email, password_hash, name, last_merchant_id, created_at)
     values ('usr_' || substr(new.id, 5), new.email, new.password_hash, '', new.id, new.created_at);
     insert into membership (merchant_id, person_id, role, approves_from, created_at)
     values (new.id, 'usr_' || substr(new.id, 5), 'OWNER', new.created_at, new.created_at);
     return null;
   end $$`,
  `create trigger merchant_owner after insert on merchant for each row when (not new.has_people)
   execute function owner_of_merchant()`,
  `create function password_of_owner() returns trigger language plpgsql
   security definer set search_path from current as $$
   begin
     update person set password_hash = new.password_hash
     where email = new.email and password_hash is distinct from new.password_hash;
     return null;
   end $$`,
  `create trigger merchant_password after update of password_hash on merchant for each row
   when (new.password_hash is distinct from old.password_hash) execute function password_of_owner()`,
  `create function password_of_merchant() returns trigger language plpgsql
   security definer set search_path from current as $$
   begin
     update merchant set password_hash = new.password_hash
     where email = new.email and password_hash is distinct from new.password_hash;
     return null;
   end $$`,
  `create trigger person_password after update of password_hash on person for each row
   when (new.password_hash is distinct from old.password_hash) execute function password_of_merchant()`,
  `create function person_of_session() returns trigger language plpgsql
   security definer set search_path from current as $$
   begin
     new.person_id := (select person_id from membership where merchant_id = new.merchant_id and role = 'OWNER'
       order by created_at, person_id limit 1);
     return new;
   end $$`,
  `create trigger owner_session_person before insert on owner_session for each row when (new.person_id is null)
   execute function person_of_session()`,
];

export class PeopleMigration extends Migration {
  override up(): void {
    for (const table of [PERSON, CUSTOM_ROLE, MEMBERSHIP]) this.addSql(table);
    this.addSql('create index membership_person on membership (person_id, created_at)');
    this.addSql('create unique index custom_role_name on custom_role (merchant_id, lower(name))');
    this.addSql('alter table owner_session add column person_id text collate "C" references person (id)');
    this.addSql('create index owner_session_of_person on owner_session (person_id, id) where ended_at is null');
    this.addSql('alter table api_key add column created_by text collate "C" references person (id)');
    this.addSql('alter table merchant add column has_people boolean not null default false');
    // One person may own several merchants.
    this.addSql('alter table merchant drop constraint merchant_email_key');
    this.addSql('create index merchant_email on merchant (email)');
    for (const statement of [...OWNERS, ...BESIDE]) this.addSql(statement);
  }
}
