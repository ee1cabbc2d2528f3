// What makes and drops the monthly partitions of history, where an operator has turned them on (decision 0101). Without
// that the tables stay as they are, and these functions do nothing.

import { Migration } from '@mikro-orm/migrations';

/**
 * SQL: the least key of a table's rows from an instant on. Of ids it is that of `firstIdOf` without the zeros at its
 * end, which sorts the same. Both forms of ids sort by time, those of a cell after all others.
 */
const BOUND = `create or replace function partition_bound(relation text, instant timestamptz) returns text
language plpgsql stable set timezone = 'UTC' set datestyle = 'ISO' as $$
declare
  since timestamptz := (select c.since from deployment_cell c);
  number bigint := floor(extract(epoch from instant) * 1000);
  letters int := 10;
  bound text := '';
begin
  if relation = 'api_log' then return instant::text; end if;
  if instant < since then since := null; end if;
  if since is null then
    number := number << 2;
  else
    letters := 8;
    number := least(number - 1577836800000, (1::bigint << 40) - 1);
  end if;
  for place in reverse letters - 1 .. 0 loop
    bound := bound || substr('0123456789abcdefghjkmnpqrstvwxyz', ((number >> (5 * place)) & 31)::int + 1, 1);
  end loop;
  return 'dlv_' || bound;
end $$`;

/** SQL: a table's partitions but the default one, with the key that each ends before, as the catalogue has them. */
const PARTITIONS = `create or replace function partitions_of(relation text)
returns table (name text, upto text) language sql stable set timezone = 'UTC' set datestyle = 'ISO' as $$
  select c.relname::text, substring(pg_get_expr(c.relpartbound, c.oid) from ' TO \\(''([^'']*)''\\)$') collate "C"
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = to_regclass(quote_ident(relation)) and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
$$`;

/**
 * SQL: how the two functions below run: with the owner's rights, since no process has the right to change tables. So
 * they name their tables themselves, find them where the migration did, and wait for no lock for long.
 */
const AS_OWNER = `language plpgsql security definer set search_path = {schema}, pg_temp set lock_timeout = '300ms'
  set timezone = 'UTC' set datestyle = 'ISO'`;

/** The first half of the key is that of src/database/advisory-lock.ts. */
const BEGIN = `
  if relation not in ('api_log', 'webhook_attempt') then raise exception 'no history: %', relation; end if;
  if instant > now() + interval '1 day' then raise exception 'in the future: %', instant; end if;
  if not pg_try_advisory_xact_lock(7367002, hashtext('partitions')) then return busy; end if;
  select quote_ident(c.relname) into rest from pg_partitioned_table p join pg_class c on c.oid = p.partdefid
  where p.partrelid = to_regclass(relation);`;

/**
 * SQL: makes the partitions up to three months after that of an instant. Returns how many it made; null where the table
 * has none. The place of the next is where the newest ends: where a database became a cell in between, the month has a
 * second one. What the default partition has of its rows is moved.
 *
 * A conversion that was killed leaves a check behind, which the rows of the next month would fail: it is removed,
 * unless a migration is at work.
 */
const MAKE = `create or replace function make_partitions(relation text, instant timestamptz)
returns int ${AS_OWNER} as $$
declare
  busy constant int := 0;
  rest text;
  key text;
  month timestamptz;
  name text;
  first text;
  upto text;
  made int := 0;
begin${BEGIN}
  if rest is null then
    if exists (select from pg_constraint where conrelid = to_regclass(relation) and conname = relation || '_before')
      and pg_try_advisory_xact_lock(7367001)
    then execute format('alter table %I drop constraint %I', relation, relation || '_before'); end if;
    return null;
  end if;
  key := case relation when 'api_log' then 'at' else 'delivery_id' end;
  select max(p.upto collate "C") into first from partitions_of(relation) p;
  for ahead in 0 .. 3 loop
    month := date_trunc('month', instant) + ahead * interval '1 month';
    upto := partition_bound(relation, month + interval '1 month');
    continue when upto <= first collate "C";
    name := relation || to_char(month, '_YYYYMM');
    while to_regclass(quote_ident(name)) is not null loop name := name || 'b'; end loop;
    execute format('create table %I (like %I including defaults including indexes including storage)', name, relation);
    if relation = 'api_log' then execute format('alter table %I add primary key (id)', name); end if;
    execute format('lock table %s in access exclusive mode', rest);
    execute format('with moved as (delete from %1$s where %2$I >= %3$L and %2$I < %4$L returning *)
      insert into %5$I select * from moved', rest, key, first, upto, name);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', relation, name, first, upto);
    first := upto;
    made := made + 1;
  end loop;
  return made;
end $$`;

/**
 * SQL: drops the oldest partition if all that it can hold is older than an instant. Returns whether there may be
 * another one; null where the table has none. Attempts stay while a delivery of their partition waits for its next one.
 * What waits is found by the index of it alone, whatever statistics say.
 */
const DROP = `create or replace function drop_partition(relation text, instant timestamptz)
returns boolean ${AS_OWNER} set enable_seqscan = off as $$
declare
  busy constant boolean := false;
  rest text;
  bound text := partition_bound(relation, instant);
  oldest record;
begin${BEGIN}
  if rest is null then return null; end if;
  select p.name, p.upto into oldest from partitions_of(relation) p order by p.upto collate "C" limit 1;
  if oldest.upto is null or oldest.upto > bound collate "C" then
    execute format('delete from %s where %I < %L', rest,
      case relation when 'api_log' then 'at' else 'delivery_id' end, bound);
    return false;
  end if;
  if relation = 'webhook_attempt' and exists (
    select from (select d.id from webhook_delivery d where d.due_at is not null offset 0) waiting
    where waiting.id < oldest.upto)
  then return false; end if;
  execute format('drop table %I', oldest.name);
  return true;
end $$`;

export class PartitionsMigration extends Migration {
  override up(): void {
    this.addSql(BOUND);
    this.addSql(PARTITIONS);
    // The schema may have any name, which is known to the server alone.
    for (const text of [MAKE, DROP])
      this.addSql(
        `do $do$ begin execute replace($sql$${text}$sql$, '{schema}', quote_ident(current_schema())); end $do$`,
      );
    for (const name of ['make_partitions', 'drop_partition'])
      this.addSql(`revoke all on function ${name}(text, timestamptz) from public`);
  }
}
