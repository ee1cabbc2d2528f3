// Migrations as operators meet them: several processes at once, tables in use, programs of other versions.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { Client } from 'pg';
import { pino } from 'pino';
import { connectDatabase, type Database } from '../../src/database/connection.ts';
import { migrate } from '../../src/database/migrate.ts';
import { SCHEMA, SCHEMA_STEPS, type SchemaStep } from '../../src/database/migrations/index.ts';
import { readSchemaVersion, requireFitting } from '../../src/database/schema-version.ts';
import { VERSION } from '../../src/database/program.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { until } from '../support/until.ts';

/** Steps of a later release: their statements, and the oldest schema beside which they may run. */
const stepOf = (name: string, sql: string, oldestBeside = 1): SchemaStep => ({
  ...{ name, oldestBeside },
  class: class extends Migration {
    override up(): void {
      this.addSql(sql);
    }
  },
});

const ends: (() => Promise<unknown>)[] = [];
let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  ends.push(() => database.drop());
});
afterEach(async () => {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
});

/** A program that knows these steps beyond those of this version. */
const program = (...later: SchemaStep[]) => programOf([...SCHEMA_STEPS, ...later]);

async function programOf(steps: readonly SchemaStep[]): Promise<Database> {
  const log = pino({ level: 'silent' });
  const db = await connectDatabase({ url: database.url, poolMax: 3, log, steps });
  ends.push(() => db.close());
  return db;
}

async function client(name: string): Promise<Client> {
  const one = new Client({ connectionString: database.url, application_name: name });
  await one.connect();
  ends.push(() => one.end());
  return one;
}

const empty = () => database.sql('drop schema public cascade; create schema public');
const columns = async (table: string) => {
  const text = 'select column_name as name from information_schema.columns where table_name = $1';
  return (await database.sql<{ name: string }>(text, [table])).map(({ name }) => name);
};
/** What it does, or the message with which it fails. */
const messageOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => (error as Error).message,
  );

describe('an empty database', () => {
  it('gets all steps, and says which program made it so; a second time there is nothing to do', async () => {
    await empty();
    const db = await program();
    expect(await readSchemaVersion(db.em)).toMatchObject({ version: 0 });
    expect(await messageOf(requireFitting(db))).toBe(
      `DATABASE_URL: the database is empty, and Turnpike ${VERSION} needs schema ${SCHEMA}: run npm run migrate`,
    );
    expect(await migrate(db)).toEqual(SCHEMA_STEPS.map(({ name }) => name));
    expect(await readSchemaVersion(db.em)).toMatchObject({ version: SCHEMA, appliedBy: VERSION });
    await requireFitting(db);
    expect(await migrate(db)).toEqual([]);
  });

  it('is one where a start was killed before its first step was done', async () => {
    await empty();
    await database.sql(
      'create table migration (id serial primary key, name varchar(255), executed_at timestamptz default current_timestamp)',
    );
    const db = await program();
    expect(await readSchemaVersion(db.em)).toMatchObject({ version: 0 });
    expect(await migrate(db)).toHaveLength(SCHEMA);
  });

  it('gets each step once from two processes at once; the second says that it waits', async () => {
    await empty();
    const slow = stepOf('slow', 'select pg_sleep(0.5)');
    const [one, other] = [await program(slow), await program(slow)];
    const said: string[] = [];
    const both = await Promise.all([one, other].map((db) => migrate(db, (text) => said.push(text))));
    expect(both.map((applied) => applied.length).sort()).toEqual([0, SCHEMA + 1]);
    expect(said).toEqual(['Waiting for another process that migrates the database']);
  });
});

describe('a database of the first release', () => {
  it('is recognised without versions, and keeps the time of its own step', async () => {
    await empty();
    const first = await programOf(SCHEMA_STEPS.slice(0, 1));
    await migrate(first);
    // A later schema does not let it go on.
    await first.close();
    const db = await program();
    expect(await readSchemaVersion(db.em)).toEqual({ version: 1, oldestBeside: 1, appliedBy: '0.2.0' });
    expect(await messageOf(requireFitting(db))).toMatch(/has schema 1, and .* run npm run migrate/);
    expect(await migrate(db)).toHaveLength(SCHEMA - 1);
    const [own] = await database.sql<{ same: boolean }>(
      `select v.applied_at = m.executed_at as same from schema_version v, migration m
       where v.version = 1 and m.name = v.name and v.applied_by = '0.2.0'`,
    );
    expect(own).toEqual({ same: true });
  });
});

describe('a step that is not a transaction', () => {
  it('is made anew where its making was cut short, and never held up by those who wait for their turn', async () => {
    const concurrent: SchemaStep = {
      ...{ name: '20990101-concurrent', oldestBeside: 1 },
      class: class extends Migration {
        override isTransactional(): boolean {
          return false;
        }
        override up(): void {
          this.addSql('drop index concurrently if exists later');
          this.addSql('create unique index concurrently later on merchant (company_name)');
        }
      },
    };
    const add = (id: string) =>
      database.sql(
        `insert into merchant (id, email, company_name, webhook_secret, created_at) values ($1, $1, 'Shop', '', now())`,
        [id],
      );
    await add('mer_a');
    await add('mer_b');
    const db = await program(concurrent);
    expect(await messageOf(migrate(db))).toMatch(/could not create unique index/);
    expect(await readSchemaVersion(db.em)).toMatchObject({ version: SCHEMA });
    await database.sql(`update merchant set company_name = id`);
    const [one, other] = [await program(concurrent), await program(concurrent)];
    const all = await Promise.all([db, one, other].map((each) => migrate(each)));
    expect(all.flat()).toEqual([concurrent.name]);
    const [index] = await database.sql<{ valid: boolean }>(
      `select indisvalid as valid from pg_index where indexrelid = 'later'::regclass`,
    );
    expect(index).toEqual({ valid: true });
    expect(await readSchemaVersion(db.em)).toMatchObject({ version: SCHEMA + 1 });
  });
});

describe('a step', () => {
  it('that fails leaves nothing of itself, and those before it stay', async () => {
    const [good, bad] = [
      stepOf('good', 'alter table merchant add column good text'),
      stepOf('bad', 'alter table merchant add column bad text; select 1 / 0'),
    ];
    const db = await program(good, bad);
    expect(await messageOf(migrate(db))).toMatch(/division by zero/);
    expect(await columns('merchant')).toContain('good');
    expect(await columns('merchant')).not.toContain('bad');
    expect(await readSchemaVersion(db.em)).toMatchObject({ version: SCHEMA + 1 });
  });

  it('that needs a table in use waits without holding up those who only read it, and is applied then', async () => {
    const reader = await client('a report');
    await reader.query('begin');
    await reader.query('select 1 from merchant');
    const db = await program(stepOf('wide', 'alter table merchant add column wide text'));
    const said: string[] = [];
    const migrating = migrate(db, (text) => said.push(text));
    await until(() => Promise.resolve(said.length > 0));
    expect(said).toEqual([`Waiting for a table that schema ${SCHEMA + 1} changes`]);
    // Between its attempts, and after the limit of one at the latest, others get through.
    await database.sql('select 1 from merchant');
    await reader.query('commit');
    expect(await migrating).toEqual(['wide']);
    expect(await columns('merchant')).toContain('wide');
  });

  it('is refused while a program is connected that could not go on beside it', async () => {
    const db = await program(stepOf('contract', 'alter table merchant drop column locale', SCHEMA + 1));
    const [older, foreign] = [await client('turnpike 0.2.7, schema 1'), await client('psql')];
    expect(await messageOf(migrate(db))).toBe(
      `DATABASE_URL: programs are connected that cannot go on with schema ${SCHEMA + 1}, which needs those of schema ${SCHEMA + 1} or newer: stop turnpike 0.2.7, schema 1 first`,
    );
    expect(await columns('merchant')).toContain('locale');
    await older.end();
    ends.splice(ends.length - 2, 1);
    await until(async () => (await messageOf(migrate(db))) === null);
    expect(await columns('merchant')).not.toContain('locale');
    await foreign.query('select 1');
  });

  it('of the first release, whose programs say no more than their name, counts as schema 1', async () => {
    const db = await program(stepOf('contract', 'select 1', 2));
    await client('turnpike');
    expect(await messageOf(migrate(db))).toMatch(/stop turnpike first$/);
  });
});

describe('an older program', () => {
  it('runs on a newer schema beside which it may, and changes nothing', async () => {
    await migrate(await program(stepOf('expand', 'alter table merchant add column later text')));
    const db = await program();
    await requireFitting(db);
    expect(await migrate(db)).toEqual([]);
  });

  it('is refused on one beside which it may not, and is told which it is and which it needs', async () => {
    await migrate(await program(stepOf('contract', 'select 1', SCHEMA + 1)));
    const db = await program();
    const told = `DATABASE_URL: the database has schema ${SCHEMA + 1} of Turnpike ${VERSION}, beside which only programs that know schema ${SCHEMA + 1} may run; this is Turnpike ${VERSION}, which knows ${SCHEMA}: start a newer one`;
    expect(await messageOf(requireFitting(db))).toBe(told);
    expect(await messageOf(migrate(db))).toBe(told);
  });
});

describe('merchants of before there were people', () => {
  it('become one person each, their owner, with their password, sessions and keys', async () => {
    await empty();
    const before = SCHEMA_STEPS.slice(
      0,
      SCHEMA_STEPS.findIndex(({ name }) => name.endsWith('-people')),
    );
    await migrate(await programOf(before));
    await database.sql(
      `insert into merchant (id, email, company_name, password_hash, webhook_secret, created_at) values
         ('mer_1', 'one@shop.example', 'One', 'hash', '', '2026-01-01'), ('mer_2', 'two@shop.example', 'Two', null, '', '2026-01-02')`,
    );
    await database.sql(
      `insert into owner_session (id, merchant_id, created_at, expires_at, ip)
       values ('ses_1', 'mer_1', '2026-01-03', '2026-01-04', '::1')`,
    );
    await database.sql(
      `insert into api_key (key_id, merchant_id, secret_digest, name, permissions, ip_whitelist, created_at)
       values ('pk_1', 'mer_2', '', 'Key', '{}', '{}', '2026-01-03')`,
    );
    await migrate(await programOf(SCHEMA_STEPS));
    const people = `select p.id, p.email, p.password_hash as hash, p.email_verified_at as verified, m.merchant_id, m.role,
      m.approves_from <= now() as approves from person p join membership m on m.person_id = p.id order by p.id`;
    expect(await database.sql(people)).toEqual([
      {
        ...{ id: 'usr_1', email: 'one@shop.example', hash: 'hash', verified: null },
        ...{ merchant_id: 'mer_1', role: 'OWNER', approves: true },
      },
      {
        ...{ id: 'usr_2', email: 'two@shop.example', hash: null, verified: null },
        ...{ merchant_id: 'mer_2', role: 'OWNER', approves: true },
      },
    ]);
    expect(await database.sql('select person_id from owner_session')).toEqual([{ person_id: 'usr_1' }]);
    expect(await database.sql('select created_by from api_key')).toEqual([{ created_by: 'usr_2' }]);
  });
});
