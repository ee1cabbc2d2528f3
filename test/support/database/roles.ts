// The roles of deploy/postgres/roles.sql on a test's database.

import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { connectDatabase } from '../../../src/database/connection.ts';
import type { DatabaseRole } from '../../../src/database/roles/grants.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { runSql, type TestDatabase } from './database.ts';

/** The file's text; tests run from where they were compiled to. */
const ROLES_SQL = readFileSync(new URL('../../../../deploy/postgres/roles.sql', import.meta.url), 'utf8');

export interface TestRoles {
  /** The database's URL for one of its roles. */
  urlOf(role: DatabaseRole | 'owner'): string;
  /** Runs one statement as that role, on a connection of its own. */
  as<Row = Record<string, unknown>>(
    role: DatabaseRole | 'owner',
    text: string,
    parameters?: readonly unknown[],
  ): Promise<Row[]>;
  /** Migrates as the owner, which grants. */
  migrate(): Promise<void>;
  /** Drops the database, and the roles after it. */
  drop(): Promise<void>;
}

/** Makes the roles of a test's database and grants them their rights; `by` runs the file, a superuser by default. */
export async function createTestRoles(database: TestDatabase, by = database.url): Promise<TestRoles> {
  await runSql(by, ROLES_SQL);
  const name = new URL(database.url).pathname.slice(1);
  const urlOf = (role: string) => Object.assign(new URL(database.url), { username: `${name}_${role}` }).href;
  const roles: TestRoles = {
    urlOf,
    as: (role, text, parameters = []) => runSql(urlOf(role), text, parameters),
    migrate: async () => {
      const db = await connectDatabase({ url: urlOf('owner'), poolMax: 2, log: pino({ level: 'silent' }) });
      await migrate(db).finally(() => db.close());
    },
    drop: async () => {
      await database.drop();
      const cluster = Object.assign(new URL(database.url), { pathname: '/turnpike' }).href;
      const made = await runSql<{ role: string }>(
        cluster,
        'select quote_ident(rolname) as role from pg_roles where starts_with(rolname, $1)',
        [`${name}_`],
      );
      await runSql(cluster, `drop role ${made.map(({ role }) => role).join(', ')}`);
    },
  };
  await roles.migrate();
  return roles;
}
