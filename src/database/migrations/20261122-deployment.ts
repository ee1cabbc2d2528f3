// Whose a database is: the sandbox's or live's. The two share none (contract, section 1).

import { Migration } from '@mikro-orm/migrations';

const TABLE = `
create table deployment (
  singleton boolean primary key default true check (singleton),
  environment text not null check (environment in ('sandbox', 'live')),
  created_at timestamptz not null default now()
)`;

// A database that is in use says by its keys whose it is.
const IN_USE = `
insert into deployment (environment)
select case when starts_with(key_id, 'pk_live_') then 'live' else 'sandbox' end from api_key limit 1`;

export class DeploymentMigration extends Migration {
  override up(): void {
    this.addSql(TABLE);
    this.addSql(IN_USE);
  }
}
