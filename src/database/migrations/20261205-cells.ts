// Which cell a database is, where merchants are spread over several databases (decision 0100).

import { Migration } from '@mikro-orm/migrations';

/**
 * At most one row; none in a deployment without cells. `since`: identifiers made before have no cell in them. `mark`
 * tells this database from any other that is the same cell by mistake, and stays in its copies.
 */
const DEPLOYMENT_CELL = `create table deployment_cell (
  singleton boolean primary key default true check (singleton),
  cell smallint not null check (cell between 0 and 999),
  since timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  mark uuid not null default gen_random_uuid()
)`;

export class CellsMigration extends Migration {
  override up(): void {
    this.addSql(DEPLOYMENT_CELL);
  }
}
