// What is counted of attempts at signing in; sessions that were opened into a cookie; registrations' answers whose digest
// a password is part of go.

import { Migration } from '@mikro-orm/migrations';

// Keys are digests. Few rows are looked for by their time, and all of them are gone within a day.
const ATTEMPTS = `
create table sign_in_failure (
  key bytea primary key,
  failures int not null,
  counted_until timestamptz not null
);
create index sign_in_failure_age on sign_in_failure (counted_until);
create table sign_in_address (
  account bytea not null,
  address bytea not null,
  seen_at timestamptz not null,
  primary key (account, address)
);
create index sign_in_address_age on sign_in_address (seen_at);
`;

// Of sessions that are open already nobody knows, and scripts with tokens go on.
const SESSIONS = `
alter table owner_session add column by_cookie boolean not null default false;
create index owner_session_age on owner_session ((least(ended_at, expires_at)));
create index owner_session_open on owner_session (merchant_id, id) where ended_at is null;
`;

const REGISTRATIONS = `delete from idempotency where operation = 'registerMerchant'`;

export class DoorMigration extends Migration {
  override up(): void {
    for (const part of [ATTEMPTS, SESSIONS, REGISTRATIONS]) this.addSql(part);
  }
}
