// What a cell is recorded in, and the starts that are refused: no two cells derive the same addresses where either can
// see it.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { accountXpub, COIN_TYPES } from '../../../src/custody/keys/account-keys.ts';
import { openSandboxSeed } from '../../../src/custody/keys/keystore.ts';
import { accountNumberOf } from '../../../src/chain/extended-key.ts';
import { verifyWallet } from '../../../src/cli/wallet/verify.ts';
import { withDatabase } from '../../../src/cli/with-database.ts';
import { readConfig } from '../../../src/config/config.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { storeAccounts } from '../../../src/gateway/networks/derivation-accounts.ts';
import { ownCell, useCell } from '../../../src/values/cells/own-cell.ts';
import { cellOf } from '../../../src/values/id.ts';
import { graphql, newMerchant, rest, send, USDT_PAYMENT } from '../../support/clients.ts';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../../support/database/database.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

const LONG = 90_000;
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';

let database: TestDatabase;
let folder: string;
/** What a test that fails leaves running. */
const running = new Set<TestGateway>();
beforeEach(async () => {
  database = await createTestDatabase();
  folder = await makeTestFolder('cells');
});
afterEach(async () => {
  await Promise.all([...running].map(stop));
  useCell(null);
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

type Variables = Readonly<Record<string, string>>;
const TOKEN_SECRET = { TURNPIKE_SECRET: 'only-for-this-test-00000000000000000' };
async function start(variables: Variables): Promise<TestGateway> {
  const gateway = await startTestGateway({
    ...{ DATABASE_URL: database.url, DATA_DIR: folder, ...TOKEN_SECRET },
    ...variables,
  });
  running.add(gateway);
  return gateway;
}
async function stop(gateway: TestGateway): Promise<void> {
  running.delete(gateway);
  await gateway.stop();
}

/** Why a start was refused, in the words for the operator. */
async function refusalOf(variables: Variables): Promise<string> {
  const started = await start(variables).catch((error: unknown) => error);
  if (started instanceof Error && started.name === 'StartError') return started.message;
  throw started instanceof Error ? started : new Error('It started');
}

describe('a database', () => {
  it(
    'that has become a cell is that cell for good, and its money is under the account of that number',
    async () => {
      const gateway = await start({ CELL: '3' });
      const shop = await newMerchant(gateway);
      const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201) as { orderId: string };
      dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, {}));
      await until(async () => dataOf(await shop.rest('GET', `/payments/${orderId}`)).status === 'SUCCEEDED', LONG);
      const payout = { currency: 'USDT', network: 'ETH', amount: '5', address: RECIPIENT };
      const asked = dataOf(await shop.rest('POST', '/wallet/withdraw', payout), 201) as { withdrawalId: string };
      const path = `/wallet/withdrawals/${asked.withdrawalId}`;
      await until(async () => dataOf(await shop.rest('GET', path)).status === 'COMPLETED', LONG);

      const [account] = await gateway.sql<{ xpub: string }>('select xpub from derivation_account');
      expect(accountNumberOf(account?.xpub ?? '')).toBe(3);
      const seed = await openSandboxSeed({ dataDir: folder });
      expect(await verifyWallet(gateway.deps.db, seed ?? new Uint8Array())).toMatchObject({ difference: null });
      expect((await verifyLedger(gateway.deps.db)).faults).toEqual([]);
      await stop(gateway);

      expect(await refusalOf({ CELL: '4' })).toBe('CELL: this database is of cell 3, and CELL says cell 4');
      expect(await refusalOf({})).toBe('CELL: this database is of cell 3, and CELL says no cell');
      const again = await start({ CELL: '3' });
      expect(dataOf(await rest(again, shop.token)('GET', path)).status).toBe('COMPLETED');
      await stop(again);
    },
    3 * LONG,
  );

  it(
    'that gave out addresses before becomes cell 0 and no other, and goes on with all that it has',
    async () => {
      const before = await start({});
      const shop = await newMerchant(before);
      const order = async (gateway: TestGateway) =>
        dataOf(await rest(gateway, shop.token)('POST', '/payments', USDT_PAYMENT), 201);
      const old = await order(before);
      await stop(before);
      expect(await refusalOf({ CELL: '5' })).toMatch(/^CELL: this database has addresses of the first account/);
      expect(await database.sql('select cell from deployment_cell')).toEqual([]);

      const gateway = await start({ CELL: '0' });
      const since = new Date(ownCell()?.since ?? 0).toISOString();
      const young = await order(gateway);
      expect([old.orderId, young.orderId].map(cellOf)).toEqual([null, 0]);
      expect(young.address).not.toBe(old.address);
      const listed = async (filter: object) => {
        const query = 'query ($filter: PaymentFilter) { payments(filter: $filter, first: 10) { nodes { id } } }';
        const answer = await graphql(gateway, shop.token)(query, { filter });
        return (answer.body.data.payments.nodes as { id: string }[]).map(({ id }) => id);
      };
      expect(await listed({})).toEqual([young.orderId, old.orderId]);
      expect(await listed({ startDate: since })).toEqual([young.orderId]);
      expect(await listed({ endDate: since })).toEqual([old.orderId]);
      expect((await send({ method: 'GET', url: `${gateway.url}/pay/${String(old.orderId)}` })).status).toBe(200);
      await stop(gateway);
    },
    LONG,
  );
});

describe('the signer', () => {
  it(
    "does not sign beside another database's with the same journal",
    async () => {
      const first = await start({ CELL: '3' });
      await stop(first);
      const other = await createTestDatabase();
      try {
        const shared = { DATABASE_URL: other.url, JOURNAL_DIR: folder };
        expect(await refusalOf({ ...shared, CELL: '3' })).toMatch(/^JOURNAL_DIR: .* another database that is cell 3/);
      } finally {
        await other.drop();
      }
    },
    LONG,
  );
});

describe('an extended public key', () => {
  const store = (cell: number | null, xpub: string) => {
    useCell(cell === null ? null : { cell, since: 0 });
    const config = readConfig({
      ...{ ...TOKEN_SECRET, DATABASE_URL: database.url, DATA_DIR: folder, ROLES: 'api' },
      ...{ ETH_RPC_URL: 'http://127.0.0.1:1', ETH_XPUB: xpub },
    });
    return withDatabase(config, async (db) => {
      useCell(cell === null ? null : { cell, since: 0 });
      await storeAccounts(config, { db });
    });
  };
  const xpubOf = (cell: number, seed: Uint8Array) => {
    useCell({ cell, since: 0 });
    return accountXpub(seed, COIN_TYPES.evm).xpub;
  };

  it('is that of the account whose number is the cell, so that no two cells can have the same', async () => {
    const seed = randomBytes(64);
    await expect(store(3, xpubOf(0, seed))).rejects.toThrow(
      'ETH_XPUB is of account 0, and CELL=3 needs that of account 3',
    );
    await expect(store(0, xpubOf(3, seed))).rejects.toThrow(
      'ETH_XPUB is of account 3, and CELL=0 needs that of account 0',
    );
    await store(3, xpubOf(3, seed));
  });

  it('is any account where there are no cells, as it was', async () => {
    await store(null, xpubOf(3, randomBytes(64)));
  });
});

describe("the operator's programs", () => {
  const config = (variables: Variables) =>
    readConfig({ ...TOKEN_SECRET, DATABASE_URL: database.url, DATA_DIR: folder, ...variables });
  const cellOfProgram = (variables: Variables) => withDatabase(config(variables), () => Promise.resolve(ownCell()));

  it('make what they make in the cell of the database, and refuse another', async () => {
    expect(await cellOfProgram({})).toBeNull();
    await expect(cellOfProgram({ CELL: '3' })).rejects.toThrow('no cell yet; start the gateway with CELL=3 first');
    await database.sql('insert into deployment_cell (cell) values (3)');
    for (const variables of [{}, { CELL: '3' }]) expect((await cellOfProgram(variables))?.cell).toBe(3);
    await expect(cellOfProgram({ CELL: '4' })).rejects.toThrow('CELL: this database is of cell 3, and CELL says 4');
  });
});
