// The database's roles: what each may not do, who may change the ledger's triggers, and rights that follow the schema.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase } from '../../src/database/connection.ts';
import {
  CHANGEABLE_COLUMNS,
  DATABASE_ROLES,
  READABLE_COLUMNS,
  RIGHTS,
  type DatabaseRole,
} from '../../src/database/roles/grants.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createTestDatabase, runSql, type TestDatabase } from '../support/database/database.ts';
import { createTestRoles, type TestRoles } from '../support/database/roles.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

let database: TestDatabase;
let roles: TestRoles;

beforeAll(async () => {
  database = await createTestDatabase();
  roles = await createTestRoles(database);
});
afterAll(() => roles.drop());

const refusal = (role: DatabaseRole | 'owner', statement: string) =>
  roles.as(role, statement).then(
    () => 'done',
    (error: unknown) => String((error as { code?: unknown }).code),
  );

/** PostgreSQL's code for a right that is missing. */
const DENIED = '42501';
/** What a trigger raises. */
const RAISED = 'P0001';

describe('no role but the owner', () => {
  it.each(DATABASE_ROLES)('changes the schema: %s', async (role) => {
    for (const statement of [
      'drop trigger posting_append_only on posting',
      'alter table posting disable trigger all',
      'alter table ledger_account drop column balance',
      'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$',
      'create table mine (id int)',
      'create schema mine',
      // It would be found before the ledger's own by the trigger that checks a posting.
      'create temporary table ledger_account (id bigint, currency text, network text)',
      'set session_replication_role = replica',
      'truncate posting',
      'update posting set amount = amount + 1',
      'delete from ledger_transaction',
      'update operator_log set actor = actor',
      `update schema_version set applied_by = applied_by`,
    ])
      expect([statement, await refusal(role, statement)]).toEqual([statement, DENIED]);
  });
});

describe('the owner', () => {
  it('may change the schema, and is held by the ledger’s triggers as long as they are there', async () => {
    await roles.as('owner', `insert into ledger_transaction (id, reference, created_at) values ('a', 'a', now())`);
    expect(await refusal('owner', `update ledger_transaction set reference = 'b'`)).toBe(RAISED);
    expect(await refusal('owner', 'truncate ledger_transaction cascade')).toBe(RAISED);
    expect(await refusal('owner', 'drop trigger posting_append_only on posting')).toBe('done');
    await roles.as(
      'owner',
      'create trigger posting_append_only before update or delete on posting for each row execute function refuse_change()',
    );
  });

  it('may not let itself in elsewhere', async () => {
    expect(await refusal('owner', 'create role mine')).toBe(DENIED);
    expect(await refusal('owner', 'create schema mine')).toBe(DENIED);
  });
});

describe('a role', () => {
  it.each([
    ['api', `insert into transfer (id) values ('a')`],
    ['api', `insert into deposit (id) values ('a')`],
    ['api', 'update sender set next_nonce = 0'],
    ['api', 'delete from signing_halt'],
    ['signer', 'update payout_freeze set lifted_at = now()'],
    ['observer', 'update payout_freeze set lifted_at = now()'],
    ['observer', 'select secret_digest from api_key'],
    ['observer', 'select * from merchant'],
    ['dispatcher', 'select password_hash from merchant'],
    ['dispatcher', `insert into posting (amount) values (1)`],
    ['dispatcher', `insert into payout (id) values ('a')`],
    ['dispatcher', `select * from owner_session`],
    ['signer', 'select webhook_secret from merchant'],
    ['signer', 'select * from api_key'],
    ['signer', 'select * from owner_session'],
    ['observer', `update payout_policy set rules = '{}'`],
    ['observer', `update payout_address set usable_at = now()`],
    ['observer', `update merchant set company_name = ''`],
    ['operator', 'select * from api_key'],
    ['monitor', 'select webhook_secret from merchant'],
    ['monitor', 'select secret_digest from api_key'],
    ['monitor', 'select * from idempotency'],
    ['monitor', 'select * from owner_session'],
    ['monitor', `update payout set status = 'FAILED'`],
  ] as const)('%s may not: %s', async (role, statement) => {
    expect(await refusal(role, statement)).toBe(DENIED);
  });

  it('has what its row of the table says, and nothing else', async () => {
    const verbs = { S: 'select', I: 'insert', U: 'update', D: 'delete' };
    const columns: Readonly<Record<string, typeof READABLE_COLUMNS>> = { S: READABLE_COLUMNS, U: CHANGEABLE_COLUMNS };
    for (const role of DATABASE_ROLES) {
      const has = await roles.as<{ table: string; verb: string }>(
        role,
        `select relname::text as table, verb from pg_class, unnest($1::text[]) as v (verb)
         where relnamespace = 'public'::regnamespace and relkind = 'r' and has_table_privilege(oid, verb)
         order by 1, 2`,
        [[...Object.values(verbs), 'truncate', 'references', 'trigger']],
      );
      const says = Object.entries(RIGHTS).flatMap(([table, rights]) =>
        [...(rights[role] ?? '')]
          .filter((letter) => !columns[letter]?.[table]?.[role])
          .map((letter) => ({ table, verb: verbs[letter as keyof typeof verbs] })),
      );
      const inOrder = (rows: typeof says) => rows.map(({ table, verb }) => `${verb} ${table}`).sort();
      expect([role, inOrder(has)]).toEqual([role, inOrder(says)]);
    }
  });

  it('belongs to one database: those of others may not connect to it', async () => {
    const other = await createTestDatabase();
    const others = await createTestRoles(other);
    const stranger = Object.assign(new URL(database.url), { username: new URL(others.urlOf('api')).username }).href;
    await expect(runSql(stranger, 'select 1')).rejects.toMatchObject({ code: DENIED });
    await others.drop();
  });
});

describe('each migration', () => {
  it('gives the roles their rights again, and takes what they should not have', async () => {
    const { username } = new URL(roles.urlOf('api'));
    await database.sql(`revoke all on payment from ${username}`);
    await database.sql(`grant all on posting to ${username}`);
    expect(await refusal('api', 'select 1 from payment')).toBe(DENIED);
    await roles.migrate();
    expect(await refusal('api', 'select 1 from payment')).toBe('done');
    expect(await refusal('api', 'update posting set amount = amount')).toBe(DENIED);
  });

  it('grants nothing where it runs as a role that may not', async () => {
    const db = await connectDatabase({
      url: roles.urlOf('api'),
      poolMax: 2,
      log: pino({ level: 'silent' }),
      patience: PATIENT_DATABASE,
    });
    expect(await migrate(db).finally(() => db.close())).toEqual([]);
  });
});

describe('roles.sql', () => {
  it('is run by a role that only makes roles and owns the database, and may be run again', async () => {
    const fresh = await createTestDatabase();
    const name = new URL(fresh.url).pathname.slice(1);
    await fresh.sql(`create role ${name}_admin login createrole`);
    await fresh.sql(`alter database ${name} owner to ${name}_admin`);
    await fresh.sql(`drop schema public cascade`);
    await fresh.sql(`create schema public authorization ${name}_admin`);
    const by = Object.assign(new URL(fresh.url), { username: `${name}_admin` }).href;
    const own = await createTestRoles(fresh, by);
    await createTestRoles(fresh, by);
    expect(await own.as('api', 'select count(*)::int as count from payment')).toEqual([{ count: 0 }]);
    expect(await own.as('api', 'select 1 from payment').then(() => 'done')).toBe('done');
    await expect(own.as('api', 'update posting set amount = 1')).rejects.toMatchObject({ code: DENIED });
    await own.drop();
  });

  it('keeps commits safe behind a pooler, too', async () => {
    const shown = `select current_setting('synchronous_commit') as safe,
      current_setting('idle_in_transaction_session_timeout') as idle`;
    await database.sql(`alter database ${new URL(database.url).pathname.slice(1)} set synchronous_commit = off`);
    expect(await roles.as('api', shown)).toEqual([{ safe: 'on', idle: '30s' }]);
  });
});
