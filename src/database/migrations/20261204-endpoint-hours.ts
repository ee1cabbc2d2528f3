// What an endpoint's statistics and the filters of the API log are read from, and since when a webhook secret signs, so
// that what was sent can be shown as it was (decision 0096).

import { Migration } from '@mikro-orm/migrations';

/**
 * The attempts of an endpoint that started in an hour. `took`: how many took how long, by the classes of
 * response-times.ts. Dispatchers add to a row once a second, so it is changed in place.
 */
const ENDPOINT_HOUR = `create table if not exists webhook_endpoint_hour (
  endpoint_id text collate "C" not null,
  hour timestamptz not null,
  succeeded int not null,
  failed int not null,
  took int[] not null,
  failed_at timestamptz,
  response_code int,
  error text,
  primary key (endpoint_id, hour)
) with (fillfactor = 50)`;

/** A trigger, because programs of before, which may run beside, rotate secrets as well. */
const NOTE_SECRET = `create or replace function note_webhook_secret() returns trigger language plpgsql as $$
begin
  new.webhook_secret_since = now();
  return new;
end $$`;

/** Run outside a transaction, because of the index, which is made beside those who write. */
export class EndpointHoursMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    this.addSql(ENDPOINT_HOUR);
    this.addSql('create index if not exists webhook_endpoint_hour_age on webhook_endpoint_hour (hour)');
    // Calls that failed are few, and an index of those alone costs the others nothing.
    this.addSql('drop index concurrently if exists api_log_failed');
    this.addSql(`create index concurrently api_log_failed on api_log (merchant_id, at, id)
      where error_code is not null or status >= 400`);
    // Secrets of before may have been changed at any time until now; those of new merchants have been the same since.
    this.addSql('alter table merchant add column if not exists webhook_secret_since timestamptz default now()');
    this.addSql('alter table merchant alter column webhook_secret_since drop default');
    this.addSql(NOTE_SECRET);
    this.addSql(`create or replace trigger merchant_webhook_secret before update of webhook_secret on merchant
      for each row execute function note_webhook_secret()`);
  }
}
