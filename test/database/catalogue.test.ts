// The migrations make exactly the schema recorded in catalogue.txt, down to the order of columns. After a deliberate
// change scripts/record-catalogue.ts records it anew, so that the review shows the change.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { printCatalogue, readCatalogue, readRecorded, type Catalogue } from './catalogue.fixture.ts';

const recorded = readRecorded();
let database: TestDatabase;
let client: Client;
let made: Catalogue;

beforeAll(async () => {
  database = await createTestDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
  made = await readCatalogue(client);
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

describe('the schema that the migrations make', () => {
  it('consists of what is recorded, and nothing else', () => {
    expect([...made.keys()]).toEqual([...recorded.keys()]);
  });

  it.each([...recorded.keys()])('has as recorded: %s', (item) => {
    expect(made.get(item)).toEqual(recorded.get(item));
  });

  it('is printed so that it can be read again', () => {
    expect(printCatalogue(recorded)).toBe(printCatalogue(made));
  });
});

/** A change of the schema, and the catalogue's line that appears or disappears with it. */
const CHANGES: readonly (readonly [string, string, string])[] = [
  ['drop index payment_open', 'table payment', 'CREATE INDEX payment_open'],
  ['drop trigger posting_asset on posting', 'table posting', 'CREATE TRIGGER posting_asset'],
  ['alter table posting disable trigger posting_append_only', 'table posting', 'DELETE OR UPDATE.*, disabled$'],
  ['alter table payment drop constraint payment_amount_check', 'table payment', '^constraint payment_amount_check'],
  ['alter table payment rename constraint payment_amount_check to c', 'table payment', '^constraint c CHECK'],
  [
    'alter table payment alter column merchant_id drop not null',
    'table payment',
    '^column merchant_id text.* not null$',
  ],
  ['alter table payment alter column version type bigint', 'table payment', '^column version bigint'],
  ['alter table payout alter column early set default true', 'table payout', '^column early boolean.*default true$'],
  [
    'alter table holding alter column network type text collate "default"',
    'table holding',
    '^column network text not null',
  ],
  ['alter table event_counter reset (fillfactor)', 'table event_counter', '^with fillfactor=50'],
  ['alter table event set (autovacuum_enabled = off)', 'table event', '^with autovacuum_enabled=off'],
  ['alter sequence posting_id_seq cache 5', 'sequence posting_id_seq', 'cache 5,'],
  ["comment on column payment.test is 'text'", 'table payment', "^column test .*comment 'text'"],
  ['grant select on payment to public', 'table payment', '^granted '],
  [
    "create or replace function refuse_change() returns trigger language plpgsql as 'begin end'",
    'function refuse_change()',
    'begin end',
  ],
  ["create type kind as enum ('A', 'B')", 'enum kind', "^'A', 'B'$"],
  ['create table another (id int)', 'table another', '^column id integer$'],
  ["insert into relay_cursor values ('webhooks', 1)", 'rows of relay_cursor', '"webhooks"'],
  ['create statistics s on network, currency from payment', 'something else', '^statistics object '],
];

describe('the catalogue', () => {
  it.each(CHANGES)('tells of: %s', async (change, item, line) => {
    await client.query('begin');
    try {
      await client.query(change);
      const changed = await readCatalogue(client);
      const has = (catalogue: Catalogue) => (catalogue.get(item) ?? []).some((text) => new RegExp(line).test(text));
      expect(has(changed)).toBe(!has(made));
    } finally {
      await client.query('rollback');
    }
  });

  it('tells of the order of columns', async () => {
    await client.query('begin');
    try {
      await client.query('alter table chain_block drop column height');
      await client.query(
        'alter table chain_block add column height bigint not null, add primary key (network, height)',
      );
      const changed = (await readCatalogue(client)).get('table chain_block') ?? [];
      const before = made.get('table chain_block') ?? [];
      expect(changed).not.toEqual(before);
      expect([...changed].sort()).toEqual([...before].sort());
    } finally {
      await client.query('rollback');
    }
  });
});
