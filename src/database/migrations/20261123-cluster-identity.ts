// Which server this database was on when it was last written, so that a copy of it is known for one; what became of it
// since; and for addresses made ahead, under which copy and in which run of the server they were.

import { Migration } from '@mikro-orm/migrations';

// One row, written whole. `written_in` is the transaction that wrote it: it is the row's own `xmin` for as long as nobody
// loaded the row from a dump. `server_run` is when the server was started, as text, because it is only ever compared.
const IDENTITY = `
create table cluster_identity (
  one boolean primary key default true check (one),
  system_identifier text not null,
  timeline int not null,
  database_oid bigint not null,
  server_run text not null,
  server_started_at timestamptz not null,
  written_in text not null,
  adoptions int not null,
  adopted_at timestamptz
);
`;

// Append-only by use. `cursors` is how far each network was read then: {"ETH": {"height": 7, "hash": "0x…"}}.
const CHANGE = `
create table cluster_change (
  number bigint generated always as identity primary key,
  kind text not null check (kind in ('FIRST', 'RESTART', 'ADOPTION')),
  reason text not null,
  adoption int not null,
  cursors jsonb not null,
  at timestamptz not null
);
`;

// An address of another adoption or run is not handed out any more.
const POOL = `
alter table address_pool add column epoch int not null default 0, add column server_run text not null default '';
`;

// Derivation without hardened indexes ends there.
const LIMIT = `
alter table derivation_account add check (next_index between 0 and 2147483648);
`;

export class ClusterIdentityMigration extends Migration {
  override up(): void {
    this.addSql(IDENTITY);
    this.addSql(CHANGE);
    this.addSql(POOL);
    this.addSql(LIMIT);
  }
}
