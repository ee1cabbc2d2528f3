// A database's schema as text: what PostgreSQL's catalogue says of every table, sequence, function and type, in an
// order that does not depend on when they were made.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ClientBase } from 'pg';

/** A heading such as `table payment`, with the lines that describe it. */
export type Catalogue = ReadonlyMap<string, readonly string[]>;

/** The recorded catalogue, written by `scripts/record-catalogue.ts`. */
export const RECORDED_AT = fileURLToPath(new URL('../../../test/database/catalogue.txt', import.meta.url));

const INDENT = '  ';

/** The catalogue as it was recorded. */
export function readRecorded(): Catalogue {
  const catalogue = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of readFileSync(RECORDED_AT, 'utf8').split('\n')) {
    if (line.startsWith(INDENT)) lines.push(line.slice(INDENT.length));
    else if (line !== '') catalogue.set(line, (lines = []));
  }
  return catalogue;
}

/** The recorded form: headings at the margin, their lines indented. */
export function printCatalogue(catalogue: Catalogue): string {
  const blocks = [...catalogue].map(([name, lines]) => [name, ...lines.map((line) => INDENT + line)].join('\n'));
  return `${blocks.join('\n\n')}\n`;
}

/** Reads the catalogue of the database that the client is connected to. */
export async function readCatalogue(client: ClientBase): Promise<Catalogue> {
  // Objects in `public` are printed without their schema.
  await client.query("set search_path to public; set timezone to 'UTC'");
  const found = new Map<string, string[]>();
  for (const text of PARTS) {
    const { rows } = await client.query<{ item: string; line: string | null }>(text);
    for (const { item, line } of rows) {
      const lines = found.get(item) ?? [];
      found.set(item, line === null ? lines : [...lines, ...line.split('\n')]);
    }
  }
  for (const [item, lines] of await readRows(client, [...found.keys()])) found.set(item, lines);
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** The rows that migrations insert; when, and by which program, does not count. */
async function readRows(client: ClientBase, items: readonly string[]): Promise<[string, string[]][]> {
  const result: [string, string[]][] = [];
  for (const table of items.filter((item) => item.startsWith('table ')).map((item) => item.slice('table '.length))) {
    const row = table === 'schema_version' ? `to_jsonb(t) - 'applied_at' - 'applied_by'` : 'to_json(t)';
    const { rows } = await client.query<{ line: string }>(
      `select line from (select (${row})::text as line from ${table} t) r order by line collate "C"`,
    );
    if (rows.length > 0) result.push([`rows of ${table}`, rows.map(({ line }) => line)]);
  }
  return result;
}

/** Everything except what comes with the server, and the migrator's own table. */
const OURS = `n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`;
const OUR_RELATION = `${OURS} and c.relname not in ('migration', 'migration_id_seq', 'migration_pkey')`;

/** The kind and name of a relation, from `pg_class c`. */
const RELATION = `case c.relkind when 'r' then 'table' when 'S' then 'sequence' when 'v' then 'view'
  when 'm' then 'materialized view' when 'p' then 'partitioned table' when 'f' then 'foreign table'
  when 'c' then 'composite type' else 'relation' end || ' ' || c.oid::regclass`;

const RELATIONS = `
select ${RELATION} as item, nullif(concat_ws(', ',
    case c.relpersistence when 'u' then 'unlogged' end,
    'with ' || array_to_string(c.reloptions, ', '),
    'toast with ' || array_to_string(t.reloptions, ', '),
    case when c.relrowsecurity then 'row level security' end,
    case when c.relforcerowsecurity then 'forced row level security' end,
    case when c.relkind = 'r' and c.relreplident <> 'd' then 'replica identity ' || c.relreplident::text end,
    case when c.reltablespace <> 0 then 'in another tablespace' end,
    'granted ' || c.relacl::text,
    'comment ' || quote_literal(obj_description(c.oid, 'pg_class')),
    case when c.relkind in ('v', 'm') then 'as ' || pg_get_viewdef(c.oid) end), '') as line
from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_class t on t.oid = c.reltoastrelid
where ${OUR_RELATION} and c.relkind not in ('i', 'I', 't')`;

const SEQUENCES = `
select ${RELATION} as item, format('%s, starts at %s, by %s, from %s to %s, cache %s%s, %s',
    s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache,
    case when s.seqcycle then ', cycles' else '' end,
    coalesce('of ' || d.refobjid::regclass || '.' || a.attname, 'of no column')) as line
from pg_sequence s join pg_class c on c.oid = s.seqrelid join pg_namespace n on n.oid = c.relnamespace
left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i')
left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
where ${OUR_RELATION}`;

/** In the order of the table, because some queries read or write whole rows. */
const COLUMNS = `
select ${RELATION} as item, concat_ws(' ', 'column', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
    case when a.attcollation <> y.typcollation then 'collate ' || a.attcollation::regcollation end,
    case when a.attnotnull then 'not null' end,
    case when a.attidentity <> '' then
      'generated ' || case a.attidentity when 'a' then 'always' else 'by default' end || ' as identity' end,
    case when a.attgenerated <> '' then 'generated ' || a.attgenerated::text end,
    'default ' || pg_get_expr(e.adbin, e.adrelid),
    case when a.attstorage <> y.typstorage then 'storage ' || a.attstorage::text end,
    case when a.attcompression <> '' then 'compression ' || a.attcompression::text end,
    'statistics ' || a.attstattarget,
    'with ' || a.attoptions::text,
    'granted ' || a.attacl::text,
    'comment ' || quote_literal(col_description(c.oid, a.attnum))) as line
from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
join pg_type y on y.oid = a.atttypid
left join pg_attrdef e on e.adrelid = a.attrelid and e.adnum = a.attnum
where ${OUR_RELATION} and c.relkind not in ('i', 'I', 't', 'S') and a.attnum > 0 and not a.attisdropped
order by c.oid, a.attnum`;

/** A column's NOT NULL is printed with the column, unless it has a name or state of its own. */
const CONSTRAINTS = `
select coalesce(${RELATION}, 'domain ' || k.contypid::regtype) as item,
  concat_ws(' ', 'constraint', quote_ident(k.conname), pg_get_constraintdef(k.oid),
    'comment ' || quote_literal(obj_description(k.oid, 'pg_constraint'))) as line
from pg_constraint k join pg_namespace n on n.oid = k.connamespace left join pg_class c on c.oid = k.conrelid
where ${OURS} and coalesce(c.relname, '') <> 'migration' and k.contype <> 't'
  and not (k.contype = 'n' and k.convalidated and k.conname = c.relname || '_' || (
    select a.attname from pg_attribute a where a.attrelid = k.conrelid and a.attnum = k.conkey[1]) || '_not_null')
order by k.conname collate "C"`;

/** Includes the indexes of constraints. */
const INDEXES = `
select ${RELATION} as item, concat_ws(', ', pg_get_indexdef(x.indexrelid),
    case when not x.indisvalid then 'invalid' end,
    case when x.indisclustered then 'clustered' end,
    case when x.indisreplident then 'replica identity' end,
    case when i.reltablespace <> 0 then 'in another tablespace' end,
    'comment ' || quote_literal(obj_description(i.oid, 'pg_class'))) as line
from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
join pg_namespace n on n.oid = c.relnamespace
where ${OUR_RELATION}
order by i.relname collate "C"`;

const TRIGGERS = `
select ${RELATION} as item, concat_ws(', ', pg_get_triggerdef(t.oid),
    case t.tgenabled when 'O' then null when 'D' then 'disabled' else 'enabled ' || t.tgenabled::text end,
    'comment ' || quote_literal(obj_description(t.oid, 'pg_trigger'))) as line
from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
where ${OUR_RELATION} and not t.tgisinternal
order by t.tgname collate "C"`;

const FUNCTIONS = `
select 'function ' || p.oid::regprocedure as item, concat_ws(E'\\n',
    case when p.prokind = 'a' then 'aggregate' else rtrim(pg_get_functiondef(p.oid), E'\\n') end,
    'granted ' || p.proacl::text,
    'comment ' || quote_literal(obj_description(p.oid, 'pg_proc'))) as line
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where ${OURS}`;

const TYPES = `
select case t.typtype when 'e' then 'enum ' when 'd' then 'domain ' else 'type ' end || t.oid::regtype as item,
  concat_ws(', ',
    (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid),
    case when t.typtype = 'd' then format_type(t.typbasetype, t.typtypmod) || case when t.typnotnull then ' not null' else '' end end,
    'default ' || t.typdefault,
    'granted ' || t.typacl::text,
    'comment ' || quote_literal(obj_description(t.oid, 'pg_type'))) as line
from pg_type t join pg_namespace n on n.oid = t.typnamespace
where ${OURS} and t.typrelid = 0 and t.typelem = 0`;

/** Kinds that we do not use so far, by name only: one that is used gets a part of its own. */
const OTHER_KINDS = [
  ...['cast', 'collation', 'conversion', 'default_acl', 'event_trigger', 'extension', 'foreign_server', 'language'],
  ...['namespace', 'opclass', 'operator', 'opfamily', 'policy', 'publication', 'statistic_ext', 'subscription'],
  ...['transform', 'ts_config', 'ts_dict', 'user_mapping'],
].map((kind) => `select 'pg_${kind}'::regclass as kind, oid from pg_${kind}`);
/** The first identifier that does not belong to the server itself. */
const FIRST_OF_OURS = 16_384;
const OTHERS = `
select 'something else' as item, i.type || ' ' || i.identity as line
from (${OTHER_KINDS.join(' union all ')}
  union all select 'pg_rewrite'::regclass, oid from pg_rewrite where rulename <> '_RETURN') o,
  lateral pg_identify_object(o.kind, o.oid, 0) i
where o.oid >= ${FIRST_OF_OURS} and i.identity !~ '^pg_(toast_)?temp'
union all
select 'something else', 'setting ' || unnest(s.setconfig)
from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase where d.datname = current_database()
order by 2`;

const PARTS = [RELATIONS, SEQUENCES, COLUMNS, CONSTRAINTS, INDEXES, TRIGGERS, FUNCTIONS, TYPES, OTHERS];
