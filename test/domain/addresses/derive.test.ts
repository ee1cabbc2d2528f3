// Fresh deposit addresses over several ranges, so that some of them were derived ahead on the worker thread.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { HDKey } from '@scure/bip32';
import { createAddressDerivation } from '../../../src/chain/evm/address.ts';
import { createDerivationThread } from '../../../src/chain/derivation-thread.ts';
import { connectDatabase, query, type Database } from '../../../src/database/connection.ts';
import { createDemand } from '../../../src/domain/addresses/demand.ts';
import { createAddressSource } from '../../../src/domain/addresses/derive.ts';
import type { Chain } from '../../../src/domain/deps.ts';
import { earliestIndex } from '../../support/derivation-indexes.ts';
import { until } from '../../support/until.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { PATIENT_DATABASE } from '../../support/patience.ts';

const xpub = HDKey.fromMasterSeed(Buffer.alloc(32, 7)).derive("m/44'/60'/0'").publicExtendedKey;
const derive = createAddressDerivation();
const chain = { account: 'evm', adapter: { derive } } as unknown as Chain;

const log = pino({ level: 'silent' });

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
  db = await connectDatabase({
    url: database.url,
    poolMax: 4,
    log,
    patience: PATIENT_DATABASE,
  });
  await query(db.em, 'insert into derivation_account (account, xpub) values ($1, $2)', ['evm', xpub]);
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const slow = { ...chain, account: 'slow' };

async function account(name: string, next: number): Promise<void> {
  const text = 'insert into derivation_account (account, xpub, next_index) values ($1, $2, $3)';
  await query(db.em, text, [name, xpub, next]);
}

async function nextOf(name: string): Promise<number> {
  const text = 'select next_index::float8 as next from derivation_account where account = $1';
  const [row] = await query<{ next: number }>(db.em, text, [name]);
  return row?.next ?? NaN;
}

describe('how many addresses are taken at a time', () => {
  it('doubles while more than one a second goes, and falls to one when it is less', () => {
    let now = 0;
    const demand = createDemand(16, () => now);
    const counts: number[] = [];
    const use = (count: number, elapsedMs: number) => {
      for (let n = 0; n < count; n += 1) demand.met();
      now += elapsedMs;
      counts.push(demand.next());
    };
    use(0, 0);
    use(1, 900);
    use(2, 1_900);
    use(4, 20);
    use(8, 20);
    use(16, 20);
    use(16, 16_000);
    use(1, 1_000);
    expect(counts).toEqual([1, 2, 4, 8, 16, 16, 1, 1]);
  });
});

describe('the source of fresh addresses', () => {
  it('gives each index once, with the address of that index, to all who ask at once and on two processes', async () => {
    const [one, other] = [createAddressSource({ db, log }), createAddressSource({ db, log })];
    const taken = [];
    for (let round = 0; round < 10; round += 1)
      taken.push(...(await Promise.all(Array.from({ length: 80 }, (_, n) => (n % 3 === 0 ? other : one)(chain)))));
    expect(new Set(taken.map(({ index }) => index)).size).toBe(800);
    expect(new Set(taken.map(({ key }) => key)).size).toBe(800);
    for (const { index, account, address, key } of taken.filter((_, n) => n % 7 === 0))
      expect({ account, address, key }).toEqual({ account: 'evm', ...derive(xpub, index) });
  });

  it('begins at the seconds since 2026 and 100,000, and takes no more ahead than it needs', async () => {
    await account('slow', 0);
    const before = await earliestIndex(db);
    const { index } = await createAddressSource({ db, log })(slow);
    const after = await earliestIndex(db);
    expect(index).toBeGreaterThanOrEqual(before);
    expect(index).toBeLessThanOrEqual(after);
    expect(await nextOf('slow')).toBe(index + 1);
  });

  it('of an older copy, used for less than one address a second since, meets none that was handed out', async () => {
    await account('copied', 0);
    const copied = { ...chain, account: 'copied' };
    const lost: number[] = [];
    // Each time a new process, which begins with a range of its own.
    for (let order = 0; order < 3; order += 1) {
      await until(async () => (await earliestIndex(db)) > (lost.at(-1) ?? 0));
      lost.push((await createAddressSource({ db, log })(copied)).index);
    }
    await query(db.em, `update derivation_account set next_index = 0 where account = 'copied'`);
    await until(async () => (await earliestIndex(db)) > (lost.at(-1) ?? 0));
    const { index } = await createAddressSource({ db, log })(copied);
    expect(lost).not.toContain(index);
    expect(index).toBeGreaterThan(Math.max(...lost));
  });

  it('goes on a million further on a copy that is adopted, and leaves out what it held when it is told', async () => {
    await account('adopted', 0);
    const adopted = { ...chain, account: 'adopted' };
    const source = createAddressSource({ db, log });
    const first = [];
    for (let n = 0; n < 20; n += 1) first.push(await source(adopted));
    await query(db.em, `update cluster_identity set system_identifier = 'another'`);
    const held = await source(adopted);
    expect(held.given).toEqual(first[0]?.given);
    const fresh = await source(adopted, held);
    expect(fresh.given.epoch).not.toBe(held.given.epoch);
    expect(fresh.index).toBeGreaterThanOrEqual(Math.max(...first.map(({ index }) => index)) + 1_000_000);
    expect((await source(adopted)).given).toEqual(fresh.given);
  });

  it('gives out the last indexes one by one, and refuses what would be beyond with 3007', async () => {
    await account('last', 2 ** 31 - 5);
    const lastOnes = { ...chain, account: 'last' };
    const logged: string[] = [];
    const source = createAddressSource({ db, log: pino({}, { write: (line) => void logged.push(line) }) });
    const taken = [];
    for (let n = 0; n < 5; n += 1) taken.push((await source(lastOnes)).index);
    expect(taken.map((index) => 2 ** 31 - index)).toEqual([5, 4, 3, 2, 1]);
    const refused: unknown = await source(lastOnes).catch((error: unknown) => error);
    expect(refused).toMatchObject({ row: { code: '3007', status: 503 } });
    expect((refused as Error).message).toContain('has used up all of its indexes');
    expect(await nextOf('last')).toBe(2 ** 31);
    expect(logged.filter((line) => line.includes('nearly used up'))).toHaveLength(1);
  });

  it('says which account has no extended public key', async () => {
    const unknown = { ...chain, account: 'utxo' };
    await expect(createAddressSource({ db, log })(unknown)).rejects.toThrow(
      'The account utxo has no extended public key',
    );
  });
});

describe('the thread that derives ahead', () => {
  it('hands over every address of the range, in order', async () => {
    const got: { first: number; key: string }[] = [];
    await new Promise<void>((resolve) => {
      createDerivationThread()({ account: 'evm', xpub, first: 1_000, count: 40 }, (first, addresses) => {
        got.push(...addresses.map(({ key }, offset) => ({ first: first + offset, key })));
        if (got.length === 40) resolve();
      });
    });
    expect(got).toEqual(Array.from({ length: 40 }, (_, n) => ({ first: 1_000 + n, key: derive(xpub, 1_000 + n).key })));
  });

  it('hands over nothing for a kind that it does not know', async () => {
    const [addresses] = await new Promise<[readonly unknown[]]>((resolve) => {
      createDerivationThread()({ account: 'other', xpub, first: 0, count: 40 }, (_first, none) => resolve([none]));
    });
    expect(addresses).toEqual([]);
  });
});
