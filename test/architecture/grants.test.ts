// The rights of the database's roles are those that the code of each role needs: no fewer, and no more.

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANGEABLE_COLUMNS, DATABASE_ROLES, READABLE_COLUMNS, RIGHTS } from '../../src/database/roles/grants.ts';
import { readSources, ROOT } from '../support/sources.ts';
import { needsOfText, readStatements, type Privilege } from './statements.fixture.ts';

const GATEWAY = 'src/gateway/gateway.ts#createGateway';
const NETWORKS = 'src/gateway/networks/open-networks.ts#openNetworks';
/** What the composition root enters for one role only. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  api: ['src/gateway/api.ts#startApi'],
  observer: [
    'src/observe/check-ledger.ts#createLedgerCheck',
    'src/observe/expire-invoices.ts#createInvoiceExpiry',
    'src/observe/run-settlements.ts#createSettlements',
    'src/observe/tell-operators.ts#createOperatorNotices',
    'src/observe/keep-directory.ts#createDirectoryUpkeep',
    'src/observe/report-cell.ts#createCellReport',
    'src/domain/retention.ts#createRetention',
    'src/domain/customers/age-erasure.ts#createAgeErasure',
    'src/gateway/rates/poll-rates.ts#startPolling',
    'src/observe/watch-deposits.ts#createDepositWatcher',
    'src/observe/reconcile-balances.ts#createReconciler',
  ],
  dispatcher: ['src/gateway/gateway.ts#startDispatch'],
  mailer: ['src/gateway/mail/start-mailer.ts#startMailer'],
  signer: ['src/gateway/networks/connect-network.ts#openSigner', 'src/gateway/wallet-metrics.ts#watchWallets'],
  // Works in another database, as a role of its own there.
  directory: ['src/gateway/cells/open-directory.ts#startDirectory'],
  // Migrations run as the owner.
  owner: [
    'src/database/migrate.ts#migrate',
    'src/database/partition.ts#partitionHistory',
    'src/database/migrations/index.ts#SCHEMA_STEPS',
    'src/database/migrations/index.ts#migrationsOf',
  ],
};
const ENTITIES = new Map([
  ['ApiKey', 'api_key'],
  ['Deposit', 'deposit'],
  ['Invoice', 'invoice'],
  ['Merchant', 'merchant'],
  ['Payment', 'payment'],
  ['PaymentLink', 'payment_link'],
  ['Payout', 'payout'],
  ['Quote', 'quote'],
  ['WebhookEndpoint', 'webhook_endpoint'],
]);

const catalogue = readFileSync(join(ROOT, 'test/database/catalogue.txt'), 'utf8');
// The migrator makes its own table.
const tables = [...[...catalogue.matchAll(/^table (\w+)/gm)].map(([, name = '']) => name), 'migration'].sort();
const statements = readStatements(readSources('src'), new Set(tables), ENTITIES);

/**
 * The programs of src/cli but the one that migrates, and the doctor, which has the role of the process that it checks.
 */
const tools = [...statements.declarations.keys()].filter(
  (id) => id.startsWith('src/cli/') && id.endsWith('#*') && !/^src\/cli\/(migrate\.ts|doctor\/)/.test(id),
);

function neededBy(role: string) {
  const closed = Object.entries(DOORS).flatMap(([other, doors]) => (other === role ? [] : doors));
  // Dispatchers and mailers open no network.
  if (role === 'dispatcher' || role === 'mailer') closed.push(NETWORKS);
  return statements.neededFrom(role === 'operator' ? tools : [GATEWAY], new Set(closed));
}

const LETTERS: readonly Privilege[] = ['S', 'I', 'U', 'D'];
const inOrder = (privileges: ReadonlySet<string>) => LETTERS.filter((letter) => privileges.has(letter)).join('');

describe('the rights of roles', () => {
  it.each(['api', 'observer', 'dispatcher', 'mailer', 'signer', 'operator'] as const)(
    '%s: what its code needs',
    (role) => {
      const needed = [...neededBy(role)].map(([table, privileges]) => [table, inOrder(privileges)]);
      const granted = Object.entries(RIGHTS).flatMap(([table, rights]) =>
        rights[role] ? [[table, rights[role]]] : [],
      );
      expect(needed.length).toBeGreaterThan(15);
      expect(Object.fromEntries(granted)).toEqual(Object.fromEntries(needed));
    },
  );

  it('directory: what its code needs, and nothing besides', () => {
    const { directory: doors = [], ...others } = DOORS;
    const closed = new Set(Object.values(others).flat());
    const needed = [...statements.neededFrom(doors, closed)].map(([table, privileges]) => [table, inOrder(privileges)]);
    const granted = Object.entries(RIGHTS).flatMap(([table, { directory }]) => (directory ? [[table, directory]] : []));
    expect(needed).toHaveLength(2);
    expect(Object.fromEntries(granted)).toEqual(Object.fromEntries(needed));
  });

  it('every table has a row, so that a new one is thought of', () => {
    expect(Object.keys(RIGHTS).sort()).toEqual(tables);
  });

  it('columns are named only for tables that the role reads', () => {
    for (const [table, readers] of Object.entries(READABLE_COLUMNS))
      for (const role of Object.keys(readers))
        expect([table, RIGHTS[table]?.[role as 'monitor']]).toEqual([table, expect.stringMatching(/^SU?$/)]);
    for (const [table, lockers] of Object.entries(CHANGEABLE_COLUMNS))
      for (const role of Object.keys(lockers))
        expect([table, RIGHTS[table]?.[role as 'observer']]).toEqual([table, 'SU']);
  });

  it('the ledger and the logs are changed by nobody', () => {
    for (const table of ['posting', 'ledger_transaction', 'audit_log', 'operator_log', 'cluster_change'])
      for (const role of DATABASE_ROLES) expect(RIGHTS[table]?.[role] ?? '').not.toMatch(/[UD]/);
  });

  it('every door is there, and leads somewhere', () => {
    for (const door of [GATEWAY, NETWORKS, ...Object.values(DOORS).flat()])
      expect([door, statements.declarations.get(door)?.mentions.length ?? 0]).toEqual([door, expect.any(Number)]);
    expect([...Object.values(DOORS).flat(), NETWORKS].filter((door) => !statements.declarations.has(door))).toEqual([]);
    expect(tools.length).toBeGreaterThan(5);
  });
});

describe('what a statement needs', () => {
  const known = new Set(['deposit', 'payment', 'posting', 'merchant', 'event']);
  const needs = (text: string) =>
    Object.fromEntries([...needsOfText(text, known)].map(([table, privileges]) => [table, inOrder(privileges)]));

  it.each([
    ['select amount, event from payment p, deposit d where true', { payment: 'S', deposit: 'S' }],
    [
      'select 1 from payment join merchant m on true left join event using (id)',
      { payment: 'S', merchant: 'S', event: 'S' },
    ],
    ['insert into posting (id) select * from unnest($1)', { posting: 'I' }],
    ['insert into event (id) values (1) on conflict do nothing', { event: 'I' }],
    ['insert into event (id) values (1) on conflict (id) do update set id = 1 returning id', { event: 'SIU' }],
    ['update payment p set status = 1 from deposit where true', { payment: 'SU', deposit: 'S' }],
    [
      'with old as (select id from event limit 1 for update skip locked) select 1 from payment',
      { event: 'SU', payment: 'S' },
    ],
    ['select 1 from payment p join merchant m on true for share of m', { payment: 'S', merchant: 'SU' }],
    ['delete from event e using payment where true', { event: 'SD', payment: 'S' }],
    ['lock table deposit in share mode', { deposit: 'U' }],
    ['the payment is of another merchant', {}],
  ])('%s', (text, expected) => {
    expect(needs(text)).toEqual(expected);
  });
});
