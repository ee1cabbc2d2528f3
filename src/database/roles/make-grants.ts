// Grants the roles of the database the rights that they should have, and takes all others.

import { query, type EntityManager } from '../connection.ts';
import { CALLABLE, CHANGEABLE_COLUMNS, DATABASE_ROLES, READABLE_COLUMNS, RIGHTS, type DatabaseRole } from './grants.ts';

const COLUMNS_OF: Readonly<Record<string, typeof READABLE_COLUMNS>> = { S: READABLE_COLUMNS, U: CHANGEABLE_COLUMNS };

const VERBS = { S: 'select', I: 'insert', U: 'update', D: 'delete' } as const;

/**
 * Gives the roles that exist exactly these rights, in the current transaction, and returns their names. Without the
 * right to do so (for which one must be, or belong to, the owner of the tables), it does nothing: then there are no
 * such roles, or a program runs as one of them.
 */
export async function grantRights(em: EntityManager): Promise<string[]> {
  const [found] = await query<Omit<Place, 'name'> & { database: string; roles: string[]; owns: boolean }>(
    em,
    `select quote_ident(current_schema()) as schema, current_database() as database,
       array(select rolname::text from pg_roles where rolname = any(
         select current_database() || '_' || role from unnest($1::text[]) as r (role))) as roles,
       array(select relname::text from pg_class where relnamespace = current_schema()::regnamespace
         and relkind in ('r', 'p')) as tables,
       array(select proname::text from pg_proc where pronamespace = current_schema()::regnamespace and prosecdef) as functions,
       coalesce((select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('migration')), false) as owns`,
    [DATABASE_ROLES],
  );
  if (!found?.owns) return [];
  const { database, roles, ...place } = found;
  for (const role of DATABASE_ROLES) {
    const name = `${database}_${role}`;
    if (!roles.includes(name)) continue;
    for (const statement of statementsFor(role, { ...place, name: quoted(name) })) await query(em, statement);
  }
  return roles;
}

interface Place {
  readonly name: string;
  readonly schema: string;
  /** Those that exist: an older program may meet the tables of a newer one, and leaves them alone. */
  readonly tables: readonly string[];
  readonly functions: readonly string[];
}

function statementsFor(role: DatabaseRole, { name, schema, tables, functions }: Place): string[] {
  const own = tables.filter((table) => Object.hasOwn(RIGHTS, table)).sort();
  const statements = own.length === 0 ? [] : [`revoke all on table ${inSchema(own)} from ${name}`];
  for (const [letter, verb] of Object.entries(VERBS)) {
    const some = own.filter((table) => RIGHTS[table]?.[role]?.includes(letter));
    const whole = some.filter((table) => !COLUMNS_OF[letter]?.[table]?.[role]);
    if (whole.length > 0) statements.push(`grant ${verb} on table ${inSchema(whole)} to ${name}`);
  }
  for (const [letter, verb] of Object.entries(VERBS))
    for (const table of own) {
      const columns = COLUMNS_OF[letter]?.[table]?.[role];
      if (columns) statements.push(`grant ${verb} (${columns.join(', ')}) on table ${inSchema([table])} to ${name}`);
    }
  for (const called of functions.filter((one) => CALLABLE[one]?.includes(role)))
    statements.push(`grant execute on function ${inSchema([called])} to ${name}`);
  return statements;

  function inSchema(some: readonly string[]): string {
    return some.map((table) => `${schema}.${quoted(table)}`).join(', ');
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
