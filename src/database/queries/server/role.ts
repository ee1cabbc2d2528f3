// What the role of this connection may do beyond reading and writing rows.

import { query, type EntityManager } from '../../connection.ts';

export interface RoleRights {
  readonly name: string;
  readonly isSuperuser: boolean;
  /** Rights that concern the whole server, by the words with which they are granted. */
  readonly attributes: readonly string[];
  /** Whether it owns our tables, and so may change them and switch off their triggers. */
  readonly ownsTables: boolean;
}

const RIGHTS = `select rolname as name, rolsuper as "isSuperuser",
    array_remove(array[case when rolcreaterole then 'CREATEROLE' end, case when rolcreatedb then 'CREATEDB' end,
      case when rolreplication then 'REPLICATION' end, case when rolbypassrls then 'BYPASSRLS' end], null) as attributes,
    exists (select from pg_class where relnamespace = 'public'::regnamespace and relname = 'payment'
      and pg_has_role(current_user, relowner, 'member')) as "ownsTables"
  from pg_roles where rolname = current_user`;

export async function readRoleRights(em: EntityManager): Promise<RoleRights> {
  const [row] = await query<RoleRights>(em, RIGHTS);
  if (!row) throw new Error('The database server does not show our role');
  return row;
}
