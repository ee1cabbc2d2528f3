// The owner's sessions, the log of what was changed by whom, and what reports and API logs are read by.

import { Migration } from '@mikro-orm/migrations';

const SESSIONS = `
create table owner_session (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ip text not null
);
create index owner_session_merchant on owner_session (merchant_id, id);
`;

// `actor` is an API key's id, or `owner`; `target` what was changed, by its id.
const AUDIT = `
create table audit_log (
  id text collate "C" primary key,
  merchant_id text collate "C" not null references merchant (id),
  at timestamptz not null,
  actor text collate "C" not null,
  ip text not null,
  request_id text not null,
  action text not null,
  target text,
  details json not null
);
create index audit_log_merchant on audit_log (merchant_id, id);
`;

const API_LOG = `
drop index api_log_merchant;
create index api_log_merchant on api_log (merchant_id, at, id);
`;

// Whose business a transaction is, so that a report reads theirs and no other's.
const REPORTS = `
alter table ledger_transaction add column merchant_id text collate "C";
alter table ledger_transaction disable trigger ledger_transaction_append_only;
update ledger_transaction t set merchant_id = coalesce(
  (select merchant_id from payment p where p.id = t.payment_id),
  (select merchant_id from payout o where o.id = split_part(t.reference, '/', 2)));
alter table ledger_transaction enable trigger ledger_transaction_append_only;
create index ledger_transaction_merchant on ledger_transaction (merchant_id, created_at) where merchant_id is not null;
`;

export class AccountMigration extends Migration {
  override up(): void {
    for (const part of [SESSIONS, AUDIT, API_LOG, REPORTS]) this.addSql(part);
  }
}
